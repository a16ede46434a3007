// Whatever bytes a motion capture holds, reading it ends with motions or with an Error of one short line; a
// motion is a pose of finite numbers and a unit quaternion at any time, or such an Error.
#include "limber/io/bvh_file.hpp"
#include "tests/fuzz/fuzz_animation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_animation(data, size,
                  [](std::string_view content) { return limber::parse_bvh(content, "fuzz.bvh"); });
  return 0;
}
