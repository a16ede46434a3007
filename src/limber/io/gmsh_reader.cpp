#include "limber/io/gmsh_reader.hpp"

#include "limber/base/error.hpp"
#include "limber/io/gmsh_reader_sections.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace limber {
namespace {

/// Vertex numbers of node tags, which may be sparse and unordered.
class NodeNumbers {
 public:
  NodeNumbers(const std::vector<std::int64_t>& tags, std::string_view where) {
    require(tags.size() <= std::numeric_limits<int>::max(), "{}: {} nodes, limber handles at most {}", where,
            tags.size(), std::numeric_limits<int>::max());
    sorted_.reserve(tags.size());
    for (const std::int64_t tag : tags) sorted_.emplace_back(tag, static_cast<int>(sorted_.size()));
    std::sort(sorted_.begin(), sorted_.end());
    const auto same_tag = [](const auto& a, const auto& b) { return a.first == b.first; };
    const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end(), same_tag);
    require(twice == sorted_.end(),
            "{}: two nodes have the tag {}, expected each tag once; export the mesh anew", where,
            twice == sorted_.end() ? 0 : twice->first);
  }

  /// -1 for a tag that no node has.
  [[nodiscard]] int find(std::int64_t tag) const {
    if (sorted_.empty() || tag < sorted_.front().first || tag > sorted_.back().first) return -1;
    // Files mostly number their nodes 1 to n; then the place is known.
    const std::uint64_t place =
        static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(sorted_.front().first);
    if (place < sorted_.size() && sorted_[place].first == tag) return sorted_[place].second;
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{tag, -1});
    return found->first == tag ? found->second : -1;
  }

 private:
  std::vector<std::pair<std::int64_t, int>> sorted_;
};

void resolve_elements(const GmshSections& sections, std::string_view where, VolumeMesh& mesh) {
  const NodeNumbers numbers(sections.node_tags, where);
  const int corners = vertices_per_element(mesh.kind);
  mesh.elements.resize(corners, static_cast<Index>(sections.element_groups.size()));
  for (Index i = 0; i < mesh.elements.size(); ++i) {
    const std::int64_t tag = sections.element_nodes[static_cast<std::size_t>(i)];
    const int vertex = numbers.find(tag);
    require(
        vertex >= 0,
        "{}: element {} (from 0, {} only) names node {}, which $Nodes does not hold; export the mesh anew",
        where, i / corners, mesh.kind == ElementKind::tetrahedron ? "tetrahedra" : "hexahedra", tag);
    mesh.elements.data()[i] = vertex;
  }
}

void resolve_regions(const GmshSections& sections, VolumeMesh& mesh) {
  std::vector<GmshGroup> groups = sections.element_groups;
  for (GmshGroup& group : groups) {
    if (!group.elementary) continue;
    const auto physical = sections.group_of_volume.find(group.tag);
    if (physical != sections.group_of_volume.end()) group = {physical->second, false};
  }
  std::vector<GmshGroup> order = groups;
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  for (const GmshGroup& group : order) {
    const auto name = sections.group_names.find(group.tag);
    const bool named = !group.elementary && name != sections.group_names.end();
    mesh.regions.push_back({group.tag, named ? name->second : ""});
  }
  mesh.region.reserve(groups.size());
  for (const GmshGroup& group : groups) {
    mesh.region.push_back(
        static_cast<int>(std::lower_bound(order.begin(), order.end(), group) - order.begin()));
  }
}

}  // namespace

bool looks_like_gmsh(std::string_view content) {
  const std::size_t start = content.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && content[start] == '$';
}

VolumeMesh parse_gmsh(std::string_view content, std::string_view where) {
  const GmshSections sections = read_gmsh_sections(content, where);
  require(sections.has_nodes, "{}: has no section $Nodes; the file is truncated or holds no mesh", where);
  require(sections.has_elements, "{}: has no section $Elements; the file is truncated or holds no mesh",
          where);
  require(
      sections.kind.has_value() && !sections.element_groups.empty(),
      "{}: has no tetrahedra or hexahedra; mesh in 3D ('gmsh -3') and, where there are physical groups, put "
      "the volumes in one (Gmsh saves nothing else)",
      where);

  VolumeMesh mesh;
  mesh.kind = *sections.kind;
  mesh.vertices = Eigen::Map<const Matrix3X>(sections.node_positions.data(), 3,
                                             static_cast<Index>(sections.node_tags.size()));
  resolve_elements(sections, where, mesh);
  resolve_regions(sections, mesh);
  return mesh;
}

}  // namespace limber
