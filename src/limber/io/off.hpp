#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <string>
#include <string_view>

namespace limber {

// OFF (Geomview's object file format) as text: "OFF" with any of the prefixes ST, C, N, 4, n. One vertex and
// one face per line; what follows the coordinates or the corners on a line (normals, colours, texture
// coordinates) is passed over. Homogeneous coordinates (4OFF) are divided by their last. The number of edges
// may be missing. Polygons become triangles (polygon.hpp); faces of fewer than three corners hold no area and
// are left out. Binary files are refused. OFF has no names: the surface is one part.

/// Whether the first word is a header of OFF.
bool looks_like_off(std::string_view content);

/// The surface in an OFF file. `where` names it in messages.
SurfaceMesh parse_off(std::string_view content, std::string_view where);

/// The surface as OFF: vertices and triangles read back as they are, bit by bit; parts are lost.
std::string encode_off(const SurfaceMesh& surface, std::string_view where);

}  // namespace limber
