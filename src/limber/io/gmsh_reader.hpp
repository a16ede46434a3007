#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <string_view>

namespace limber {

/// True for content that starts like a Gmsh file: with a section, e.g. $MeshFormat or $Comments.
bool looks_like_gmsh(std::string_view content);

/// The volume mesh in the content of a Gmsh file: MSH 2.2 or 4.1, ASCII or binary of either byte order.
///
/// Vertices are all nodes of the file, also those that no element uses, in the order of the file; their tags
/// may be sparse and unordered. Elements are its 4-node tetrahedra or its 8-node hexahedra; points, lines,
/// triangles and quadrilaterals are left out. Anything else, and a mix of the two, is refused.
///
/// Regions are the physical groups of dimension 3, with tag and name. Elements in no such group form one
/// region per elementary entity (Gmsh volume), with that entity's tag and no name. Regions are ordered by tag
/// (at equal tags the physical group comes first); those without elements are left out.
///
/// `where` names the source in messages, e.g. the file. Throws Error for anything malformed. What needs the
/// geometry (finite volumes, orientation, the shape of bricks) is for parse_mesh to check.
VolumeMesh parse_gmsh(std::string_view content, std::string_view where);

}  // namespace limber
