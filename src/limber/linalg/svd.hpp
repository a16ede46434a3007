#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// The left half of the singular value decomposition A = U diag(s) V^T.  A: m x n.  k = min(m, n).
struct LeftSingularVectors {
  Matrix U;       ///< m x k, orthonormal columns
  Vector values;  ///< s, k, descending
};

/// By dividing and conquering: for large matrices. Cost O(m n^2). complete: U is m x m, the columns beyond k
/// span what A does not reach.
LeftSingularVectors left_singular_vectors(const Eigen::Ref<const Matrix>& A, bool complete = false);

/// Turns the columns of A (m x n) until they are orthogonal, by Jacobi's rotations from the right
/// [Hestenes 1958]: A becomes A V = U diag(s). The singular values, the lengths of the columns, come in no
/// order, the small ones of few columns as exactly as the large ones. Allocates nothing. Cost some 10 m n^2.
/// turns: n x n, becomes V.
void orthogonalize_columns(Eigen::Ref<Matrix> A, Eigen::Ref<Matrix> turns);

}  // namespace limber
