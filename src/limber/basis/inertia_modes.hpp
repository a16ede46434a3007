#pragma once

#include "limber/base/progress.hpp"
#include "limber/basis/reduced_gram_schmidt.hpp"
#include "limber/basis/rest_stiffness.hpp"

namespace limber {

enum class Orthogonalization {
  full,     ///< block Gram-Schmidt in the inner product of M (KrylovBasis): orthonormal to rounding
  reduced,  ///< Gram-Schmidt on samples of the mass, small products left out  [Yang et al. 2015, Algorithm 2]
};

struct InertiaModesOptions {
  /// U^(0), dofs x s: motions whose inertia forces load the body first; no columns: inertia_start().
  Matrix start;
  Orthogonalization orthogonalization = Orthogonalization::full;
  ReducedGramSchmidtOptions reduced{};
  Progress progress{};
};

/// A subspace of a body's small motions from a few solves: not modes, but it holds the lowest ones well.
struct InertiaModes {
  /// dofs x count, mass-orthonormal (nearly so for the reduced orthogonalization), without rigid motion.
  Matrix shapes;
  ReducedGramSchmidtReport reduced;  ///< of the reduced orthogonalization
  SolveReport report;                ///< iterations: block solves
};

/// Linear inertia modes: the block Krylov space  U^(m) = K^-1 M U^(m-1).     [Yang et al. 2015, Eq. 2 and 3]
/// Each block is orthogonalised against all vectors before it, then the next one follows from it; the last
/// one is cut to `count`. Columns that add nothing new (by symmetry, say) are dropped; where a whole block
/// adds nothing, fewer shapes than asked for come back.
/// Throws Error for counts that the body has not, for a start of wrong size or that holds rigid motion alone.
/// Cost: count / s block solves and O(dofs count^2).
InertiaModes compute_inertia_modes(RestStiffness& rest, Index count, const InertiaModesOptions& options = {});

/// The start block where none is given, mass-orthonormal.
/// Held: the six rigid motions of each connected part, of the body as in the paper where it has one.
/// Otherwise inertia forces of (some) rigid motions do not strain the body: for each connected part all
/// displacement fields of up to second degree, less the rigid motions that are free. That is stretch, shear,
/// bending and twisting: dofs x 24 for a free body of one part, fewer where it is too coarse to tell them
/// apart.
Matrix inertia_start(const RestStiffness& rest);

/// Rayleigh-Ritz in the span of some vectors: the combinations that come nearest to vibration modes.
struct RitzModes {
  Vector eigenvalues;  ///< omega^2, rad^2/s^2, ascending; upper bounds of the true ones
  Matrix shapes;       ///< dofs x count, mass-orthonormal
};
/// vectors: dofs x k, independent, not necessarily orthonormal.  count <= k: the lowest ones.
/// Throws Error where the vectors span fewer dimensions than that.  Cost O(dofs k^2).
RitzModes rayleigh_ritz(const RestStiffness& rest, const Eigen::Ref<const Matrix>& vectors, Index count);

}  // namespace limber
