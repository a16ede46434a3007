#pragma once

#include "limber/basis/rest_stiffness.hpp"

namespace limber {

// Shapes under loads are compared by the elastic energy that they hold, x^T K x, with K = K(0): a shape
// x = K^-1 f of a load f holds the work f^T x, which is the compliance that the load meets. In a subspace U
// the same load meets
//
//   (U^T f)^T (U^T K U)^-1 (U^T f) = |P x|_K^2,     P: the projection onto U, orthogonal in K,
//
// so that the share of the energy of x that U holds is the share of the true compliance that a body in this
// subspace has. The mass metric says nothing of that: a dent has next to no mass.

/// Share of the energy of each shape that a subspace holds, s numbers from 0 to 1.
/// U: dofs x r, independent, without motions that strain nothing; r may be 0.  shapes: dofs x s, of any
/// lengths; 1 for one without energy.  Throws Error where U^T K U is not positive definite.
/// Cost O(dofs (r + s) r).
Vector held_energy(const RestStiffness& rest, const Eigen::Ref<const Matrix>& U,
                   const Eigen::Ref<const Matrix>& shapes);

/// The directions, at most `most`, that together with U hold the most energy of some samples: principal
/// components, in the inner product of K, of what U does not hold of them. The most important comes first.
/// Those below 1e-10 of all energy are left out.  U: as above.  samples: dofs x s, which may be scaled by
/// their importance; without motions that strain nothing.
/// Returns dofs x k, K-orthogonal to U and to each other, of energy 1.  Cost O(dofs s (r + s) + s^3).
Matrix energy_directions(const RestStiffness& rest, const Eigen::Ref<const Matrix>& U,
                         const Eigen::Ref<const Matrix>& samples, Index most);

}  // namespace limber
