#pragma once

#include <string_view>

namespace limber {

enum class SolveStatus {
  converged,
  not_positive_definite,  ///< the matrix has a pivot that is zero or negative
  not_converged,          ///< the iteration limit was reached
  not_finite,             ///< the numbers left the range of double
};

constexpr std::string_view name_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::not_positive_definite:
      return "not positive definite";
    case SolveStatus::not_converged:
      return "not converged";
    case SolveStatus::not_finite:
      return "not finite";
  }
  return "unknown";
}

/// Newton's iterations also count as converged when their residual stops falling below this: rounding then hides the rest. (It does
/// so earlier the stiffer a body is: forces are differences of large stresses.) The report tells the residual reached.
inline constexpr double rounding_residual = 1e-6;

/// The outcome of a solve, linear or not. A failure to converge is an outcome, not an exception.
struct [[nodiscard]] SolveReport {
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  double residual = 0.0;  ///< relative; what it is relative to, each solver says

  [[nodiscard]] bool ok() const { return status == SolveStatus::converged; }
};

}  // namespace limber
