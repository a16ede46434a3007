#pragma once

#include "limber/basis/linear_modes.hpp"
#include "limber/linalg/pairs.hpp"

namespace limber::test {

// Bases of modes and their derivatives as in the paper: the reference for compute_derivative_family().

/// Directional derivatives of the linear modes along each other: the second-order part of  u(p) = Psi p + 1/2
/// Phi pp.
struct ModalDerivatives {
  Matrix shapes;  ///< dofs x pair_count(k); column pair_index(i, j), i >= j, is Phi_ij (pairs.hpp)
  SolveReport report;
};

/// Solves  K Phi_ij = -(H : Psi_i) Psi_j  for all pairs i >= j of the given modes. [Barbic & James 2005, Eq.
/// 14] Symmetric, inertia being neglected. For bodies that are not held it is the self-equilibrated solution
/// (RestStiffness): paper 004's Eq. 3 in the place of paper 000's Eq. 29, which needs one indefinite solve
/// for each i and is not symmetric. modes: dofs x k, elastic ones.
inline ModalDerivatives compute_modal_derivatives(RestStiffness& rest,
                                                  const Eigen::Ref<const Matrix>& modes) {
  Matrix loads;
  rest.model().stiffness_derivative_products(Vector::Zero(rest.model().dof_count()), modes, loads);
  loads = -loads;
  ModalDerivatives derivatives;
  derivatives.shapes.resize(loads.rows(), loads.cols());
  derivatives.report = rest.solve(loads, derivatives.shapes);
  return derivatives;
}

/// The vectors whose mass-PCA is the basis, dofs x (k + pair_count(k)): [Barbic & James 2005, Eq. 16]
/// lambda_1 / lambda_j Psi_j  and  lambda_1^2 / (lambda_i lambda_j) Phi_ij.
/// modes: elastic ones, dofs x k.  eigenvalues: k, > 0.  derivatives: dofs x pair_count(k).
inline Matrix scale_modes_and_derivatives(const Matrix& modes, const Vector& eigenvalues,
                                          const Matrix& derivatives) {
  const Index k = modes.cols();
  Matrix scaled(modes.rows(), k + derivatives.cols());
  const Vector weights = eigenvalues.minCoeff() * eigenvalues.cwiseInverse();
  scaled.leftCols(k) = modes * weights.asDiagonal();
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j <= i; ++j)
      scaled.col(k + pair_index(i, j)) = weights(i) * weights(j) * derivatives.col(pair_index(i, j));
  }
  return scaled;
}

}  // namespace limber::test
