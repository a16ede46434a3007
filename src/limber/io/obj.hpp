#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <string>
#include <string_view>

namespace limber {

// Wavefront OBJ. Polygons become triangles (polygon.hpp). A part is an object ("o"), or a group ("g") in
// files or stretches of files without objects; stretches of equal name are one part. Texture coordinates,
// normals, materials, colours and weights of vertices, points, lines and free-form curves are passed over;
// free-form surfaces are refused. Faces of fewer than three corners hold no area and are left out.

/// Whether the first statement is one of OBJ's and there is a vertex.
bool looks_like_obj(std::string_view content);

/// The surface in an OBJ file. `where` names it in messages.
SurfaceMesh parse_obj(std::string_view content, std::string_view where);

/// The surface as OBJ: reads back as it is, bit by bit, vertices, triangles and parts (those that triangles
/// use). Throws Error for part names that OBJ cannot hold.
std::string encode_obj(const SurfaceMesh& surface, std::string_view where);

}  // namespace limber
