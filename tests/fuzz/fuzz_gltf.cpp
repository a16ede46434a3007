// Whatever bytes a glTF file holds, reading it ends with a surface that passes every check or with an Error
// of one short line; a surface that is written again is accepted, with as many triangles.
#include "limber/io/gltf.hpp"
#include "tests/fuzz/fuzz_surface.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const auto surface = limber::fuzz::parse(content, "fuzz.glb");
  if (!surface) return 0;
  std::string written;
  try {
    written = limber::encode_glb(*surface, "fuzz.glb");
  } catch (const limber::Error&) {  // coordinates beyond floats
    return 0;
  }
  // Floats and the order by parts keep it from being the same.
  if (limber::parse_gltf(written, "fuzz.glb").triangle_count() != surface->triangle_count()) std::abort();
  return 0;
}
