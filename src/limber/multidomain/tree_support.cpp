#include "limber/multidomain/tree_parts.hpp"

#include <algorithm>

// A tree whose root follows a given motion.
//
// The equations are those of any tree, with the acceleration of the root known. The guard of energy
// (tree_energy.cpp) sees the tree from its root: what a moving support does to it is, during one step, a
// field of forces that stands still,
//
//   P = ... - m (g - a) . c - 1/2 w . I w,
//
// with the mean acceleration a and the angular velocity w of the root in the step, the centre of mass c and
// the inertia I about the origin of the root; Coriolis forces do no work, and what the angular acceleration
// and drag against the world do is added to what the step may end with.

namespace limber {
namespace {

/// From one pose to another, in the world: m and rad.
Vector6 way(const Pose& from, const Pose& to) {
  Vector6 result;
  result << to.position - from.position, rotation_vector(to.rotation * from.rotation.conjugate());
  return result;
}

}  // namespace

Pose TreeDynamics::Parts::support_pose(double time) const {
  const RootState rest = rest_root();
  const Pose moved = support(time);
  return {moved.apply(rest.position), (moved.rotation * rest.rotation).normalized()};
}

/// As the support moves it, with differences over h that give impulses their size even where velocities jump.
RootState TreeDynamics::Parts::support_root(double time, double h) const {
  const Pose before = support_pose(time - h), now = support_pose(time), after = support_pose(time + h);
  const Vector6 first = way(before, now) / h, second = way(now, after) / h;
  RootState root;
  root.position = now.position;
  root.rotation = now.rotation;
  root.velocity = 0.5 * (first + second).head<3>();
  root.angular_velocity = 0.5 * (first + second).tail<3>();
  root.acceleration = (second - first).head<3>() / h;
  root.angular_acceleration = (second - first).tail<3>() / h;
  return root;
}

/// A motion may begin at time 0 at full speed V, or at full acceleration a. What follows from differences
/// that see it at rest before has to be put right there: the acceleration at the start is 2 V / h or a, that
/// of the first step has (1 - c) V / h or (1 - c)^2 a / 2 more. Then Newmark's method ends each later step
/// with the velocity of the support.
void TreeDynamics::Parts::start_with_support(double share, double h) {
  const Vector6 missing = way(support_pose(0.0), support_pose(share * h)) / (h * h);
  aimed_.acceleration += missing.head<3>();
  aimed_.angular_acceleration += missing.tail<3>();
}

/// Where a step, or the time before the first one, sees the root.
void TreeDynamics::Parts::aim_balance(double h) {
  support_h_ = h;
  if (!carried()) return;
  aimed_ = support_root(state.time, h);
  if (state.time == 0.0) start_with_support(1.0, h);
}

void TreeDynamics::Parts::take_support(PoseFunction motion) {
  if (!motion && !support) return;
  if (motion) motion = [motion = std::move(motion)](double time) { return motion(std::max(time, 0.0)); };
  support = std::move(motion);
  state.root = support ? support_root(state.time, support_h_) : rest_root();
  balanced_ = false;
  place_all(Rotations::keep);
  take_motion();
  take_new_loads();
}

/// Whether it does about the next step, not even by rounding.
bool TreeDynamics::Parts::support_moves(double h) const {
  const Pose now = support(state.time);
  const auto differs = [&](const Pose& other) {
    return other.position != now.position || other.rotation.coeffs() != now.rotation.coeffs();
  };
  return differs(support(state.time - h)) || differs(support(state.time + h));
}

/// Before a step: a support that starts or stops is a change of loads. While it moves, what is lost in one
/// step may come back in another, as at rest; nobody counts the energy of what is being moved.
void TreeDynamics::Parts::follow_support(double h) {
  const bool moves = support_moves(h);
  if (moves != support_moved_) take_new_loads();
  support_moved_ = moves;
}

void TreeDynamics::Parts::aim_support(const StepRule& rule) {
  if (!carried()) return;
  const double start = start_.state.time;
  aimed_ = support_root(start + rule.point * rule.h, rule.h);
  if (start == 0.0) start_with_support(1.0 - rule.point, rule.h);
  aimed_end_ = support_root(start + rule.h, rule.h);
  field_ = aimed_;
  const double begun = start == 0.0 ? 0.0 : 1.0;  // a motion that begins at full speed
  field_.acceleration = (aimed_end_.velocity - begun * state.root.velocity) / rule.h;
  field_.angular_acceleration = (aimed_end_.angular_velocity - begun * state.root.angular_velocity) / rule.h;
  start_.power = support_power();
  start_.allowed = energy_with_support() + state.slack;
}

/// T of the motion relative to the root, J.
double TreeDynamics::Parts::relative_kinetic() const {
  const TreeNode& root = nodes.front();
  const SubtreeSums& sum = sums_.front();
  Vector6 velocity;
  velocity << root.velocity, root.spin;
  return kinetic_ - velocity.dot(sum.momentum - 0.5 * sum.rigid * velocity);
}

/// Of the field of forces that stands for gravity and the motion of the support in this step, J.
double TreeDynamics::Parts::support_potential() const {
  const SubtreeSums& sum = sums_.front();
  const Eigen::Quaterniond to_axes = field_.rotation.conjugate();
  const Vector3 felt = to_axes * Vector3(gravity - field_.acceleration),
                w = to_axes * field_.angular_velocity;
  return -felt.dot(sum.first) - 0.5 * w.dot(sum.rigid.bottomRightCorner<3, 3>() * w);
}

/// Power with which the angular acceleration of the root and drag against the world drive the tree, W.
double TreeDynamics::Parts::support_power() const {
  const TreeNode& root = nodes.front();
  const SubtreeSums& sum = sums_.front();
  Vector6 velocity;
  velocity << root.velocity, root.spin;
  const Vector6 relative = sum.momentum - sum.rigid * velocity;
  const Vector3 turning = field_.rotation.conjugate() * field_.angular_acceleration;
  return -turning.dot(relative.tail<3>()) - damping.mass * velocity.dot(relative);
}

/// What that has done in the step at most, J: never what it takes, which is lost.
double TreeDynamics::Parts::support_work(double h) const {
  return carried() ? std::max(0.0, 0.5 * h * (start_.power + support_power())) : 0.0;
}

/// Of the start of the step, J. Where the support has the root at its end, the potential of what acts from
/// the world is another before the tree has moved in it: the work of the support.
double TreeDynamics::Parts::energy_with_support() {
  if (forces.empty() && springs.empty()) return energy();
  const double moving = counted_kinetic();
  const RootState root = state.root;
  state.root = aimed_end_;
  carry_all();
  const double fixed = potential();
  state.root = root;
  carry_all();
  return moving + fixed;
}

}  // namespace limber
