#pragma once

#include "limber/multidomain/coupled_step.hpp"

#include <algorithm>
#include <vector>

namespace limber {

/// A step in velocities of a body with far more unknowns than are touched, as the others see it: what is not
/// touched follows from what is. Of a body that flies the unknowns are velocities beside its motion as a
/// whole, and those of that come behind them: the velocity of its centre of mass and its angular velocity.
struct CondensedStep {
  std::vector<int> unknowns;         ///< of the body, that are touched, ascending, each once
  bool flies = false;                ///< whether six more move it as a whole
  Vector3 center = Vector3::Zero();  ///< of mass, of a body that flies, m
  CoupledStep step;                  ///< in these alone

  /// Where an unknown of the body stands among these.
  [[nodiscard]] Index index_of(int unknown) const {
    return std::lower_bound(unknowns.begin(), unknowns.end(), unknown) - unknowns.begin();
  }
};

}  // namespace limber
