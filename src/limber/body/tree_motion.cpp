#include "limber/body/tree_motion.hpp"

#include "limber/base/error.hpp"

#include <utility>

namespace limber {

TreeMotion::TreeMotion(MotionSetup setup)
    : surface_(setup.surface),
      dynamics_(setup.model, std::move(setup.settings)),
      rest_center_(dynamics_.momentum().center) {
  dynamics_.set_inertia(setup.inertia);
  dynamics_.set_damping(setup.damping);
  for (std::size_t d = 0; d < setup.stiffness.size(); ++d)
    dynamics_.set_stiffness(static_cast<Index>(d), setup.stiffness[d]);
}

void TreeMotion::set_forces(std::span<const VertexForce> forces) {
  std::vector<TreeForce> taken;
  taken.reserve(forces.size());
  for (const auto& [vertex, force] : forces) taken.push_back({surface_->point(vertex), force});
  std::vector<VertexForce> next(forces.begin(), forces.end());
  dynamics_.set_forces(taken);
  forces_ = std::move(next);
}

void TreeMotion::set_springs(std::span<const Spring> springs) {
  std::vector<TreeSpring> taken;
  taken.reserve(springs.size());
  for (const auto& [vertex, target, stiffness] : springs)
    taken.push_back({surface_->point(vertex), target, stiffness});
  dynamics_.set_springs(taken);
}

SolveReport TreeMotion::step(double h, const ReducedStepOptions& options) {
  require(options.integrator == Integrator::newmark && options.solver == ReducedSolver::direct,
          "a body with frames (several domains, in flight, on a support or in the wind) takes implicit steps "
          "with the "
          "direct solver only");
  return dynamics_.step(h, tree_newmark(options.newmark.max_iterations));
}

/// Accelerations of trees are always those that balance the forces: they follow when the next step begins.
void TreeMotion::set_state(const TreeState& state, Accelerations /*accelerations*/) {
  TreeDynamics next = dynamics_, balanced = dynamics_;
  balanced.set_state(state);
  require(balanced.balance().ok() && balanced.state().a.allFinite(),
          "the state is so far from rest that its forces are not finite; reset the body first");
  next.set_state(state);
  dynamics_ = std::move(next);
}

double TreeMotion::load_energy() const {
  const TreeMomentum now = dynamics_.momentum();
  double energy = -now.mass * dynamics_.gravity().dot(now.center - rest_center_);
  for (const auto& [vertex, force] : forces_)
    energy -= force.dot(position(vertex) - surface_->mesh().vertices.col(vertex));
  return energy;
}

Vector3 TreeMotion::position(int vertex) const { return dynamics_.position(surface_->point(vertex)); }
Vector3 TreeMotion::velocity(int vertex) const { return dynamics_.velocity(surface_->point(vertex)); }

Eigen::Quaterniond TreeMotion::orientation(int vertex) const {
  const Index domain = surface_->domains()[static_cast<std::size_t>(vertex)];
  const Eigen::Quaterniond rest =
      dynamics_.tree().domains[static_cast<std::size_t>(domain)].rotation.normalized();
  return (Eigen::Quaterniond(dynamics_.frame(domain).rotation) * rest.conjugate()).normalized();
}

void TreeMotion::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const {
  surface_->positions(dynamics_, x, scratch_);
}

}  // namespace limber
