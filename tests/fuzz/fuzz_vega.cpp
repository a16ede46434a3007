#include "limber/io/vega_reader.hpp"
#include "tests/fuzz/fuzz_volume.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return limber::fuzz::fuzz_volume(
      data, size, [](std::string_view content) { return limber::parse_vega(content, "fuzz"); });
}
