#pragma once

#include "limber/reduced/elasticity.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <span>

namespace limber {

/// The equations of motion of a reduced model for chosen materials and rank:
///
///   M q'' + D(q, q') + f(q) = f_ext,     M = U^T M U,  f(q) = U^T f(U q).          [Barbic & James 2005, Eq. 4-7]
///
/// Constant after construction. Making it costs a sum over the coefficients of all regions (0.2 ms at r =
/// 30), so materials can be edited and vectors dropped while a program runs.
struct ReducedEquations {
  Index rank = 0;           ///< r', coordinates in use: the first ones
  Elasticity elastic;       ///< W(q), f(q), K(q)
  Matrix mass;              ///< r' x r', the identity where the basis is mass-orthonormal for these densities
  Eigen::MatrixX3d weight;  ///< r' x 3: the force of a uniform acceleration g is weight * g, N
};

/// The coefficients of the whole energy for these materials: sum over regions of lambda * lambda_energy + mu
/// * mu_energy, of the first `rank` coordinates. For models with exact forces; the materials must be St.
/// Venant-Kirchhoff.
Vector energy_coefficients(const ReducedModel& model, std::span<const Material> materials, Index rank);

/// materials: one per region; of any law for a model with cubature, whose error is known for those that it
/// was trained with alone. rank: 1 to model.rank.  Throws Error for wrong counts and impossible materials.
ReducedEquations make_equations(const ReducedModel& model, std::span<const Material> materials, Index rank);

/// As the model was made.
ReducedEquations make_equations(const ReducedModel& model);

/// The same body with the forces of its stiffness at rest, f = K(0) q (the symmetric part of df/dq where that
/// is not symmetric): mass and weight stay. [Barbic & James 2005, section 5.2]
ReducedEquations linearized(const ReducedEquations& equations);

/// Vibrations of the reduced model about its rest shape: K(0) s = (2 pi f)^2 M s.
struct NaturalModes {
  Vector frequencies;  ///< r', Hz, ascending
  Matrix shapes;       ///< r' x r', a column each: S^T M S = I, the entry of largest size positive
};

/// Cost O(r^3). Throws Error where the eigenvalues do not converge.
NaturalModes natural_modes(const ReducedEquations& equations);

/// Natural frequencies of the reduced model about its rest shape, Hz, ascending (r').
Vector natural_frequencies(const ReducedEquations& equations);

}  // namespace limber
