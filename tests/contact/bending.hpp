#pragma once

#include "limber/linalg/types.hpp"

#include <cmath>

namespace limber::test {

// Bars along x that bend upwards into arcs, all of them in the span of a few columns: u = sum q_k U_k with U
// = (sin, cos) of the angle along the bar, for one angle; so bending by any share of it is an interpolation.

inline constexpr double bend_angle = 1.0;  ///< rad per m of length, at q = (1, 0)

/// Where a place of a bar goes that is bent to an arc, by so many radians per metre.
inline Vector3 bend(const Vector3& x, double by) {
  const double angle = by * x.x();
  if (std::abs(by) < 1e-12) return x;
  return {std::sin(angle) / by - x.z() * std::sin(angle), x.y(),
          (1.0 - std::cos(angle)) / by + x.z() * std::cos(angle)};
}

/// Two columns that bend by 1 rad/m and by 5 rad/m where their coordinate is 1, and four of waves: 3n x 6.
inline Matrix bending_columns(const Matrix3X& x) {
  Matrix columns(3 * x.cols(), 6);
  for (Index i = 0; i < x.cols(); ++i) {
    columns.block<3, 1>(3 * i, 0) = bend(x.col(i), 1.0) - x.col(i);
    columns.block<3, 1>(3 * i, 1) = bend(x.col(i), 5.0) - x.col(i);
    for (Index k = 2; k < 6; ++k)
      columns.block<3, 1>(3 * i, k) =
          0.1 * std::sin((1.0 + static_cast<double>(k)) * x(0, i)) * Vector3::Unit(k % 3);
  }
  return columns;
}

/// Bends by 1 rad/m, or some of it.
inline Vector bending_coordinates(double share) { return share * Vector::Unit(6, 0); }

}  // namespace limber::test
