#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// The eigenvalues of any square matrix, by the QR algorithm.  A: n x n.  Returns n, in no order; empty where
/// the algorithm does not converge. Cost: about 10 n^3.
Eigen::VectorXcd general_eigenvalues(const Eigen::Ref<const Matrix>& A);

}  // namespace limber
