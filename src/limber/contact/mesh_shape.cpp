#include "limber/contact/mesh_shape.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/triangle_distance.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace limber {
namespace {

/// An edge as its triangle runs through it.
using Edge = std::pair<int, int>;

/// The corner across from each edge, as 3 triangle + corner. Throws Error unless each edge is run through
/// once in each direction.
std::map<Edge, int> closed_edges(const Eigen::Matrix3Xi& triangles, std::string_view where) {
  std::map<Edge, int> edges;
  for (Index t = 0; t < triangles.cols(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const Edge edge{triangles((k + 1) % 3, t), triangles((k + 2) % 3, t)};
      const bool fresh = edges.emplace(edge, static_cast<int>(3 * t) + k).second;
      require(fresh,
              "{}: two triangles run through the edge from vertex {} to {} in the same direction; expected a "
              "closed surface whose triangles are all turned outwards; repair it with limber mesh",
              where, edge.first, edge.second);
    }
  }
  for (const auto& [edge, corner] : edges)
    require(
        edges.contains({edge.second, edge.first}),
        "{}: the surface is open at the edge from vertex {} to {}; expected a closed one, whose inside is "
        "known; close it with limber mesh",
        where, edge.first, edge.second);
  return edges;
}

}  // namespace

MeshShape::MeshShape(const SurfaceMesh& surface, std::string_view where) {
  check_surface(surface, where);
  SurfaceMesh merged = surface;
  merge_vertices(merged);
  vertices_ = merged.vertices;
  triangles_ = merged.triangles;
  const std::map<Edge, int> edges = closed_edges(triangles_, where);
  require(enclosed_volume(merged) > 0.0,
          "{}: the surface encloses a volume of {} m^3; expected one whose triangles are turned outwards, "
          "counter-clockwise as seen from there",
          where, enclosed_volume(merged));
  bounds_ = bounding_box(merged);
  const Index count = triangles_.cols();
  normals_.resize(3, count);
  std::vector<BoundingBox> boxes;
  for (Index t = 0; t < count; ++t) {
    const Vector3 a = vertices_.col(triangles_(0, t)), b = vertices_.col(triangles_(1, t)),
                  c = vertices_.col(triangles_(2, t));
    normals_.col(t) = (b - a).cross(c - a).stableNormalized();
    boxes.push_back({a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c)});
  }
  vertex_normals_ = limber::vertex_normals(vertices_, triangles_);
  edge_normals_.resize(3, 3 * count);
  for (const auto& [edge, corner] : edges) {
    const int other = edges.at({edge.second, edge.first});
    edge_normals_.col(corner) = normals_.col(corner / 3) + normals_.col(other / 3);
  }
  tree_ = Bvh(boxes);
}

/// Of the feature that a point of a triangle lies on: a corner, an edge or its inside.
Vector3 MeshShape::normal_at(int triangle, const Vector3& barycentric) const {
  constexpr double on_it = 1e-9;  // weights below are rounding
  int zeros = 0, zero = 0, largest = 0;
  for (int k = 0; k < 3; ++k) {
    if (barycentric(k) <= on_it) {
      ++zeros;
      zero = k;
    }
    if (barycentric(k) > barycentric(largest)) largest = k;
  }
  if (zeros == 2) return vertex_normals_.col(triangles_(largest, triangle));
  if (zeros == 1) return edge_normals_.col(3 * triangle + zero);
  return normals_.col(triangle);
}

SurfaceDistance MeshShape::distance(const Vector3& x) const {
  const auto closest = [&](int t) {
    return closest_on_triangle(x, vertices_.col(triangles_(0, t)), vertices_.col(triangles_(1, t)),
                               vertices_.col(triangles_(2, t)));
  };
  const int t = tree_.nearest(x, [&](int item) {
    const double d = closest(item).distance;
    return d * d;
  });
  const SurfacePoint found = closest(t);
  const Vector3 way = x - found.position, normal = normal_at(t, found.barycentric);
  const bool inside = way.dot(normal) < 0.0;
  const double size = (bounds_.max - bounds_.min).norm();
  constexpr double on_it = 1e-12;  // of the size: rounding leaves no direction
  if (found.distance <= on_it * size) return {inside ? -found.distance : found.distance, normal.normalized()};
  return inside ? SurfaceDistance{-found.distance, -way / found.distance}
                : SurfaceDistance{found.distance, way / found.distance};
}

}  // namespace limber
