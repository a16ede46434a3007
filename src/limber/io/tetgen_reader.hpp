#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>
#include <string_view>

namespace limber {

/// The two files of a TetGen mesh; both share one name but for the extension.
struct TetgenPaths {
  std::filesystem::path nodes;     ///< .node
  std::filesystem::path elements;  ///< .ele
};

/// True for a path that ends in .node or .ele, or in these as capitals.
bool is_tetgen_path(const std::filesystem::path& path);

/// Both files of the mesh that either of them names.
TetgenPaths tetgen_paths(const std::filesystem::path& path);

/// True for content that may be a .node or .ele file. These have no magic word: the first line that is no
/// comment and no blank consists of two to four integers.
bool looks_like_tetgen(std::string_view content);

/// The volume mesh in the content of a .node and of an .ele file.
///
/// Vertices count from 0 or 1, as the first one does. Attributes and boundary markers of vertices are left
/// out. Elements are tetrahedra with 4 nodes; 10 nodes are refused. Regions are the region attribute of the
/// elements (the last one, where there are several), which must be an integer; without attributes there is
/// one region with tag 0. They have no names.
///
/// `where_nodes` and `where_elements` name the sources in messages. Throws Error for anything malformed;
/// parse_mesh checks the geometry.
VolumeMesh parse_tetgen(std::string_view nodes, std::string_view elements, std::string_view where_nodes,
                        std::string_view where_elements);

/// The same where one name stands for both, e.g. "body" for body.node and body.ele.
VolumeMesh parse_tetgen(std::string_view nodes, std::string_view elements, std::string_view where);

/// The mesh in both files, either of which `path` names.
VolumeMesh read_tetgen(const std::filesystem::path& path);

}  // namespace limber
