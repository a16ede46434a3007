#pragma once

#include "limber/contact/surface_distance.hpp"
#include "limber/mesh/bvh.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <string_view>

namespace limber {

/// A solid within closed triangles, by which bodies are stopped: exact distances, told inside from outside by
/// the normal of the nearest triangle, edge or vertex, weighted by angles.     [Baerentzen & Aanaes 2005]
class MeshShape {
 public:
  /// Throws Error for a surface that is not closed or not turned outwards, naming an edge where that is so.
  /// where: names it in messages.
  MeshShape(const SurfaceMesh& surface, std::string_view where);

  [[nodiscard]] SurfaceDistance distance(const Vector3& x) const;  ///< O(log triangles)
  [[nodiscard]] const BoundingBox& bounds() const { return bounds_; }
  [[nodiscard]] const Matrix3X& vertices() const { return vertices_; }
  [[nodiscard]] const Eigen::Matrix3Xi& triangles() const { return triangles_; }

 private:
  [[nodiscard]] Vector3 normal_at(int triangle, const Vector3& barycentric) const;

  Matrix3X vertices_;
  Eigen::Matrix3Xi triangles_;
  Matrix3X normals_;         ///< of triangles
  Matrix3X vertex_normals_;  ///< weighted by angles
  Matrix3X edge_normals_;    ///< 3 x 3 t: across from each corner, sums of the two triangles' there
  Bvh tree_;
  BoundingBox bounds_;
};

}  // namespace limber
