#pragma once

#include "limber/linalg/solve_report.hpp"

#include <algorithm>

namespace limber {

/// What one step did, of one body or summed over several.
struct [[nodiscard]] StepReport : SolveReport {
  double smallest_volume_ratio = 1.0;  ///< of equilibria: at most 0 where an element ended up inverted
  int load_steps = 0;                  ///< of equilibria
  int rescued_steps = 0;               ///< how many were rescued (integrators/energy_guard.hpp)
};

/// Adds what one body did to what those before it did.
inline void add_report(const StepReport& one, StepReport& total) {
  total.status = one.status;
  total.iterations += one.iterations;
  total.residual = std::max(total.residual, one.residual);
  total.smallest_volume_ratio = std::min(total.smallest_volume_ratio, one.smallest_volume_ratio);
  total.load_steps = std::max(total.load_steps, one.load_steps);
  total.rescued_steps += one.rescued ? 1 : 0;
  total.rescued = total.rescued || one.rescued;
  total.unsolved = total.unsolved || one.unsolved;
}

}  // namespace limber
