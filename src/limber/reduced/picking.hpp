#pragma once

#include "limber/linalg/types.hpp"

#include <optional>

namespace limber {

struct Pick {
  int vertex = -1;
  double distance = 0.0;  ///< along the ray, in lengths of `direction`
  bool hit = false;       ///< the ray meets the surface; else it passes by
};

/// The vertex that a person means who points along a ray: of the first triangle that the ray meets, from
/// either side, the corner nearest to where it does; where it meets none, the corner nearest to the ray and
/// not behind its origin. Nothing where there is none such. O(triangles), without preparation: the surface
/// moves.
/// Throws Error for a direction that is zero or not finite.
std::optional<Pick> pick_vertex(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles,
                                const Vector3& origin, const Vector3& direction);

}  // namespace limber
