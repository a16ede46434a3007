#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace limber::test {

/// The sum of the solid angles of all triangles over 4 pi: what SurfaceQuery approximates.
///                                                                         [van Oosterom & Strackee 1983]
inline double exact_winding_number(const SurfaceMesh& surface, const Vector3& point) {
  double sum = 0.0;
  for (const auto& triangle : surface.triangles.colwise()) {
    const Vector3 a = surface.vertices.col(triangle(0)) - point;
    const Vector3 b = surface.vertices.col(triangle(1)) - point;
    const Vector3 c = surface.vertices.col(triangle(2)) - point;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return 0.5 * std::numbers::inv_pi * sum;
}

}  // namespace limber::test
