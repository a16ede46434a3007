#include "limber/multidomain/tree_dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/multidomain/tree_parts.hpp"
#include "limber/warp/rotation.hpp"

#include <cmath>

namespace limber {
namespace {

std::shared_ptr<const DomainTree> checked(std::shared_ptr<const DomainTree> tree) {
  require(tree != nullptr, "a tree of domains is missing");
  check_tree(*tree, tree->name.empty() ? "tree" : tree->name);
  return tree;
}

void check_index(const DomainTree& tree, Index domain) {
  require(domain >= 0 && domain < tree.domain_count(), "domain {}, expected 0 to {}", domain,
          tree.domain_count() - 1);
}

TreeLoad to_load(const DomainTree& tree, const TreePoint& point) {
  check_index(tree, point.domain);
  require(point.rows.cols() == tree.rank(point.domain), "a point of domain {} has {} columns, expected {}",
          point.domain, point.rows.cols(), tree.rank(point.domain));
  require(point.place.allFinite() && point.rows.allFinite(), "a point of domain {} is not finite",
          point.domain);
  TreeLoad load;
  load.node = point.domain;
  load.place = point.place;
  load.rows = point.rows.transpose();
  return load;
}

/// Tells each node which loads are its own.
void list_loads(const std::vector<TreeLoad>& loads, std::vector<TreeNode>& nodes,
                std::vector<int> TreeNode::*own) {
  for (TreeNode& node : nodes) (node.*own).clear();
  for (std::size_t i = 0; i < loads.size(); ++i)
    (nodes[static_cast<std::size_t>(loads[i].node)].*own).push_back(static_cast<int>(i));
}

void write_vector(const Vector3& x, StateWriter& out) { out.write(Vector(x)); }

void read_vector(StateReader& in, Vector3& x) {
  Vector values;
  in.read(values);
  require(values.size() == 3, "the state of a tree has a vector of {} entries, expected 3", values.size());
  x = values;
}

void write_momentum(const TreeMomentum& momentum, StateWriter& out) {
  out.write(momentum.mass);
  write_vector(momentum.center, out);
  write_vector(momentum.linear, out);
  write_vector(momentum.angular, out);
}

void read_momentum(StateReader& in, TreeMomentum& momentum) {
  in.read(momentum.mass);
  read_vector(in, momentum.center);
  read_vector(in, momentum.linear);
  read_vector(in, momentum.angular);
}

}  // namespace

TreeDynamics::TreeDynamics(std::shared_ptr<const DomainTree> tree)
    : parts_(std::make_unique<Parts>(checked(std::move(tree)))) {}
TreeDynamics::~TreeDynamics() = default;
TreeDynamics::TreeDynamics(TreeDynamics&&) noexcept = default;
TreeDynamics& TreeDynamics::operator=(TreeDynamics&&) noexcept = default;

const DomainTree& TreeDynamics::tree() const { return *parts_->tree; }
const std::shared_ptr<const DomainTree>& TreeDynamics::shared_tree() const { return parts_->tree; }
Index TreeDynamics::coordinate_count() const { return parts_->state.q.size(); }

Index TreeDynamics::first_coordinate(Index domain) const {
  check_index(tree(), domain);
  return parts_->nodes[static_cast<std::size_t>(domain)].first;
}

void TreeDynamics::set_inertia(SubtreeInertia inertia) {
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
  parts_->nodes[static_cast<std::size_t>(domain)].stiffness = factor;
}

double TreeDynamics::stiffness(Index domain) const {
  check_index(tree(), domain);
  return parts_->nodes[static_cast<std::size_t>(domain)].stiffness;
}

void TreeDynamics::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity must be finite");
  parts_->gravity = acceleration;
}

void TreeDynamics::set_forces(std::span<const TreeForce> forces) {
  std::vector<TreeLoad> loads;
  for (const TreeForce& force : forces) {
    require(force.force.allFinite(), "a force on domain {} is not finite", force.point.domain);
    loads.push_back(to_load(tree(), force.point));
    loads.back().force = force.force;
  }
  parts_->forces = std::move(loads);
  list_loads(parts_->forces, parts_->nodes, &TreeNode::forces);
}

void TreeDynamics::set_springs(std::span<const TreeSpring> springs) {
  std::vector<TreeLoad> loads;
  for (const TreeSpring& spring : springs) {
    require(spring.target.allFinite() && std::isfinite(spring.stiffness) && spring.stiffness >= 0.0,
            "a spring on domain {} has a target that is not finite, or the stiffness {}", spring.point.domain,
            spring.stiffness);
    loads.push_back(to_load(tree(), spring.point));
    loads.back().target = spring.target;
    loads.back().stiffness = spring.stiffness;
  }
  parts_->springs = std::move(loads);
  list_loads(parts_->springs, parts_->nodes, &TreeNode::springs);
}

void TreeDynamics::set_wind(const Wind& wind) {
  require(wind.velocity.allFinite() && std::isfinite(wind.gusts) && std::isfinite(wind.coefficient) &&
              wind.coefficient >= 0.0 && std::isfinite(wind.density) && wind.density >= 0.0,
          "wind must be finite, its coefficient and density at least 0");
  parts_->wind = wind;
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
  parts_->measure = measure;
  return parts_->step(h, options);
}

SolveReport TreeDynamics::balance() { return {parts_->balance(), 1, 0.0}; }

void TreeDynamics::reset() { parts_->take_state(parts_->rest()); }

const TreeState& TreeDynamics::state() const { return parts_->state; }

void TreeDynamics::set_state(const TreeState& state) {
  const Index size = coordinate_count();
  require(state.q.size() == size && state.v.size() == size,
          "the state has {} coordinates and {} velocities, the tree needs {}", state.q.size(), state.v.size(),
          size);
  require(std::isfinite(state.time) && state.q.allFinite() && state.v.allFinite() &&
              state.root.position.allFinite() && is_unit(state.root.rotation) &&
              state.root.velocity.allFinite() && state.root.angular_velocity.allFinite(),
          "the state has numbers that are not finite, or a rotation that is not of unit length");
  TreeState next = state;
  if (!tree().free) next.root = parts_->rest().root;
  next.a.setZero(size);
  parts_->take_state(next);
}

void TreeDynamics::save(StateWriter& out) const {
  const TreeState& state = parts_->state;
  out.write(state.time);
  out.write(state.q);
  out.write(state.v);
  out.write(state.a);
  for (const Vector3* x : {&state.root.position, &state.root.velocity, &state.root.angular_velocity,
                           &state.root.acceleration, &state.root.angular_acceleration})
    write_vector(*x, out);
  out.write(Vector(state.root.rotation.coeffs()));
  write_momentum(parts_->momentum, out);
  const auto [balanced, gravity] = parts_->balanced();
  out.write(balanced);
  write_vector(gravity, out);
  for (const TreeNode& node : parts_->nodes) {
    out.write(Vector(node.turned_before.reshaped()));
    out.write(Vector(node.acceleration));
  }
}

void TreeDynamics::restore(StateReader& in) {
  const Index size = coordinate_count();
  TreeState state;
  in.read(state.time);
  in.read(state.q);
  in.read(state.v);
  in.read(state.a);
  require(state.q.size() == size && state.v.size() == size && state.a.size() == size,
          "the state has {} coordinates, the tree needs {}", state.q.size(), size);
  for (Vector3* x : {&state.root.position, &state.root.velocity, &state.root.angular_velocity,
                     &state.root.acceleration, &state.root.angular_acceleration})
    read_vector(in, *x);
  Vector values;
  in.read(values);
  require(values.size() == 4, "the rotation of the root has {} entries, expected 4", values.size());
  state.root.rotation.coeffs() = values;
  TreeMomentum momentum;
  read_momentum(in, momentum);
  bool balanced = false;
  Vector3 gravity;
  in.read(balanced);
  read_vector(in, gravity);
  std::vector<std::pair<Matrix3, Vector6>> moving;
  for (std::size_t i = 0; i < parts_->nodes.size(); ++i) {
    Vector turned, acceleration;
    in.read(turned);
    in.read(acceleration);
    require(turned.size() == 9 && acceleration.size() == 6, "the state of domain {} has another size", i);
    moving.emplace_back(turned.reshaped(3, 3), acceleration);
    const Matrix3& R = moving.back().first;
    require((R.transpose() * R - Matrix3::Identity()).norm() <= 1e-6 && acceleration.allFinite(),
            "the state of domain {} has no rotation, or numbers that are not finite", i);
  }
  require(state.q.allFinite() && state.v.allFinite() && state.a.allFinite() && is_unit(state.root.rotation) &&
              state.root.position.allFinite() && state.root.velocity.allFinite() &&
              state.root.angular_velocity.allFinite() && state.root.acceleration.allFinite() &&
              state.root.angular_acceleration.allFinite(),
          "the state has numbers that are not finite, or a rotation that is not of unit length");
  parts_->take_state(state);
  parts_->set_balanced(balanced, gravity);
  parts_->momentum = momentum;
  for (std::size_t i = 0; i < moving.size(); ++i) {
    parts_->nodes[i].turned = moving[i].first;
    parts_->nodes[i].acceleration = moving[i].second;
  }
  parts_->update_frames();
}

const DomainFrame& TreeDynamics::frame(Index domain) const {
  check_index(tree(), domain);
  return parts_->nodes[static_cast<std::size_t>(domain)].frame;
}

Vector3 TreeDynamics::position(const TreePoint& point) const {
  return parts_->position(to_load(tree(), point));
}

Vector3 TreeDynamics::velocity(const TreePoint& point) const {
  return parts_->velocity(to_load(tree(), point));
}

double TreeDynamics::elastic_energy() const {
  double sum = 0.0;
  for (TreeNode& node : parts_->nodes) sum += parts_->evaluate_elastic(node);
  return sum;
}

double TreeDynamics::kinetic_energy() const { return parts_->kinetic_energy(); }

TreeMomentum TreeDynamics::momentum() const {
  parts_->update_sums();
  return parts_->total_momentum();
}

InterfaceGap TreeDynamics::largest_gap() const { return parts_->largest_gap(); }

double TreeDynamics::stiffness_at(const TreePoint& point) const {
  return parts_->stiffness_at(to_load(tree(), point));
}

Vector TreeDynamics::natural_frequencies() const { return parts_->natural_frequencies(); }

TreeTimings& TreeDynamics::timings() { return parts_->timings; }

}  // namespace limber
