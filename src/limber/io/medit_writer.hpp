#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>

namespace limber {

struct MeditOptions {
  bool binary = false;  ///< .meshb, version 3, in the byte order of this machine
};

/// Writes the mesh as a MEDIT file that read_mesh gives back bit by bit, but for the names of regions, which
/// the format cannot hold: the reference of an element is the tag of its region. Throws Error for a tag that
/// two regions use.
/// read_back: looks at the content before it takes the place of an older file, as for write_file.
void write_medit(const std::filesystem::path& path, const VolumeMesh& mesh, const MeditOptions& options = {},
                 const ReadBack& read_back = {});

}  // namespace limber
