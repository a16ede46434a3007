#pragma once

namespace limber {

/// Which constraints are met first; the others as well as is possible then. [Choi & Ko 2005, section V-C]
enum class ConstraintPriority { position, orientation };

struct ConstraintReport {
  bool met = true;                 ///< all constraints to the tolerances
  int iterations = 0;              ///< of the nonlinear solve
  double position_error = 0.0;     ///< largest distance from a target, m
  double orientation_error = 0.0;  ///< largest angle from a target, rad
  bool rescued = false;  ///< the step was taken anew by one that damps (integrators/energy_guard.hpp)
};

}  // namespace limber
