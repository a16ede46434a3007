#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/up_axis.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace limber {

struct SurfaceReadOptions {
  bool merge_vertices =
      false;  ///< makes one of all vertices of equal position, as in STL, which has no others
};

/// The surface in a file; everything is checked (check_surface). The format is told by the content; only
/// where that says nothing, as in a damaged file, by the ending. Vertex numbers count from 0 in the order of
/// the file; polygons become triangles (polygon.hpp); coordinates are taken as they are, in metres.
///
/// Formats: OBJ, STL, PLY, OFF and glTF 2.0 (obj.hpp, stl.hpp, ply.hpp, off.hpp and gltf.hpp say what
/// becomes of their parts and what is not read). Throws Error, naming the file and the line or byte, for one
/// that cannot be read or is no surface.
/// read_from: gets the files that were read, where it is given.
SurfaceMesh read_surface(const std::filesystem::path& path, const SurfaceReadOptions& options = {},
                         FileList* read_from = nullptr);

/// read_surface for content that is in memory; `where` names it in messages. There is no folder to find other
/// files in, which .gltf files may need.
SurfaceMesh parse_surface(std::string_view content, std::string_view where,
                          const SurfaceReadOptions& options = {});

/// Whether the content starts as a file of one of the formats does.
bool looks_like_surface(std::string_view content);

/// Whether a path is that of a file with a surface, by its content or, where that says nothing, by its
/// ending.
bool is_surface_file(const std::filesystem::path& path);

/// Whether the ending is that of one of the formats, in capitals or not.
bool has_surface_extension(const std::filesystem::path& path);

/// Which way is up in files of this kind: y in glTF, which says so; z in others, which leave it to who made
/// them.
UpAxis usual_up(const std::filesystem::path& path);

/// Writes the surface in the format of the ending: .obj, .stl (binary), .ply (binary, doubles), .off or .glb.
/// The headers of the formats say what reads back exactly; encode_stl and encode_ply also write text. Throws
/// Error for another ending and for what the format cannot hold.
void write_surface(const std::filesystem::path& path, const SurfaceMesh& surface);

/// The formats that are read, for messages: "OBJ, STL, ...".
std::string surface_format_names();

}  // namespace limber
