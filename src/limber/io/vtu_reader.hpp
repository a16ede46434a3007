#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <string_view>

namespace limber {

/// True for XML content with the element VTKFile near its start.
bool looks_like_vtu(std::string_view content);

/// The volume mesh in the content of a VTK XML file of an unstructured grid (.vtu), as ParaView, VTK and
/// meshio write it: numbers as text, as inline base64 or appended (raw or base64), headers of 4 or 8 bytes,
/// either byte order, compressed by zlib or not. Other compressors and several pieces are refused.
///
/// Vertices are all points. Elements are its tetrahedra or its hexahedra and voxels; cells of lower dimension
/// are left out, other volume cells and a mix are refused. Regions are the cell data that
/// is_better_region_array (vtk_grid.hpp) chooses, else there is one region with tag 0. Their names are those
/// that write_vtu keeps.
///
/// `where` names the source in messages. Throws Error for anything malformed; parse_mesh checks the geometry.
VolumeMesh parse_vtu(std::string_view content, std::string_view where);

}  // namespace limber
