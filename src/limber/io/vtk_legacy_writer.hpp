#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>

namespace limber {

struct VtkLegacyOptions {
  bool binary = false;          ///< doubles and integers as bytes, big-endian
  bool offsets_layout = false;  ///< version 5.1, which VTK reads from 9.0 on, instead of 3.0
};

/// Writes the mesh as a legacy VTK file (.vtk, UNSTRUCTURED_GRID) that read_mesh gives back bit by bit.
/// The cell data `region` are the tags of the regions; where regions have names, the field data region_tags
/// and region_names (vtk_grid.hpp) keep them. Throws Error for a tag that two regions use.
/// read_back: looks at the content before it takes the place of an older file, as for write_file.
void write_vtk_legacy(const std::filesystem::path& path, const VolumeMesh& mesh,
                      const VtkLegacyOptions& options = {}, const ReadBack& read_back = {});

}  // namespace limber
