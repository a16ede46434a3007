#pragma once

#include "limber/linalg/solve_report.hpp"

#include <algorithm>

namespace limber {

/// Takes a step of h seconds by advance(h), which moves some state on or fails and leaves it; where it fails,
/// as two half steps, these again by halves where they fail, `halvings` times at most. A failure may leave
/// the state on the way: whoever calls goes back. Iterations in the report: of all attempts.
template <class Advance>
SolveReport step_by_halves(const Advance& advance, double h, int halvings) {
  const SolveReport whole = advance(h);
  if (whole.ok() || halvings <= 0) return whole;
  SolveReport total = step_by_halves(advance, 0.5 * h, halvings - 1);
  if (total.ok()) {
    const SolveReport second = step_by_halves(advance, 0.5 * h, halvings - 1);
    total = {second.status, total.iterations + second.iterations, std::max(total.residual, second.residual),
             total.rescued || second.rescued};
  }
  total.iterations += whole.iterations;
  return total;
}

}  // namespace limber
