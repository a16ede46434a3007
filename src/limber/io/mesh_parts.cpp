#include "limber/io/mesh_parts.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace limber {

VolumeMesh build_mesh(const MeshParts& parts, std::string_view where) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  require(parts.kind.has_value() && !parts.tags.empty(),
          "{}: has no tetrahedra or hexahedra; limber needs a volume mesh, so mesh the body in 3D", where);
  require(parts.positions.size() / 3 <= most && parts.tags.size() <= most,
          "{}: {} vertices and {} elements, limber handles at most {} of each", where,
          parts.positions.size() / 3, parts.tags.size(), most);

  VolumeMesh mesh;
  mesh.kind = *parts.kind;
  mesh.vertices =
      Eigen::Map<const Matrix3X>(parts.positions.data(), 3, static_cast<Index>(parts.positions.size() / 3));
  mesh.elements = Eigen::Map<const Eigen::MatrixXi>(parts.corners.data(), vertices_per_element(mesh.kind),
                                                    static_cast<Index>(parts.tags.size()));
  std::vector<int> order = parts.tags;
  std::sort(order.begin(), order.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  for (const int tag : order) {
    const auto name = parts.names.find(tag);
    mesh.regions.push_back({tag, name != parts.names.end() ? name->second : ""});
  }
  mesh.region.reserve(parts.tags.size());
  for (const int tag : parts.tags) {
    mesh.region.push_back(
        static_cast<int>(std::lower_bound(order.begin(), order.end(), tag) - order.begin()));
  }
  return mesh;
}

bool accept_kind(MeshParts& parts, ElementKind kind) {
  if (parts.kind.value_or(kind) != kind) return false;
  parts.kind = kind;
  return true;
}

std::string unknown_cell_text(std::string_view cell) {
  return fmt::format("{}, expected tetrahedra or hexahedra; mesh the whole body with tetrahedra", cell);
}

std::string second_order_text(std::string_view cell) {
  return fmt::format(
      "{}, expected linear tetrahedra or 8-node hexahedra; export the mesh with elements of first order",
      cell);
}

void check_writable(const VolumeMesh& mesh, std::string_view where) {
  check_mesh(mesh, where);
  std::set<int> tags;
  for (const Region& region : mesh.regions) {
    require(tags.insert(region.tag).second, "{}: two regions have the tag {}, expected each tag once", where,
            region.tag);
  }
}

}  // namespace limber
