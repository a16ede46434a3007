#pragma once

#include "limber/linalg/solve_report.hpp"
#include "limber/reduced/absolute_solver.hpp"

#include <Eigen/Cholesky>

#include <cmath>

namespace limber {

/// Solves with a symmetric matrix by Cholesky's factor, or with the absolute values of its eigenvalues where
/// it is not positive definite.  Cost: O(r^3). Allocates nothing once it has been used for a matrix of the
/// same size.
class DefiniteFactor {
 public:
  /// floor: eigenvalues of a matrix that is not positive definite are taken for that at least, see
  /// AbsoluteSolver.
  SolveReport compute(const Matrix& A, double floor) {
    cholesky_.compute(A);
    // A pivot that is no number makes all later ones so, without LLT noticing.
    indefinite_ =
        cholesky_.info() != Eigen::Success || !std::isfinite(cholesky_.matrixLLT().diagonal().sum());
    if (!indefinite_) return {};
    if (!A.allFinite()) return {SolveStatus::not_finite, 0, 0.0};
    const bool found = absolute_.compute(A, floor, smallest_eigenvalue);
    return {found ? SolveStatus::converged : SolveStatus::not_positive_definite, 0, 0.0};
  }

  /// x = A^-1 b, or |A|^-1 b. They may be the same vector.
  void solve(const Vector& b, Vector& x) {
    if (indefinite_) {
      absolute_.solve(b, x);
    } else {
      x = b;
      cholesky_.solveInPlace(x);
    }
  }

  [[nodiscard]] bool indefinite() const { return indefinite_; }

 private:
  /// Smallest eigenvalue as a share of the largest: below it, rounding decides the sign.
  static constexpr double smallest_eigenvalue = 1e-10;

  // A factor that has computed nothing must not be copied: its state is not set.
  Eigen::LLT<Matrix> cholesky_{Matrix::Identity(1, 1)};
  AbsoluteSolver absolute_;
  bool indefinite_ = false;
};

}  // namespace limber
