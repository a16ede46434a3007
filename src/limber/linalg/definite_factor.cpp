#include "limber/linalg/definite_factor.hpp"

namespace limber {
namespace {

/// Smallest eigenvalue as a share of the largest: below it, rounding decides the sign.
constexpr double smallest_eigenvalue = 1e-10;

}  // namespace

SolveReport DefiniteFactor::compute(const Matrix& A, double floor) {
  if (cholesky_.compute(A)) return {};
  if (!A.allFinite()) return {SolveStatus::not_finite, 0, 0.0};
  const bool found = absolute_.compute(A, floor, smallest_eigenvalue);
  return {found ? SolveStatus::converged : SolveStatus::not_positive_definite, 0, 0.0};
}

void DefiniteFactor::solve(const Vector& b, Vector& x) {
  if (indefinite()) return absolute_.solve(b, x);
  x = b;
  cholesky_.solve_in_place(x);
}

}  // namespace limber
