#pragma once

#include "limber/linalg/solve_report.hpp"

#include <algorithm>

namespace limber {

/// The step of step_by_halves(), or a part of it.  given_up: a part could not be solved, however short. What
/// follows it is not halved for long in vain again.
template <class Advance>
SolveReport halved_step(const Advance& advance, double h, int halvings, bool& given_up) {
  const bool last = given_up || halvings <= 0;
  const SolveReport whole = advance(h, last);
  given_up = given_up || whole.unsolved;
  if (whole.ok() || last) return whole;
  SolveReport total = halved_step(advance, 0.5 * h, halvings - 1, given_up);
  if (total.ok()) {
    const SolveReport second = halved_step(advance, 0.5 * h, halvings - 1, given_up);
    total = {second.status, total.iterations + second.iterations, std::max(total.residual, second.residual),
             total.rescued || second.rescued, total.unsolved || second.unsolved};
  }
  total.iterations += whole.iterations;
  return total;
}

/// Takes a step of h seconds by advance(h, last), which moves some state on or fails and leaves it; where it
/// fails, as two half steps, these again by halves where they fail, `halvings` times at most. last: no
/// shorter part will be tried, so that advance may take what it cannot solve as it can, and report that as
/// `unsolved`. A failure may leave the state on the way: whoever calls goes back. Iterations in the report:
/// of all attempts.
template <class Advance>
SolveReport step_by_halves(const Advance& advance, double h, int halvings) {
  bool given_up = false;
  return halved_step(advance, h, halvings, given_up);
}

}  // namespace limber
