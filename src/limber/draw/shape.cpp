#include "limber/draw/shape.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace limber {

namespace {

/// The sides of triangles that are edges of elements, each once.
Eigen::Matrix2Xi element_edges(const Eigen::Matrix3Xi& triangles, ElementKind kind) {
  std::vector<std::pair<int, int>> edges;
  for (Index t = 0; t < triangles.cols(); ++t) {
    for (int side = 0; side < 3; ++side) {
      // The triangles (a b c), (a c d) of a brick's face meet in a diagonal: the last side of the even ones,
      // the first side of the odd ones.
      if (kind == ElementKind::brick && side == (t % 2 == 0 ? 2 : 0)) continue;
      edges.push_back(std::minmax({triangles(side, t), triangles((side + 1) % 3, t)}));
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Eigen::Matrix2Xi list(2, static_cast<Index>(edges.size()));
  for (Index e = 0; e < list.cols(); ++e) {
    list.col(e) << edges[static_cast<std::size_t>(e)].first, edges[static_cast<std::size_t>(e)].second;
  }
  return list;
}

}  // namespace

Shape make_shape(const VolumeMesh& mesh, const Matrix3X& displacement) {
  require(displacement.cols() == 0 || displacement.cols() == mesh.vertex_count(),
          "displacement has {} columns, the mesh needs {} (one per vertex)", displacement.cols(),
          mesh.vertex_count());
  Shape shape;
  shape.vertices = mesh.vertices;
  if (displacement.cols() > 0) shape.vertices += displacement;
  shape.triangles = boundary_triangles(mesh);
  shape.edge_list = element_edges(shape.triangles, mesh.kind);
  return shape;
}

Shape make_shape(const Matrix3X& vertices, const Eigen::Matrix3Xi& faces, ElementKind kind) {
  Shape shape;
  shape.triangles = faces;
  std::vector<int> number(static_cast<std::size_t>(vertices.cols()), -1);
  std::vector<Index> used;
  for (int& v : shape.triangles.reshaped()) {
    int& renumbered = number[static_cast<std::size_t>(v)];
    if (renumbered < 0) {
      renumbered = static_cast<int>(used.size());
      used.push_back(v);
    }
    v = renumbered;
  }
  shape.vertices = vertices(Eigen::all, used);
  shape.edge_list = element_edges(shape.triangles, kind);
  return shape;
}

void check_shape(const Shape& shape) {
  const Index n = shape.vertices.cols();
  require(shape.values.size() == 0 || shape.values.size() == n,
          "shape has {} values for {} vertices, expected one each or none", shape.values.size(), n);
  require(shape.opacity >= 0.0 && shape.opacity <= 1.0, "shape has the opacity {}, expected 0 to 1",
          shape.opacity);
  require(shape.color.allFinite(), "shape has the colour ({}, {}, {}), expected numbers from 0 to 1",
          shape.color.x(), shape.color.y(), shape.color.z());
  for (const int v : shape.triangles.reshaped()) {
    require(v >= 0 && v < n, "a triangle names vertex {}, but the shape has vertices 0 to {}", v, n - 1);
  }
  if (!shape.edge_list) return;
  for (const int v : shape.edge_list->reshaped()) {
    require(v >= 0 && v < n, "an edge names vertex {}, but the shape has vertices 0 to {}", v, n - 1);
  }
}

}  // namespace limber
