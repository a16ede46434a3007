// Whatever bytes an STL file holds, reading it ends with a surface that passes every check or with an Error
// of one short line; a surface that is written again reads back the same.
#include "limber/io/stl.hpp"
#include "tests/fuzz/fuzz_surface.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  if (const auto surface = limber::fuzz::parse(content, "fuzz.stl")) {
    limber::fuzz::check_round_trip(*surface, "fuzz.stl",
                                   [](const limber::SurfaceMesh& s, std::string_view where) {
                                     return limber::encode_stl(s, where, {.binary = false});
                                   });
  }
  return 0;
}
