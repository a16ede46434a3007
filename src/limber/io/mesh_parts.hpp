#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// What a reader gathers from a mesh file, in the order of the file, until the mesh can be built.
struct MeshParts {
  std::vector<double> positions;     ///< 3 n, finite, m
  std::optional<ElementKind> kind;   ///< of all volume elements; nothing while there are none
  std::vector<int> corners;          ///< 4 m or 8 m, vertex numbers from 0, in range
  std::vector<int> tags;             ///< m, the tag of each element's region
  std::map<int, std::string> names;  ///< of regions, by tag, where the file gives them
};

/// The mesh of these parts. Regions are ordered by tag; those without elements are left out. Throws Error,
/// naming `where`, for parts without elements or with more vertices than int can number.
VolumeMesh build_mesh(const MeshParts& parts, std::string_view where);

/// Notes the kind of a further volume element; false where it is another one than before.
bool accept_kind(MeshParts& parts, ElementKind kind);

/// Texts of the refusals that all formats share.
inline constexpr std::string_view mixed_kinds_text =
    "both tetrahedra and hexahedra, expected one kind; mesh the whole body with tetrahedra";
/// `cell`: with its article, e.g. "a pyramid".
std::string unknown_cell_text(std::string_view cell);
/// `cell`: with its article, e.g. "a 10-node tetrahedron".
std::string second_order_text(std::string_view cell);

/// The tag of the region of element e.
inline int region_tag(const VolumeMesh& mesh, Index e) {
  return mesh.regions[static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)])].tag;
}

/// Throws Error unless the mesh passes check_mesh and each tag is used by one region only, so that a file
/// that holds tags alone can tell the regions apart.
void check_writable(const VolumeMesh& mesh, std::string_view where);

}  // namespace limber
