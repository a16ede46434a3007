// Any text is a `where` expression or an Error.
#include "limber/base/error.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/scene/selection.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const limber::VolumeMesh cube = limber::make_beam({.cells = {1, 1, 1}});
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    (void)limber::select_vertices(cube, {.where = text}, "fuzz");
  } catch (const limber::Error&) {
  }
  return 0;
}
