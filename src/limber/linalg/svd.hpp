#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// The singular value decomposition A = U diag(s) V^T.  A: m x n.  k = min(m, n).
struct Svd {
  Matrix U;       ///< m x k, orthonormal columns
  Vector values;  ///< s, k, descending
  Matrix V;       ///< n x k, orthonormal columns
};

/// By Jacobi's rotations: accurate to the last digits of the small values too. For matrices of up to a
/// hundred columns; cost O(m n^2), ten times that of left_singular_vectors().
Svd jacobi_svd(const Eigen::Ref<const Matrix>& A);

/// U and s alone (V stays empty), by dividing and conquering: for large matrices. Cost O(m n^2). complete: U
/// is m x m, the columns beyond k span what A does not reach.
Svd left_singular_vectors(const Eigen::Ref<const Matrix>& A, bool complete = false);

}  // namespace limber
