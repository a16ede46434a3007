#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// The eigenvalues w and eigenvectors V of a symmetric matrix A (n x n): A V = V diag(w), V^T V = I. Of a
/// pair of symmetric matrices A and M, M positive definite: A V = M V diag(w), V^T M V = I.
struct SymmetricEigen {
  Vector values;   ///< w, n, ascending
  Matrix vectors;  ///< V, n x n, a column each
  /// Whether they were found: not where numbers are not finite, nor where M is not positive definite.
  bool found = false;
};

// All of them read lower triangles alone. Cost: about 9 n^3 with vectors, 4/3 n^3 without; 3 n^3 more for a
// pair.

SymmetricEigen symmetric_eigen(const Eigen::Ref<const Matrix>& A);
SymmetricEigen symmetric_eigen(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& M);

/// The values alone: `vectors` stays empty.
SymmetricEigen symmetric_eigenvalues(const Eigen::Ref<const Matrix>& A);
SymmetricEigen symmetric_eigenvalues(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& M);

/// The same for a 3 x 3 matrix: allocates nothing.
struct SymmetricEigen3 {
  Vector3 values;   ///< ascending
  Matrix3 vectors;  ///< a column each
};
SymmetricEigen3 symmetric_eigen3(const Matrix3& A);

}  // namespace limber
