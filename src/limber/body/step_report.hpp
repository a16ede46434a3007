#pragma once

#include "limber/linalg/solve_report.hpp"

namespace limber {

/// What one step did, of one body or summed over several.
struct [[nodiscard]] StepReport : SolveReport {
  double smallest_volume_ratio = 1.0;  ///< of equilibria: at most 0 where an element ended up inverted
  int load_steps = 0;                  ///< of equilibria
  int rescued_steps = 0;               ///< how many were rescued (integrators/energy_guard.hpp)
};

}  // namespace limber
