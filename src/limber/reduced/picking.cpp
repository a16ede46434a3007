#include "limber/reduced/picking.hpp"

#include "limber/base/error.hpp"

#include <Eigen/Geometry>

#include <limits>

namespace limber {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far outside of a triangle, as a share of its size, a ray still meets it: rounding must open no gap
/// between neighbours.
constexpr double edge_tolerance = 1e-12;

/// Where origin + t direction meets a triangle, t >= 0; infinity where it does not. [Moller & Trumbore 1997]
double meet(const Vector3& origin, const Vector3& direction, const Vector3& a, const Vector3& b,
            const Vector3& c) {
  const Vector3 left = b - a, right = c - a;
  const Vector3 normal = direction.cross(right);
  const double determinant = left.dot(normal);
  if (!(determinant != 0.0)) return infinity;  // seen from the side, or no triangle
  const Vector3 offset = origin - a, turned = offset.cross(left);
  const double u = offset.dot(normal) / determinant, v = direction.dot(turned) / determinant;
  const double t = right.dot(turned) / determinant;
  const bool inside = u >= -edge_tolerance && v >= -edge_tolerance && u + v <= 1.0 + edge_tolerance;
  return inside && t >= 0.0 ? t : infinity;
}

std::optional<Pick> nearest_corner_of_hit(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles,
                                          const Vector3& origin, const Vector3& direction) {
  double first = infinity;
  Index hit = -1;
  for (Index t = 0; t < triangles.cols(); ++t) {
    const double distance = meet(origin, direction, positions.col(triangles(0, t)),
                                 positions.col(triangles(1, t)), positions.col(triangles(2, t)));
    if (distance < first) {
      first = distance;
      hit = t;
    }
  }
  if (hit < 0) return std::nullopt;
  const Vector3 point = origin + first * direction;
  int nearest = 0;
  (positions(Eigen::all, triangles.col(hit)).colwise() - point).colwise().squaredNorm().minCoeff(&nearest);
  return Pick{triangles(nearest, hit), first, true};
}

std::optional<Pick> nearest_to_ray(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles,
                                   const Vector3& origin, const Vector3& direction) {
  Pick pick;
  double nearest = infinity;
  for (const int vertex : triangles.reshaped()) {
    const Vector3 offset = positions.col(vertex) - origin;
    const double along = offset.dot(direction) / direction.squaredNorm();
    if (!(along >= 0.0)) continue;
    const double distance = (offset - along * direction).squaredNorm();
    if (distance < nearest) {
      nearest = distance;
      pick = {vertex, along, false};
    }
  }
  return pick.vertex < 0 ? std::nullopt : std::optional<Pick>(pick);
}

}  // namespace

std::optional<Pick> pick_vertex(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles,
                                const Vector3& origin, const Vector3& direction) {
  require(direction.allFinite() && direction.squaredNorm() > 0.0,
          "the ray points along ({}, {}, {}), expected a finite direction that is not zero", direction.x(),
          direction.y(), direction.z());
  const std::optional<Pick> hit = nearest_corner_of_hit(positions, triangles, origin, direction);
  return hit ? hit : nearest_to_ray(positions, triangles, origin, direction);
}

}  // namespace limber
