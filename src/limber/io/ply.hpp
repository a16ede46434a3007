#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <string>
#include <string_view>

namespace limber {

// PLY (Stanford's polygon format), text, binary little endian and binary big endian. Of the element "vertex"
// the properties x, y and z are read, of any type and in any order; of "face" the list vertex_indices or
// vertex_index, of "tristrips" the same list with -1 between strips. All else is passed over. Polygons
// become triangles (polygon.hpp); faces of fewer than three corners hold no area and are left out. Files
// without faces (point clouds) are refused. PLY has no names: the surface is one part.

/// Whether the first line is "ply".
bool looks_like_ply(std::string_view content);

/// The surface in a PLY file. `where` names it in messages, with the line in text and the byte in binary
/// files.
SurfaceMesh parse_ply(std::string_view content, std::string_view where);

struct PlyWriteOptions {
  bool binary = true;  ///< little endian
};

/// The surface as PLY with coordinates in double precision: vertices and triangles read back as they are,
/// bit by bit; parts are lost.
std::string encode_ply(const SurfaceMesh& surface, std::string_view where,
                       const PlyWriteOptions& options = {});

}  // namespace limber
