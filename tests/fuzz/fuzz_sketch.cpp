// Whatever bytes a sketch file holds, reading it ends with forces or with an Error of one short line; forces
// that are written again read back the same.
#include "limber/base/error.hpp"
#include "limber/io/sketch_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::vector<limber::SketchForce> sketch = limber::parse_sketch(text, "fuzz.json");
    if (limber::parse_sketch(limber::encode_sketch(sketch, "fuzz.json"), "fuzz.json") != sketch) std::abort();
  } catch (const limber::Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
