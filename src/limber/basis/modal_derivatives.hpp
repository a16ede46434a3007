#pragma once

#include "limber/base/progress.hpp"
#include "limber/basis/linear_modes.hpp"

namespace limber {

/// Directional derivatives of the linear modes along each other: the second-order part of  u(p) = Psi p + 1/2
/// Phi pp.
struct ModalDerivatives {
  Matrix shapes;  ///< dofs x pair_count(k); column pair_index(i, j), i >= j, is Phi_ij (pairs.hpp)
  SolveReport report;
};

/// Solves  K Phi_ij = -(H : Psi_i) Psi_j  for all pairs i >= j of the given modes. [Barbic & James 2005, Eq.
/// 14] Symmetric, inertia being neglected. For bodies that are not held it is the self-equilibrated solution
/// (RestStiffness): paper 004's Eq. 3 in the place of paper 000's Eq. 29, which needs one indefinite solve
/// for each i and is not symmetric. modes: dofs x k, elastic ones.  The right-hand sides of all pairs are
/// built in one pass over the elements.
ModalDerivatives compute_modal_derivatives(RestStiffness& rest, const Eigen::Ref<const Matrix>& modes,
                                           const Progress& progress = {});

/// The vectors whose mass-PCA is the basis, dofs x (k + pair_count(k)): [Barbic & James 2005, Eq. 16]
/// lambda_1 / lambda_j Psi_j  and  lambda_1^2 / (lambda_i lambda_j) Phi_ij.
/// modes: elastic ones, dofs x k.  eigenvalues: k, > 0.  derivatives: dofs x pair_count(k), or no columns for
/// none.
Matrix scale_modes_and_derivatives(const Eigen::Ref<const Matrix>& modes, const VectorRef& eigenvalues,
                                   const Eigen::Ref<const Matrix>& derivatives);

}  // namespace limber
