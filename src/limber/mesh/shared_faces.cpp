#include "limber/mesh/shared_faces.hpp"

#include "limber/mesh/union_find.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace limber {
namespace {

using Corners = std::array<int, 4>;

std::span<const Corners> faces_of(ElementKind kind) {
  if (kind == ElementKind::tetrahedron) return tetrahedron_faces;
  return brick_faces;
}

/// Half the product of the diagonals; those of a triangle, whose last corner is there twice, are two of its
/// sides.
double area_of(const VolumeMesh& mesh, const Corners& corners) {
  const auto x = [&](int k) { return Vector3(mesh.vertices.col(corners[static_cast<std::size_t>(k)])); };
  return 0.5 * (x(2) - x(0)).cross(x(3) - x(1)).norm();
}

}  // namespace

std::vector<SharedFace> shared_faces(const VolumeMesh& mesh) {
  struct Face {
    Corners key;  ///< sorted
    int element, side;
  };
  const std::span<const Corners> sides = faces_of(mesh.kind);
  const auto corners_of = [&](int element, int side) {
    Corners corners = sides[static_cast<std::size_t>(side)];
    for (int& corner : corners) corner = mesh.elements(corner, element);
    return corners;
  };
  std::vector<Face> faces;
  faces.reserve(static_cast<std::size_t>(mesh.element_count()) * sides.size());
  for (int e = 0; e < mesh.element_count(); ++e) {
    for (int side = 0; side < static_cast<int>(sides.size()); ++side) {
      Corners key = corners_of(e, side);
      if (mesh.kind == ElementKind::tetrahedron) key[3] = std::max({key[0], key[1], key[2]});
      std::sort(key.begin(), key.end());
      faces.push_back({key, e, side});
    }
  }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
    return std::tie(a.key, a.element) < std::tie(b.key, b.element);
  });
  std::vector<SharedFace> shared;
  for (std::size_t i = 1; i < faces.size(); ++i) {
    if (faces[i].key != faces[i - 1].key || faces[i].element == faces[i - 1].element) continue;
    const Corners corners = corners_of(faces[i - 1].element, faces[i - 1].side);
    shared.push_back({faces[i - 1].element, faces[i].element, corners,
                      mesh.kind == ElementKind::tetrahedron ? 3 : 4, area_of(mesh, corners)});
  }
  std::stable_sort(shared.begin(), shared.end(), [](const SharedFace& a, const SharedFace& b) {
    return std::tie(a.first, a.second) < std::tie(b.first, b.second);
  });
  return shared;
}

std::vector<int> connected_elements(const std::vector<SharedFace>& faces, const std::vector<int>& label) {
  UnionFind joined(static_cast<Index>(label.size()));
  for (const SharedFace& face : faces) {
    if (label[static_cast<std::size_t>(face.first)] == label[static_cast<std::size_t>(face.second)])
      joined.join(face.first, face.second);
  }
  std::vector<int> piece(label.size());
  int count = 0;
  for (int e = 0; e < static_cast<int>(label.size()); ++e) {
    const int lowest = joined.root(e);
    piece[static_cast<std::size_t>(e)] = lowest == e ? count++ : piece[static_cast<std::size_t>(lowest)];
  }
  return piece;
}

}  // namespace limber
