#include "limber/base/error.hpp"
#include "limber/integrators/energy_guard.hpp"
#include "limber/multidomain/tree_parts.hpp"

#include <cmath>
#include <cstdint>
#include <tuple>

// The state of a tree as bytes. What steps carry on besides coordinates and velocities is in it, so that a
// run goes on with the same bits.

namespace limber {
namespace {

void write_vector(const Vector3& x, StateWriter& out) { out.write_numbers({x.data(), 3}); }

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
  require(std::isfinite(momentum.mass) && momentum.mass >= 0.0 && momentum.center.allFinite() &&
              momentum.linear.allFinite() && momentum.angular.allFinite(),
          "the state of a tree has a mass below zero, or numbers that are not finite");
}

/// Throws Error for numbers that are not finite.
void check_finite(const TreeState& state) {
  const FrameState& root = state.root;
  require(std::isfinite(state.time) && state.q.allFinite() && state.v.allFinite() && state.a.allFinite() &&
              std::isfinite(state.slack) && is_unit(root.rotation) && root.position.allFinite() &&
              root.velocity.allFinite() && root.angular_velocity.allFinite() &&
              root.acceleration.allFinite() && root.angular_acceleration.allFinite(),
          "the state has numbers that are not finite, or a rotation that is not of unit length");
}

TreeState read_state(StateReader& in, Index size) {
  TreeState state;
  in.read(state.time);
  in.read(state.slack);
  std::int64_t caution = 0;
  in.read(caution);
  require(caution >= 0 && caution <= cautious_steps,
          "the state of a tree has {} cautious steps left, expected {} at most", caution, cautious_steps);
  state.caution = static_cast<int>(caution);
  in.read(state.q);
  in.read(state.v);
  in.read(state.a);
  require(state.q.size() == size && state.v.size() == size && state.a.size() == size,
          "the state has {} coordinates, the tree needs {}", state.q.size(), size);
  for (Vector3* x : {&state.root.position, &state.root.velocity, &state.root.angular_velocity,
                     &state.root.acceleration, &state.root.angular_acceleration})
    read_vector(in, *x);
  Vector rotation;
  in.read(rotation);
  require(rotation.size() == 4, "the rotation of the root has {} entries, expected 4", rotation.size());
  state.root.rotation.coeffs() = rotation;
  check_finite(state);
  return state;
}

/// turned and settled of a node.
std::pair<Matrix3, Vector6> read_moving(StateReader& in, std::size_t domain) {
  Vector turned, settled;
  in.read(turned);
  in.read(settled);
  require(turned.size() == 9 && settled.size() == 6, "the state of domain {} has another size", domain);
  const Matrix3 R = turned.reshaped(3, 3);
  require((R.transpose() * R - Matrix3::Identity()).norm() <= 1e-6 && settled.allFinite(),
          "the state of domain {} has no rotation, or numbers that are not finite", domain);
  return {R, settled};
}

}  // namespace

void TreeDynamics::Parts::save(StateWriter& out) const {
  out.write(state.time);
  out.write(state.slack);
  out.write(std::int64_t{state.caution});
  out.write(state.q);
  out.write(state.v);
  out.write(state.a);
  for (const Vector3* x : {&state.root.position, &state.root.velocity, &state.root.angular_velocity,
                           &state.root.acceleration, &state.root.angular_acceleration})
    write_vector(*x, out);
  out.write_numbers({state.root.rotation.coeffs().data(), 4});
  write_momentum(momentum_, out);
  out.write(balanced_);
  out.write(loads_changed_);
  out.write(support_moved_);
  out.write_numbers({start_acceleration_.data(), 6});
  out.write(kinetic_);
  write_vector(center_, out);
  out.write(middle_.known);
  out.write(middle_.judged);
  out.write(middle_.h);
  out.write(middle_.kinetic);
  out.write(middle_.elastic);
  out.write(middle_.stayed);
  out.write(middle_.hardness);
  out.write(middle_.q);
  for (const TreeNode& node : nodes) {
    out.write_numbers({node.turned.data(), 9});
    out.write_numbers({node.settled.data(), 6});
  }
}

void TreeDynamics::Parts::restore(StateReader& in) {
  const TreeState next = read_state(in, state.q.size());
  TreeMomentum momentum;
  read_momentum(in, momentum);
  bool balanced = false, loads_changed = false, support_moved = false;
  double kinetic = 0.0;
  Vector3 center;
  in.read(balanced);
  in.read(loads_changed);
  in.read(support_moved);
  Vector start_acceleration;
  in.read(start_acceleration);
  require(start_acceleration.size() == 6 && start_acceleration.allFinite(),
          "the state of a tree has no acceleration of its root at the start");
  in.read(kinetic);
  read_vector(in, center);
  Middle middle;
  in.read(middle.known);
  in.read(middle.judged);
  in.read(middle.h);
  in.read(middle.kinetic);
  in.read(middle.elastic);
  in.read(middle.stayed);
  in.read(middle.hardness);
  in.read(middle.q);
  require(std::isfinite(kinetic) && center.allFinite() && std::isfinite(middle.kinetic) &&
              std::isfinite(middle.elastic) && std::isfinite(middle.h) && middle.h >= 0.0 &&
              std::isfinite(middle.hardness) && middle.hardness >= 0.0 && middle.q.allFinite() &&
              (!middle.judged || middle.q.size() == state.q.size()),
          "the state has an energy that is not finite");
  std::vector<std::pair<Matrix3, Vector6>> moving;
  for (std::size_t i = 0; i < nodes.size(); ++i) moving.push_back(read_moving(in, i));

  state = next;
  for (std::size_t i = 0; i < nodes.size(); ++i) std::tie(nodes[i].turned, nodes[i].settled) = moving[i];
  place_all(Rotations::keep);
  evaluate_elastic(state.q);
  take_motion();
  momentum_ = momentum;
  balanced_ = balanced;
  loads_changed_ = loads_changed;
  support_moved_ = support_moved;
  start_acceleration_ = start_acceleration;
  kinetic_ = kinetic;
  center_ = center;
  middle_ = middle;
}

}  // namespace limber
