#pragma once

#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/scene/scene.hpp"

#include <optional>
#include <string>
#include <vector>

namespace limber::app {

/// The motion of the one body of a scene.
struct ComparedMotion {
  std::string name;
  Index unknowns = 0;
  std::vector<Matrix3X> fields;  ///< displacements, 3 x n, of each step
  double setup_seconds = 0.0;
  double seconds_per_step = 0.0;
  std::optional<Vector> frequencies_hz;  ///< lowest natural ones, where trees of domains are compared
  std::optional<InterfaceGap> gap;       ///< of a tree of domains, the largest
};

/// Runs a scene, with progress on standard error. Throws Failure where a step fails.
ComparedMotion run_motion(const Scene& scene, const std::string& name);

/// Lowest natural frequencies of the full model of its body, Hz, without rigid motions. Throws Failure where
/// they are not found.
Vector full_frequencies(const Scene& scene);

}  // namespace limber::app
