#pragma once

#include "limber/linalg/cholesky.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/symmetric_spectrum.hpp"

namespace limber {

/// Solves with a symmetric matrix by Cholesky's factor, or with the absolute values of its eigenvalues where
/// it is not positive definite.  Cost: O(r^3). Allocates nothing once it has been used for a matrix of the
/// same size.
class DefiniteFactor {
 public:
  /// floor: eigenvalues of a matrix that is not positive definite are taken for that at least, see
  /// AbsoluteSolver.
  SolveReport compute(const Matrix& A, double floor);

  /// x = A^-1 b, or |A|^-1 b. They may be the same vector.
  void solve(const Vector& b, Vector& x);

  [[nodiscard]] bool indefinite() const { return !cholesky_.ok(); }

 private:
  Cholesky cholesky_;
  AbsoluteSolver absolute_;  ///< where that is not ok
};

}  // namespace limber
