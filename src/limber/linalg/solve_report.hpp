#pragma once

#include <string_view>

namespace limber {

enum class SolveStatus {
  converged,
  not_positive_definite,  ///< the matrix has a pivot that is zero or negative
  not_converged,          ///< the iteration limit was reached
  not_finite,             ///< the numbers left the range of double
  out_of_memory,          ///< the factor does not fit
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
    case SolveStatus::out_of_memory:
      return "out of memory";
  }
  return "unknown";
}

/// The outcome of a solve, linear or not. A failure to converge is an outcome, not an exception.
struct [[nodiscard]] SolveReport {
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  double residual = 0.0;  ///< relative; what it is relative to, each solver says
  bool rescued = false;   ///< of a time step: it would have gained energy, or could not be solved
                          ///< (integrators/energy_guard.hpp)
  bool unsolved = false;  ///< of one that was rescued: it could not be solved

  [[nodiscard]] bool ok() const { return status == SolveStatus::converged; }
};

}  // namespace limber
