#pragma once

#include "limber/base/random.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <Eigen/Geometry>

#include <map>
#include <utility>
#include <vector>

namespace limber::test {

/// A sphere around the origin: an icosahedron whose triangles are divided in four, 20 * 4^subdivisions
/// triangles.
inline SurfaceMesh icosphere(int subdivisions, double radius = 1.0) {
  const double g = 1.618033988749895;  // the golden ratio
  Matrix3X vertices(3, 12);
  vertices << -1, 1, -1, 1, 0, 0, 0, 0, g, g, -g, -g,  //
      g, g, -g, -g, -1, 1, -1, 1, 0, 0, 0, 0,          //
      0, 0, 0, 0, g, g, -g, -g, -1, 1, -1, 1;
  Eigen::Matrix3Xi triangles(3, 20);
  triangles << 0, 0, 0, 0, 0, 1, 5, 11, 10, 7, 3, 3, 3, 3, 3, 4, 2, 6, 8, 9,  //
      11, 5, 1, 7, 10, 5, 11, 10, 7, 1, 9, 4, 2, 6, 8, 9, 4, 2, 6, 8,         //
      5, 1, 7, 10, 11, 9, 4, 2, 6, 8, 4, 2, 6, 8, 9, 5, 11, 10, 7, 1;
  for (int pass = 0; pass < subdivisions; ++pass) {
    std::map<std::pair<int, int>, int> middles;
    std::vector<Vector3> added;
    const int old = static_cast<int>(vertices.cols());
    const auto middle = [&](int a, int b) {
      const auto [entry, is_new] =
          middles.try_emplace(std::minmax(a, b), old + static_cast<int>(added.size()));
      if (is_new) added.push_back(0.5 * (vertices.col(a).normalized() + vertices.col(b).normalized()));
      return entry->second;
    };
    Eigen::Matrix3Xi finer(3, 4 * triangles.cols());
    for (Index t = 0; t < triangles.cols(); ++t) {
      const int a = triangles(0, t), b = triangles(1, t), c = triangles(2, t);
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.middleCols<4>(4 * t) << a, b, c, ab, ab, bc, ca, bc, ca, ab, bc, ca;
    }
    vertices.conservativeResize(3, old + static_cast<Index>(added.size()));
    for (std::size_t i = 0; i < added.size(); ++i) vertices.col(old + static_cast<Index>(i)) = added[i];
    triangles = finer;
  }
  for (auto vertex : vertices.colwise()) vertex = radius * vertex.normalized();
  return make_surface_mesh(vertices, triangles, "sphere");
}

/// A box of twelve triangles.
inline SurfaceMesh box_surface(const Vector3& min, const Vector3& max) {
  Matrix3X vertices(3, 8);
  for (int i = 0; i < 8; ++i) {
    for (int axis = 0; axis < 3; ++axis) vertices(axis, i) = (i >> axis & 1) != 0 ? max(axis) : min(axis);
  }
  Eigen::Matrix3Xi triangles(3, 12);
  triangles << 0, 0, 4, 4, 0, 0, 2, 2, 0, 0, 1, 1,  //
      2, 3, 5, 7, 1, 5, 6, 7, 4, 6, 3, 7,           //
      3, 1, 7, 6, 5, 4, 7, 3, 6, 2, 7, 5;
  return make_surface_mesh(vertices, triangles, "box");
}

inline SurfaceMesh moved(SurfaceMesh surface, const Vector3& by) {
  surface.vertices.colwise() += by;
  return surface;
}

inline SurfaceMesh turned_inside_out(SurfaceMesh surface) {
  surface.triangles.row(0).swap(surface.triangles.row(1));
  return surface;
}

/// Both surfaces, as one part.
inline SurfaceMesh joined(const SurfaceMesh& a, const SurfaceMesh& b) {
  Matrix3X vertices(3, a.vertex_count() + b.vertex_count());
  vertices << a.vertices, b.vertices;
  Eigen::Matrix3Xi triangles(3, a.triangle_count() + b.triangle_count());
  triangles << a.triangles, b.triangles.array() + static_cast<int>(a.vertex_count());
  return make_surface_mesh(vertices, triangles);
}

/// Without the triangles for which remove(t) holds.
template <class Remove>
SurfaceMesh without(const SurfaceMesh& surface, Remove&& remove) {
  std::vector<int> kept;
  for (int t = 0; t < static_cast<int>(surface.triangle_count()); ++t) {
    if (!remove(t)) kept.push_back(t);
  }
  return make_surface_mesh(surface.vertices, Eigen::Matrix3Xi(surface.triangles(Eigen::all, kept)));
}

/// Every triangle with three vertices of its own.
inline SurfaceMesh unshared(const SurfaceMesh& surface) {
  Matrix3X vertices(3, 3 * surface.triangle_count());
  Eigen::Matrix3Xi triangles(3, surface.triangle_count());
  for (int i = 0; i < static_cast<int>(triangles.size()); ++i) {
    vertices.col(i) = surface.vertices.col(surface.triangles(i));
    triangles(i) = i;
  }
  return make_surface_mesh(vertices, triangles);
}

/// A point in the box [-half, half]^3.
inline Vector3 random_point(Random& random, double half) {
  const double x = random.uniform(-half, half);
  const double y = random.uniform(-half, half);
  return {x, y, random.uniform(-half, half)};
}

}  // namespace limber::test
