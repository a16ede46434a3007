#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <string>
#include <string_view>

namespace limber {

// STL, text and binary. Each triangle has vertices of its own, three columns in the order of the file;
// merge_vertices(surface) joins them (SurfaceReadOptions::merge_vertices). Normals, colours and attributes
// are passed over. A part is a solid of a text file; solids of equal name are one part. Binary files have
// none.

/// Whether the content is a text that starts with "solid", or as long as a binary file with as many triangles
/// as bytes 80 to 83 say: 84 + 50 n bytes. Binary files whose header starts with "solid" exist.
bool looks_like_stl(std::string_view content);

/// The surface in an STL file. `where` names it in messages.
SurfaceMesh parse_stl(std::string_view content, std::string_view where);

struct StlWriteOptions {
  bool binary = true;
};

/// The surface as STL. Text holds the coordinates bit by bit and the parts that triangles use. Binary files
/// hold floats: coordinates that are floats read back exactly, others are rounded, and parts are lost.
/// Triangles keep their order. Throws Error for coordinates beyond floats and for part names that the text
/// cannot hold.
std::string encode_stl(const SurfaceMesh& surface, std::string_view where,
                       const StlWriteOptions& options = {});

}  // namespace limber
