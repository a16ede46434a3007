#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>
#include <string_view>

namespace limber {

/// The volume mesh in a file, ready to simulate: bricks in canonical order, everything checked (check_mesh,
/// and no element twice). The format is told by the content, not by the extension. Vertex numbers count from
/// 0 in the order of the file.
///
/// Formats: Gmsh MSH 2.2 and 4.1, ASCII and binary (gmsh_reader.hpp says what becomes of its groups).
/// Throws Error, naming the file, for one that cannot be read, is no mesh or cannot be simulated.
VolumeMesh read_mesh(const std::filesystem::path& path);

/// read_mesh for content that is in memory; `where` names it in messages.
VolumeMesh parse_mesh(std::string_view content, std::string_view where);

/// The mesh that a name stands for: "builtin:..." (make_builtin), else the path of a file (read_mesh).
VolumeMesh load_mesh(std::string_view name);

}  // namespace limber
