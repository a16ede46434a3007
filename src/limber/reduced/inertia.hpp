#pragma once

#include "limber/reduced/reduced_model.hpp"

#include <span>

namespace limber {

/// Integrals over a body that its inertia needs, in its own coordinates; X: rest position, U_i: mode i; 3 x 3
/// matrices are taken by columns. [Barbic & Zhao 2011, Eq. 20-23]
struct Inertia {
  double mass = 0.0;                 ///< kg
  Vector3 first = Vector3::Zero();   ///< integral of rho X, kg m
  Matrix3 second = Matrix3::Zero();  ///< integral of rho X X^T, kg m^2
  Matrix3X first_rows;               ///< 3 x r, integral of rho U_i, kg m
  Matrix second_rows;                ///< 9 x r: column i is the integral of rho U_i X^T, kg m^2
  Matrix second_pairs;               ///< 9 x r^2: column i + r j is the integral of rho U_i U_j^T, kg m^2
};

/// Of the first `rank` coordinates, for these materials, one per region: only their densities matter. O(r^2).
Inertia inertia_of(const ReducedModel& model, std::span<const Material> materials, Index rank);

/// As the model was made.
Inertia inertia_of(const ReducedModel& model);

}  // namespace limber
