#include "limber/multidomain/tree_dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/multidomain/tree_parts.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

std::shared_ptr<const Model> checked(std::shared_ptr<const Model> tree) {
  require(tree != nullptr, "a tree of domains is missing");
  check_model(*tree, tree->name.empty() ? "tree" : tree->name);
  return tree;
}

void check_index(const Model& tree, Index domain) {
  require(domain >= 0 && domain < tree.domain_count(), "domain {}, expected 0 to {}", domain,
          tree.domain_count() - 1);
}

TreeLoad to_load(const TreeDynamics& dynamics, const TreePoint& point) {
  const Model& tree = dynamics.tree();
  check_index(tree, point.domain);
  require(point.rows.cols() == tree.rank(point.domain), "a point of domain {} has {} columns, expected {}",
          point.domain, point.rows.cols(), tree.rank(point.domain));
  require(point.place.allFinite() && point.rows.allFinite(), "a point of domain {} is not finite",
          point.domain);
  TreeLoad load;
  load.node = point.domain;
  load.place = point.place;
  load.rows = point.rows.leftCols(dynamics.rank(point.domain)).transpose();
  return load;
}

bool same_loads(const std::vector<TreeLoad>& a, const std::vector<TreeLoad>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TreeLoad& one, const TreeLoad& other) {
    return one.node == other.node && one.place == other.place && one.rows == other.rows &&
           one.force == other.force && one.target == other.target && one.stiffness == other.stiffness;
  });
}

/// Tells each node which loads are its own.
void list_loads(const std::vector<TreeLoad>& loads, std::vector<TreeNode>& nodes,
                std::vector<int> TreeNode::*own) {
  for (TreeNode& node : nodes) (node.*own).clear();
  for (std::size_t i = 0; i < loads.size(); ++i)
    (nodes[static_cast<std::size_t>(loads[i].node)].*own).push_back(static_cast<int>(i));
}

}  // namespace

TreeDynamics::TreeDynamics(std::shared_ptr<const Model> tree) {
  tree = checked(std::move(tree));
  std::vector<PartSettings> settings = settings_of(*tree);
  parts_ = std::make_unique<Parts>(std::move(tree), std::move(settings));
}

TreeDynamics::TreeDynamics(std::shared_ptr<const Model> tree, std::vector<PartSettings> settings) {
  check_settings(*tree, settings);
  parts_ = std::make_unique<Parts>(std::move(tree), std::move(settings));
}

TreeDynamics::TreeDynamics(const TreeDynamics& other)
    : measure(other.measure), parts_(other.parts_->copy()) {}

TreeDynamics& TreeDynamics::operator=(const TreeDynamics& other) {
  if (this != &other) *this = TreeDynamics(other);
  return *this;
}

TreeDynamics::~TreeDynamics() = default;
TreeDynamics::TreeDynamics(TreeDynamics&&) noexcept = default;
TreeDynamics& TreeDynamics::operator=(TreeDynamics&&) noexcept = default;

const Model& TreeDynamics::tree() const { return *parts_->tree; }
const std::shared_ptr<const Model>& TreeDynamics::shared_tree() const { return parts_->tree; }
const std::vector<PartSettings>& TreeDynamics::settings() const { return parts_->settings; }
Index TreeDynamics::coordinate_count() const { return parts_->state.q.size(); }

Index TreeDynamics::rank(Index domain) const {
  check_index(tree(), domain);
  return parts_->nodes[static_cast<std::size_t>(domain)].rank;
}

Index TreeDynamics::first_coordinate(Index domain) const {
  check_index(tree(), domain);
  return parts_->nodes[static_cast<std::size_t>(domain)].first;
}

void TreeDynamics::set_inertia(SubtreeInertia inertia) {
  if (inertia != parts_->inertia) parts_->forget_slack();
  parts_->inertia = inertia;
  parts_->take_momentum();
}

SubtreeInertia TreeDynamics::inertia() const { return parts_->inertia; }

void TreeDynamics::set_damping(const RayleighDamping& damping) {
  require(std::isfinite(damping.mass) && damping.mass >= 0.0 && std::isfinite(damping.stiffness) &&
              damping.stiffness >= 0.0,
          "damping {} and {}, expected numbers of at least 0", damping.mass, damping.stiffness);
  parts_->damping = damping;
}

void TreeDynamics::set_stiffness(Index domain, double factor) {
  check_index(tree(), domain);
  require(std::isfinite(factor) && factor > 0.0, "stiffness {} of domain '{}', expected a positive factor",
          factor, tree().domains[static_cast<std::size_t>(domain)].name);
  double& present = parts_->nodes[static_cast<std::size_t>(domain)].stiffness;
  if (factor == present) return;
  present = factor;
  parts_->take_new_stiffness();
}

double TreeDynamics::stiffness(Index domain) const {
  check_index(tree(), domain);
  return parts_->nodes[static_cast<std::size_t>(domain)].stiffness;
}

void TreeDynamics::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity must be finite");
  if (acceleration != parts_->gravity && !parts_->adrift()) parts_->take_new_loads();
  parts_->gravity = acceleration;
}

const Vector3& TreeDynamics::gravity() const { return parts_->gravity; }

void TreeDynamics::set_forces(std::span<const TreeForce> forces) {
  std::vector<TreeLoad> loads;
  for (const TreeForce& force : forces) {
    require(force.force.allFinite(), "a force on domain {} is not finite", force.point.domain);
    loads.push_back(to_load(*this, force.point));
    loads.back().force = force.force;
  }
  if (!same_loads(loads, parts_->forces)) parts_->take_new_loads();
  parts_->forces = std::move(loads);
  list_loads(parts_->forces, parts_->nodes, &TreeNode::forces);
}

void TreeDynamics::set_force(Index force, const Vector3& value) {
  Vector3& present = parts_->forces[static_cast<std::size_t>(force)].force;
  if (present == value) return;
  present = value;
  parts_->take_new_loads();
}

void TreeDynamics::set_springs(std::span<const TreeSpring> springs) {
  std::vector<TreeLoad> loads;
  for (const TreeSpring& spring : springs) {
    require(spring.target.allFinite() && std::isfinite(spring.stiffness) && spring.stiffness >= 0.0,
            "a spring on domain {} has a target that is not finite, or the stiffness {}", spring.point.domain,
            spring.stiffness);
    loads.push_back(to_load(*this, spring.point));
    loads.back().target = spring.target;
    loads.back().stiffness = spring.stiffness;
  }
  if (!same_loads(loads, parts_->springs)) parts_->take_new_loads();
  parts_->springs = std::move(loads);
  list_loads(parts_->springs, parts_->nodes, &TreeNode::springs);
}

void TreeDynamics::set_spring_target(Index spring, const Vector3& target) {
  Vector3& present = parts_->springs[static_cast<std::size_t>(spring)].target;
  if (present == target) return;
  present = target;
  parts_->take_new_loads();
}

void TreeDynamics::set_wind(const Wind& wind) {
  require(wind.velocity.allFinite() && std::isfinite(wind.gusts) && std::isfinite(wind.coefficient) &&
              wind.coefficient >= 0.0 && std::isfinite(wind.density) && wind.density >= 0.0,
          "wind must be finite, its coefficient and density at least 0");
  if (!(wind == parts_->wind)) parts_->take_new_loads();
  parts_->wind = wind;
}

void TreeDynamics::set_support(PoseFunction motion) {
  require(!motion || !tree().free, "'{}' is a free tree, which no support can move", tree().name);
  parts_->take_support(std::move(motion));
}

Vector3 TreeDynamics::spring_force(Index spring) const {
  require(spring >= 0 && spring < static_cast<Index>(parts_->springs.size()), "spring {} of {}", spring,
          parts_->springs.size());
  const TreeLoad& load = parts_->springs[static_cast<std::size_t>(spring)];
  return load.stiffness * (load.target - parts_->position(load));
}

SolveReport TreeDynamics::step(double h, const NewmarkOptions& options) {
  require(std::isfinite(h) && h > 0.0, "time step {}, expected a positive number of seconds", h);
  require(std::isfinite(options.beta) && options.beta > 0.0 && std::isfinite(options.gamma),
          "Newmark's beta is {}, expected a positive number", options.beta);
  require(options.alpha_m < 1.0 && options.alpha_f < 1.0,
          "alpha_m is {} and alpha_f {}, expected less than 1", options.alpha_m, options.alpha_f);
  parts_->measure = measure;
  return parts_->step(h, options);
}

SolveReport TreeDynamics::balance(double h) {
  require(std::isfinite(h) && h > 0.0, "time step {}, expected a positive number of seconds", h);
  return {parts_->balance(h), 1, 0.0};
}

SolveReport TreeDynamics::begin_coupled(double h, CoupledStep& step, ElasticEnd elastic) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
  require(!parts_->support, "a body on a support that moves cannot touch others");
  const SolveStatus status = parts_->begin_coupled(h, step, elastic);
  return {status, 0, 0.0};
}

void TreeDynamics::undo_coupled() { parts_->undo_coupled(); }

Eigen::Matrix<double, 6, 1> TreeDynamics::frame_motion(Index domain, const Vector& u) const {
  return parts_->frame_motion(static_cast<std::size_t>(domain), u);
}

SolveReport TreeDynamics::end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse,
                                      bool last) {
  require(u.size() == step.free.size() && impulse.size() == u.size(),
          "{} velocities and {} impulses for a step of {} unknowns", u.size(), impulse.size(),
          step.free.size());
  return parts_->end_coupled(step, u, impulse, last);
}

void TreeDynamics::reset() { parts_->take_state(parts_->rest()); }

const TreeState& TreeDynamics::state() const { return parts_->state; }

void TreeDynamics::set_state(const TreeState& state) {
  const Index size = coordinate_count();
  require(state.q.size() == size && state.v.size() == size,
          "the state has {} coordinates and {} velocities, the tree needs {}", state.q.size(), state.v.size(),
          size);
  require(std::isfinite(state.time) && state.q.allFinite() && state.v.allFinite() &&
              state.root.position.allFinite() && is_unit(state.root.rotation) &&
              state.root.velocity.allFinite() && state.root.angular_velocity.allFinite() &&
              std::isfinite(state.slack),
          "the state has numbers that are not finite, or a rotation that is not of unit length");
  TreeState next = state;
  if (!tree().free) next.root = parts_->rest_root();  // or where its support will have it
  next.a.setZero(size);
  next.slack = std::min(state.slack, 0.0);
  parts_->take_state(next);
}

void TreeDynamics::save(StateWriter& out) const { parts_->save(out); }
void TreeDynamics::restore(StateReader& in) { parts_->restore(in); }

const PoseMatrix& TreeDynamics::frame(Index domain) const {
  check_index(tree(), domain);
  return parts_->nodes[static_cast<std::size_t>(domain)].frame;
}

Vector3 TreeDynamics::position(const TreePoint& point) const {
  return parts_->position(to_load(*this, point));
}

Vector3 TreeDynamics::velocity(const TreePoint& point) const {
  return parts_->velocity(to_load(*this, point));
}

void TreeDynamics::point_rows(Index domain, const Vector3& place, const Eigen::Ref<const Matrix3X>& own,
                              std::vector<int>& columns, Matrix3X& rows) const {
  require(own.cols() == rank(domain), "a point of domain {} has {} columns, expected {}", domain, own.cols(),
          rank(domain));
  parts_->point_rows(parts_->nodes[static_cast<std::size_t>(domain)], place, own, columns, rows);
}

double TreeDynamics::elastic_energy() const { return parts_->shown_elastic(); }

double TreeDynamics::lag() const { return parts_->lag(); }

void TreeDynamics::set_lag(double lag) {
  require(std::isfinite(lag) && lag >= 0.0, "velocities of {} s before, expected at least 0", lag);
  parts_->set_lag(lag);
}

double TreeDynamics::kinetic_energy() const { return parts_->kinetic_energy(); }

TreeMomentum TreeDynamics::momentum() const {
  if (parts_->keeps_momentum()) return parts_->kept_momentum();
  parts_->update_sums();
  return parts_->total_momentum();
}

InterfaceGap TreeDynamics::largest_gap() const { return parts_->largest_gap(); }

double TreeDynamics::stiffness_at(const TreePoint& point) const {
  return parts_->stiffness_at(to_load(*this, point));
}

Vector TreeDynamics::natural_frequencies() const { return parts_->natural_frequencies(); }

TreeTimings& TreeDynamics::timings() { return parts_->timings; }

}  // namespace limber
