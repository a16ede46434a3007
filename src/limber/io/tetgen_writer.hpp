#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>

namespace limber {

/// Writes the mesh as the two TetGen files (.node and .ele, whichever `path` names, or both extensions added
/// to `path`) that read_mesh gives back bit by bit, but for the names of regions, which the format cannot
/// hold: the region attribute is the tag. Vertices count from 1. Throws Error for bricks, which TetGen does
/// not know, and for a tag that two regions use.
/// read_back: looks at both, the nodes first, before they take the place of older files, as for write_files.
void write_tetgen(const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back = {});

}  // namespace limber
