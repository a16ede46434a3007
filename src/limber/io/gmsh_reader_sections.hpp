#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// What groups elements: a physical group, or else the elementary entity (the geometric volume).
struct GmshGroup {
  int tag = 0;
  bool elementary = false;  ///< after `tag`, so that physical groups come first among equal tags

  auto operator<=>(const GmshGroup&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0
};

/// The sections of a Gmsh file as they stand: nothing that one says about another is resolved or checked yet.
struct GmshSections {
  std::vector<std::int64_t> node_tags;      ///< n, in the order of the file
  std::vector<double> node_positions;       ///< 3 n, finite
  std::optional<ElementKind> kind;          ///< of all volume elements; nothing while there are none
  std::vector<std::int64_t> element_nodes;  ///< 4 m or 8 m node tags
  std::vector<GmshGroup> element_groups;    ///< m; elementary throughout in MSH 4.1
  std::map<int, std::string> group_names;   ///< of the physical groups of dimension 3
  std::map<int, int> group_of_volume;       ///< MSH 4.1: physical group of each elementary volume in one
  bool has_nodes = false;                   ///< a section $Nodes was there
  bool has_elements = false;                ///< a section $Elements was there
};

/// Reads every section of a Gmsh file; those that bear no mesh are skipped. Throws Error for a version other
/// than 2.2 and 4.1, for malformed sections and for elements that limber does not simulate.
GmshSections read_gmsh_sections(std::string_view content, std::string_view where);

}  // namespace limber
