#include "limber/mesh/volume_mesh.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/coordinates.hpp"
#include "limber/mesh/union_find.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>

namespace limber {
namespace {

/// Corner signs of a brick in canonical order: bit 0 of the code is +x, bit 1 +y, bit 2 +z.
constexpr std::array<int, 8> brick_corner_code{0b000, 0b001, 0b011, 0b010, 0b100, 0b101, 0b111, 0b110};

/// An element counts as degenerate when its volume is below this share of its longest edge cubed: the
/// rounding of coordinates alone gives about 1e-16, and gradients of shape functions lose all digits below
/// 1e-12.
constexpr double degenerate_volume = 1e-12;

/// Relative distance of a brick's corners from those of a box that is forgiven: seven digits in a file.
constexpr double brick_tolerance = 1e-6;

double longest_edge(const VolumeMesh& mesh, Index e) {
  double longest = 0.0;
  for (Index a = 0; a < mesh.elements.rows(); ++a) {
    for (Index b = 0; b < a; ++b) {
      const auto edge = mesh.vertices.col(mesh.elements(a, e)) - mesh.vertices.col(mesh.elements(b, e));
      longest = std::max(longest, edge.norm());
    }
  }
  return longest;
}

void check_indices(const VolumeMesh& mesh, std::string_view where) {
  require(mesh.elements.rows() == vertices_per_element(mesh.kind),
          "{}: {} vertices per element, expected {} for a {}", where, mesh.elements.rows(),
          vertices_per_element(mesh.kind), name_of(mesh.kind));
  require(static_cast<Index>(mesh.region.size()) == mesh.element_count(),
          "{}: {} region numbers for {} elements, expected one each", where, mesh.region.size(),
          mesh.element_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (Index a = 0; a < mesh.elements.rows(); ++a) {
      const int vertex = mesh.elements(a, e);
      require(vertex >= 0 && vertex < mesh.vertex_count(),
              "{}: element {} names vertex {}, but the mesh has vertices 0 to {}", where, e, vertex,
              mesh.vertex_count() - 1);
    }
    const int region = mesh.region[static_cast<std::size_t>(e)];
    require(region >= 0 && region < static_cast<int>(mesh.regions.size()),
            "{}: element {} belongs to region {}, but the mesh has regions 0 to {}", where, e, region,
            static_cast<int>(mesh.regions.size()) - 1);
  }
}

/// The code (see brick_corner_code) of each corner of brick e, or an Error where it is no axis-aligned box.
std::array<int, 8> brick_corner_codes(const VolumeMesh& mesh, Index e, std::string_view where) {
  Eigen::Matrix<double, 3, 8> corner;
  for (int a = 0; a < 8; ++a) corner.col(a) = mesh.vertices.col(mesh.elements(a, e));
  const Vector3 low = corner.rowwise().minCoeff();
  const Vector3 size = corner.rowwise().maxCoeff() - low;
  require(size.minCoeff() > degenerate_volume * size.maxCoeff(),
          "{}: element {} is degenerate: its box is {} x {} x {}; remove it or mesh anew", where, e, size.x(),
          size.y(), size.z());

  std::array<int, 8> codes{};
  int seen = 0;
  for (int a = 0; a < 8; ++a) {
    for (int axis = 0; axis < 3; ++axis) {
      const double position = (corner(axis, a) - low(axis)) / size(axis);
      const int side = position > 0.5 ? 1 : 0;
      require(std::abs(position - side) <= brick_tolerance,
              "{}: element {} is a hexahedron that is not an axis-aligned box; limber simulates axis-aligned "
              "bricks and "
              "tetrahedra, so mesh this body with tetrahedra",
              where, e);
      codes[a] |= side << axis;
    }
    seen |= 1 << codes[a];
  }
  require(seen == 0xff, "{}: element {} uses a corner of its box twice", where, e);
  return codes;
}

}  // namespace

std::string_view name_of(ElementKind kind) {
  return kind == ElementKind::tetrahedron ? "tetrahedron" : "brick";
}

double element_volume(const VolumeMesh& mesh, Index e) {
  const auto x = [&](int a) { return mesh.vertices.col(mesh.elements(a, e)); };
  if (mesh.kind == ElementKind::brick) return (x(6) - x(0)).prod();
  Matrix3 edges;
  edges << x(1) - x(0), x(2) - x(0), x(3) - x(0);
  return edges.determinant() / 6.0;
}

void check_mesh(const VolumeMesh& mesh, std::string_view where) {
  require(mesh.element_count() > 0, "{}: the mesh has no tetrahedra or bricks; limber needs a volume mesh",
          where);
  check_coordinates(mesh.vertices, where);
  check_indices(mesh, where);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const double edge = longest_edge(mesh, e);
    const double volume = element_volume(mesh, e);
    require(std::abs(volume) > degenerate_volume * edge * edge * edge,
            "{}: element {} is degenerate: volume {} for a longest edge of {}; remove it or mesh anew", where,
            e, volume, edge);
    require(volume > 0.0, "{}: element {} is inverted: volume {}; swap two of its vertices or mesh anew",
            where, e, volume);
    if (mesh.kind == ElementKind::brick) {
      require(brick_corner_codes(mesh, e, where) == brick_corner_code,
              "{}: the vertices of brick {} are out of order", where, e);
    }
  }
}

void canonicalize_bricks(VolumeMesh& mesh, std::string_view where) {
  require(mesh.kind == ElementKind::brick, "{}: the mesh is made of tetrahedra, expected bricks", where);
  check_indices(mesh, where);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const std::array<int, 8> codes = brick_corner_codes(mesh, e, where);
    const Eigen::VectorXi given = mesh.elements.col(e);
    for (int a = 0; a < 8; ++a) {
      const auto slot = std::find(brick_corner_code.begin(), brick_corner_code.end(), codes[a]);
      mesh.elements(slot - brick_corner_code.begin(), e) = given(a);
    }
  }
}

std::vector<char> used_vertices(const VolumeMesh& mesh) {
  std::vector<char> used(static_cast<std::size_t>(mesh.vertex_count()), 0);
  for (const int vertex : mesh.elements.reshaped()) used[static_cast<std::size_t>(vertex)] = 1;
  return used;
}

std::vector<int> connected_parts(const VolumeMesh& mesh) {
  UnionFind joined(mesh.vertex_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (Index a = 1; a < mesh.elements.rows(); ++a) joined.join(mesh.elements(0, e), mesh.elements(a, e));
  }
  const std::vector<char> used = used_vertices(mesh);
  std::vector<int> part(used.size(), -1);
  int parts = 0;
  for (int v = 0; v < static_cast<int>(used.size()); ++v) {
    if (!used[v]) continue;
    const int lowest = joined.root(v);
    part[v] = lowest == v ? parts++ : part[lowest];
  }
  return part;
}

BoundaryFaces boundary_faces(const VolumeMesh& mesh) {
  // A face as its sorted vertices (a triangle repeats its highest one), then as its loop; equal keys cancel.
  struct Face {
    std::array<int, 4> key;
    std::array<int, 4> loop;
    int element;
  };
  const bool tetrahedra = mesh.kind == ElementKind::tetrahedron;
  std::vector<Face> faces;
  const auto add = [&](Index e, std::array<int, 4> loop) {
    std::array<int, 4> key = loop;
    if (tetrahedra) key[3] = std::max({loop[0], loop[1], loop[2]});
    std::sort(key.begin(), key.end());
    faces.push_back({key, loop, static_cast<int>(e)});
  };
  faces.reserve(static_cast<std::size_t>(mesh.element_count()) * (tetrahedra ? 4 : 6));
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const auto v = [&](int a) { return mesh.elements(a, e); };
    if (tetrahedra) {
      for (const auto& f : tetrahedron_faces) add(e, {v(f[0]), v(f[1]), v(f[2]), v(f[3])});
    } else {
      for (const auto& f : brick_faces) add(e, {v(f[0]), v(f[1]), v(f[2]), v(f[3])});
    }
  }
  std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.key < b.key; });

  std::vector<int> triangles;
  BoundaryFaces result;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t end = i + 1;
    while (end < faces.size() && faces[end].key == faces[i].key) ++end;
    if (end == i + 1) {
      const auto& f = faces[i].loop;
      triangles.insert(triangles.end(), {f[0], f[1], f[2]});
      if (!tetrahedra) triangles.insert(triangles.end(), {f[0], f[2], f[3]});
      result.element.insert(result.element.end(), tetrahedra ? 1 : 2, faces[i].element);
    }
    i = end;
  }
  result.triangles =
      Eigen::Map<Eigen::Matrix3Xi>(triangles.data(), 3, static_cast<Index>(triangles.size()) / 3);
  return result;
}

Eigen::Matrix3Xi boundary_triangles(const VolumeMesh& mesh) { return boundary_faces(mesh).triangles; }

BoundingBox bounding_box(const VolumeMesh& mesh) {
  BoundingBox box{Vector3::Constant(std::numeric_limits<double>::infinity()),
                  Vector3::Constant(-std::numeric_limits<double>::infinity())};
  for (const int vertex : mesh.elements.reshaped()) {
    box.min = box.min.cwiseMin(mesh.vertices.col(vertex));
    box.max = box.max.cwiseMax(mesh.vertices.col(vertex));
  }
  return box;
}

}  // namespace limber
