#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>

namespace limber {

enum class GmshVersion { v2_2, v4_1 };

struct GmshOptions {
  GmshVersion version = GmshVersion::v4_1;
  bool binary = false;  ///< in the byte order of this machine
};

/// Writes the mesh as a Gmsh file that read_mesh gives back bit by bit: same order of vertices and elements,
/// coordinates exact. Each region becomes a physical group of dimension 3 with its tag and name; tag 0
/// without a name becomes "in no group". Throws Error for tags that are negative or used twice, for a name at
/// tag 0 and for a name over several lines, none of which Gmsh can express.
/// read_back: looks at the content before it takes the place of an older file, as for write_file.
void write_gmsh(const std::filesystem::path& path, const VolumeMesh& mesh, const GmshOptions& options = {},
                const ReadBack& read_back = {});

}  // namespace limber
