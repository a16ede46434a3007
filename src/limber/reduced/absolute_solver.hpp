#pragma once

#include "limber/linalg/types.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace limber {

/// Solves with |A|, the symmetric matrix A with the absolute values of its eigenvalues: what Newton's iteration takes for a
/// matrix that is not positive definite, so that its step descends.
///
///   A = Q T Q^T, T tridiagonal, Q a product of reflections;  T = V diag(t) V^T;  |A|^-1 = Q V diag(1 / |t|) V^T Q^T.
///
/// Cost: O(r^3). Allocates nothing once it has been used for a matrix of the same size (Eigen's own solver for full matrices does).
class AbsoluteSolver {
 public:
  /// Eigenvalues smaller than `floor`, or than the share `relative_floor` of the largest one, are taken for that.
  /// Returns whether the eigenvalues were found and are not all zero.
  bool compute(const Matrix& A, double floor, double relative_floor) {
    if (A.rows() == 1) {  // Eigen wants two rows to reflect
      diagonal_ = A.col(0);
      subdiagonal_.resize(0);
    } else {
      reflections_.compute(A);
      diagonal_ = reflections_.diagonal();
      subdiagonal_ = reflections_.subDiagonal();
    }
    spectrum_.computeFromTridiagonal(diagonal_, subdiagonal_);
    if (spectrum_.info() != Eigen::Success) return false;
    inverse_ = spectrum_.eigenvalues().cwiseAbs();
    floor = std::max(floor, relative_floor * inverse_.maxCoeff());
    inverse_ = inverse_.cwiseMax(floor).cwiseInverse();
    return floor > 0.0;
  }

  /// x = |A|^-1 b.
  void solve(const Vector& b, Vector& x) {
    x = b;
    for (Index i = 0; i + 1 < x.size(); ++i) reflect(i, x);
    projection_.noalias() = spectrum_.eigenvectors().transpose() * x;
    projection_.array() *= inverse_.array();
    x.noalias() = spectrum_.eigenvectors() * projection_;
    for (Index i = x.size() - 2; i >= 0; --i) reflect(i, x);
  }

 private:
  /// x -= 2 (v . x) / (v . v) v, where v is zero up to row i, one in row i + 1, and then stands in column i of the packed matrix;
  /// nothing where it has no more than that one entry. (Eigen knows 2 / (v . v), but hands it out by allocating.)
  void reflect(Index i, Vector& x) const {
    const Index rest = x.size() - i - 2;
    const auto v = reflections_.packedMatrix().col(i).tail(rest);
    const double size = v.squaredNorm();
    if (size == 0.0) return;
    const double share = 2.0 * (x(i + 1) + v.dot(x.tail(rest))) / (1.0 + size);
    x(i + 1) -= share;
    x.tail(rest) -= share * v;
  }

  Eigen::Tridiagonalization<Matrix> reflections_;
  Eigen::SelfAdjointEigenSolver<Matrix> spectrum_;
  Vector diagonal_, subdiagonal_, inverse_, projection_;
};

}  // namespace limber
