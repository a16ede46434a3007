#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <string_view>

namespace limber {

/// True for content that starts like a legacy VTK file: "# vtk DataFile Version".
bool looks_like_vtk_legacy(std::string_view content);

/// The volume mesh in the content of a legacy VTK file (.vtk): an UNSTRUCTURED_GRID, ASCII or BINARY
/// (big-endian, as VTK defines it), with the CELLS of versions 1 to 4 (count and points of each cell) or
/// those of version 5 (OFFSETS and CONNECTIVITY).
///
/// Vertices are all points. Elements are its tetrahedra or its hexahedra and voxels; cells of lower dimension
/// are left out, other volume cells and a mix are refused. Regions are the cell data that
/// is_better_region_array chooses (SCALARS or an array of a FIELD), else there is one region with tag 0.
/// Their names are those that write_vtk_legacy keeps.
///
/// `where` names the source in messages. Throws Error for anything malformed; parse_mesh checks the geometry.
VolumeMesh parse_vtk_legacy(std::string_view content, std::string_view where);

}  // namespace limber
