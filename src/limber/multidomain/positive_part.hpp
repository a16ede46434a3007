#pragma once

#include "limber/linalg/types.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace limber {

/// Takes negative eigenvalues of a symmetric matrix for zero:
///
///   A = Q T Q^T, T tridiagonal, Q a product of reflections;  T = V diag(t) V^T;  A+ = (Q V) diag(max(t, 0)) (Q V)^T.
///
/// Cost: O(r^3). Allocates nothing once it has been used for a matrix of the same size (Eigen's own solver
/// for full matrices does).
class PositivePart {
 public:
  /// A: finite; its lower triangle is read.
  void take(Matrix& A) {
    const Index n = A.rows();
    if (n == 1) {  // Eigen wants two rows to reflect
      A(0, 0) = std::max(A(0, 0), 0.0);
      return;
    }
    reflections_.compute(A);
    diagonal_ = reflections_.diagonal();
    subdiagonal_ = reflections_.subDiagonal();
    eigen_.computeFromTridiagonal(diagonal_, subdiagonal_);
    vectors_ = eigen_.eigenvectors();
    for (Index i = n - 2; i >= 0; --i) reflect(i);
    diagonal_ = eigen_.eigenvalues().cwiseMax(0.0);
    A.setZero();
    for (Index k = 0; k < n; ++k)
      if (diagonal_(k) > 0.0)
        A.noalias() += diagonal_(k) * vectors_.col(k).lazyProduct(vectors_.col(k).transpose());
  }

 private:
  /// x -= 2 (v . x) / (v . v) v for each vector x, where v is zero up to row i, one in row i + 1, and then
  /// stands in column i of the packed matrix; nothing where it has no more than that one entry.
  void reflect(Index i) {
    const Index rest = vectors_.rows() - i - 2;
    const auto v = reflections_.packedMatrix().col(i).tail(rest);
    const double size = v.squaredNorm();
    if (size == 0.0) return;
    for (Index k = 0; k < vectors_.cols(); ++k) {
      auto x = vectors_.col(k);
      const double share = 2.0 * (x(i + 1) + v.dot(x.tail(rest))) / (1.0 + size);
      x(i + 1) -= share;
      x.tail(rest) -= share * v;
    }
  }

  Eigen::Tridiagonalization<Matrix> reflections_;
  Eigen::SelfAdjointEigenSolver<Matrix> eigen_;  ///< of T
  Vector diagonal_, subdiagonal_;
  Matrix vectors_;
};

}  // namespace limber
