#include "limber/body/lowest_frequency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace limber {
namespace {

// One step of Newmark's method from rest, far longer than any period, ends at twice the static shape: K u = f
// + M a, where M a = f.
constexpr double long_step = 1e4;       ///< s
constexpr double faint_gravity = 1e-6;  ///< m/s^2: the shape stays in proportion to it

/// Rayleigh's quotient of the shape under gravity along an axis, rad^2/s^2; infinity where nothing moves.
double quotient(TreeDynamics& dynamics, int axis) {
  dynamics.reset();
  dynamics.set_gravity(faint_gravity * Vector3::Unit(axis));
  TreeState state = dynamics.state();
  if (!dynamics.step(long_step).ok()) return std::numeric_limits<double>::infinity();
  const double elastic = dynamics.elastic_energy();
  state.v = dynamics.state().q;
  dynamics.set_state(state);  // u as a velocity: its kinetic energy is u M u / 2
  const double kinetic = dynamics.kinetic_energy();
  return kinetic > 0.0 ? elastic / kinetic : std::numeric_limits<double>::infinity();
}

}  // namespace

double lowest_frequency(const TreeDynamics& dynamics) {
  if (dynamics.tree().free || dynamics.coordinate_count() == 0) return 0.0;
  TreeDynamics hanging(dynamics.shared_tree(), dynamics.settings());
  for (Index d = 0; d < dynamics.tree().domain_count(); ++d) hanging.set_stiffness(d, dynamics.stiffness(d));
  double least = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) least = std::min(least, quotient(hanging, axis));
  return std::isfinite(least) ? std::sqrt(least) / (2.0 * std::numbers::pi) : 0.0;
}

}  // namespace limber
