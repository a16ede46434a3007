#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <string_view>

namespace limber {

/// True for content that starts like a MEDIT file: with MeshVersionFormatted, or with the integers 1 and a
/// version.
bool looks_like_medit(std::string_view content);

/// The volume mesh in the content of a MEDIT file (INRIA; .mesh as text, .meshb as bytes of either order,
/// versions 1 to 4).
///
/// Vertices are all those of the file. Elements are its tetrahedra or its hexahedra; edges, triangles,
/// quadrilaterals and all that is said about them is left out. Prisms, pyramids, elements of second order and
/// a mix of the two are refused. Regions are the references of the elements, without names.
///
/// `where` names the source in messages. Throws Error for anything malformed; parse_mesh checks the geometry.
VolumeMesh parse_medit(std::string_view content, std::string_view where);

}  // namespace limber
