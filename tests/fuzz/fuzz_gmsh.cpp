// Whatever bytes a mesh file holds, reading it ends with a mesh that passes every check or with an Error of
// one line.

#include "limber/base/error.hpp"
#include "limber/io/mesh_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    const limber::VolumeMesh mesh = limber::parse_mesh(content, "fuzz.msh");
    limber::check_mesh(mesh, "fuzz.msh");
  } catch (const limber::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
