#pragma once

#include "limber/linalg/types.hpp"

#include <memory>

namespace limber {

/// Solves with |A|, the symmetric matrix A with the absolute values of its eigenvalues: what Newton's
/// iteration takes for a matrix that is not positive definite, so that its step descends.
///
///   A = Q T Q^T, T tridiagonal, Q a product of reflections;  T = V diag(t) V^T;  |A|^-1 = Q V diag(1 / |t|) V^T Q^T.
///
/// Cost: O(r^3). Allocates nothing once it has been used for a matrix of the same size (Eigen's own solver
/// for full matrices does).
class AbsoluteSolver {
 public:
  AbsoluteSolver();
  ~AbsoluteSolver();
  AbsoluteSolver(const AbsoluteSolver& other);
  AbsoluteSolver& operator=(const AbsoluteSolver& other);
  AbsoluteSolver(AbsoluteSolver&& other) noexcept;
  AbsoluteSolver& operator=(AbsoluteSolver&& other) noexcept;

  /// Eigenvalues smaller than `floor`, or than the share `relative_floor` of the largest one, are taken for
  /// that. Returns whether the eigenvalues were found and are not all zero.
  bool compute(const Matrix& A, double floor, double relative_floor);

  /// x = |A|^-1 b.
  void solve(const Vector& b, Vector& x);

 private:
  struct Spectrum;
  std::unique_ptr<Spectrum> spectrum_;  ///< made by the first compute()
};

}  // namespace limber
