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

/// Root mean square displacement at which energies are compared, as a share of the size of a domain: so small
/// that they grow with its square, and so large that they are more than what rounding leaves of an energy
/// that is a difference of far larger numbers, as that of laws that are no polynomials.
constexpr double swing = 1e-3;

/// Length of the largest domain, m.
double length_of(const Model& tree) {
  double length = 0.0;
  for (Index d = 0; d < tree.domain_count(); ++d) {
    const Matrix3X& vertices = tree.part(d).model.surface.mesh.vertices;
    const Vector3 size = vertices.rowwise().maxCoeff() - vertices.rowwise().minCoeff();
    length = std::max(length, tree.domains[static_cast<std::size_t>(d)].scale * size.norm());
  }
  return length;
}

/// Rayleigh's quotient of the shape under gravity along an axis, rad^2/s^2; infinity where nothing moves.
double quotient(TreeDynamics& dynamics, int axis) {
  dynamics.reset();
  dynamics.set_gravity(faint_gravity * Vector3::Unit(axis));
  TreeState state = dynamics.state();
  if (!dynamics.step(long_step).ok()) return std::numeric_limits<double>::infinity();
  state.v = dynamics.state().q;
  dynamics.set_state(state);  // u as a velocity: its kinetic energy is u M u / 2
  const double reach = std::sqrt(2.0 * dynamics.kinetic_energy() / dynamics.momentum().mass);
  if (!(reach > 0.0)) return std::numeric_limits<double>::infinity();
  state.v *= swing * length_of(dynamics.tree()) / reach;
  dynamics.set_state(state);
  const double kinetic = dynamics.kinetic_energy();
  state.q = state.v;
  dynamics.set_state(state);
  return dynamics.elastic_energy() / kinetic;
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
