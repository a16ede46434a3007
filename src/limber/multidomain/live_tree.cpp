#include "limber/multidomain/live_tree.hpp"

#include "limber/base/error.hpp"

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

LiveTree::LiveTree(DomainTree tree)
    : dynamics_(std::make_shared<const DomainTree>(std::move(tree))), surface_(dynamics_.shared_tree()) {}

void LiveTree::set_pulls(std::span<const Pull> pulls) {
  std::vector<TreeSpring> springs;
  springs.reserve(pulls.size());
  for (const auto& [vertex, target, stiffness] : pulls) {
    require(target.allFinite(), "pull {} is towards ({}, {}, {}) m, expected finite numbers", springs.size(),
            target.x(), target.y(), target.z());
    require(std::isfinite(stiffness) && stiffness >= 0.0,
            "the stiffness of pull {} is {} N/m, expected a finite number of at least 0", springs.size(),
            stiffness);
    springs.push_back({surface_.point(vertex), target, stiffness});
  }
  dynamics_.set_springs(springs);
  pull_count_ = static_cast<Index>(springs.size());
}

void LiveTree::set_force(int vertex, const Vector3& force) {
  (void)surface_.point(vertex);  // throws where there is none
  require(force.allFinite(), "the force on vertex {} is ({}, {}, {}) N, expected finite numbers", vertex,
          force.x(), force.y(), force.z());
  std::vector<std::pair<int, Vector3>> next = forces_;
  std::erase_if(next, [&](const auto& one) { return one.first == vertex; });
  if (!force.isZero(0.0)) next.emplace_back(vertex, force);
  take_forces(std::move(next));
}

void LiveTree::clear_forces() { take_forces({}); }

void LiveTree::take_forces(std::vector<std::pair<int, Vector3>> forces) {
  std::vector<TreeForce> given;
  given.reserve(forces.size());
  for (const auto& [vertex, force] : forces) given.push_back({surface_.point(vertex), force});
  dynamics_.set_forces(given);
  forces_ = std::move(forces);
}

Vector3 LiveTree::pull_force(Index pull) const {
  require(pull >= 0 && pull < pull_count_, "pull {} of a tree with {} pulls", pull, pull_count_);
  return dynamics_.spring_force(pull);
}

double LiveTree::stiffness_at(int vertex) const { return dynamics_.stiffness_at(surface_.point(vertex)); }

Vector3 LiveTree::position(int vertex) const { return dynamics_.position(surface_.point(vertex)); }

std::optional<Pick> LiveTree::pick(const Vector3& origin, const Vector3& direction) const {
  require(origin.allFinite(), "the ray starts at ({}, {}, {}), expected finite numbers", origin.x(),
          origin.y(), origin.z());
  points_.resize(3, surface_.mesh().vertex_count());
  positions(points_);
  return pick_vertex(points_.cast<double>(), surface_.mesh().triangles, origin, direction);
}

double LiveTree::lowest_frequency() const {
  if (tree().free || dynamics_.coordinate_count() == 0) return 0.0;
  TreeDynamics hanging(dynamics_.shared_tree());
  for (Index d = 0; d < tree().domain_count(); ++d) hanging.set_stiffness(d, dynamics_.stiffness(d));
  double least = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) least = std::min(least, quotient(hanging, axis));
  return std::isfinite(least) ? std::sqrt(least) / (2.0 * std::numbers::pi) : 0.0;
}

}  // namespace limber
