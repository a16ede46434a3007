#pragma once

#include "limber/base/error.hpp"
#include "limber/io/surface_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace limber::fuzz {

/// The surface that the bytes hold, checked; nothing where they are refused, in one short line.
inline std::optional<SurfaceMesh> parse(std::string_view content, std::string_view where) {
  try {
    SurfaceMesh surface = parse_surface(content, where);
    check_surface(surface, where);
    return surface;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
    return std::nullopt;
  }
}

/// Aborts unless what `encode` makes of a surface, where it does not refuse it, is read back with equal
/// triangles.
template <class Encode>
void check_round_trip(const SurfaceMesh& surface, std::string_view where, const Encode& encode) {
  std::string content;
  try {
    content = encode(surface, where);
  } catch (const Error&) {
    return;
  }
  const SurfaceMesh read = parse_surface(content, where);
  if (read.triangle_count() != surface.triangle_count()) std::abort();
  for (Index t = 0; t < read.triangle_count(); ++t) {
    if (read.vertices(Eigen::all, read.triangles.col(t)) !=
        surface.vertices(Eigen::all, surface.triangles.col(t))) {
      std::abort();
    }
  }
}

}  // namespace limber::fuzz
