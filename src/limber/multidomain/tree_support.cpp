#include "limber/base/error.hpp"
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
Vector6 displacement_between(const Pose& from, const Pose& to) {
  Vector6 result;
  result << to.position - from.position, rotation_vector(to.rotation * from.rotation.conjugate());
  return result;
}

}  // namespace

Pose TreeDynamics::Parts::support_pose(double time) const {
  const FrameState rest = rest_root();
  const Pose moved = support(time);
  check_support_pose(moved, time);
  return {moved.apply(rest.position), (moved.rotation * rest.rotation).normalized()};
}

/// As the support moves it, with differences over h: in steps of one length they give impulses their size
/// even where velocities jump. (Where a step is taken as several shorter ones, a jump in it may lose some of
/// it.)
FrameState TreeDynamics::Parts::support_root(double time, double h) const {
  const Pose before = support_pose(time - h), now = support_pose(time), after = support_pose(time + h);
  const Vector6 first = displacement_between(before, now) / h, second = displacement_between(now, after) / h;
  FrameState root;
  root.position = now.position;
  root.rotation = now.rotation;
  root.velocity = 0.5 * (first + second).head<3>();
  root.angular_velocity = 0.5 * (first + second).tail<3>();
  root.acceleration = (second - first).head<3>() / h;
  root.angular_acceleration = (second - first).tail<3>() / h;
  return root;
}

/// At rest before time 0, a motion may begin there at full speed V, or at full acceleration a. Differences
/// see half of that at the time itself: the acceleration that a body is balanced with is twice as much, 2 V /
/// h or a.
void TreeDynamics::Parts::aim_balance(double h) {
  if (!carried()) return;
  aimed_ = support_root(state.time, h);
  if (state.time == 0.0) {
    const Vector6 half = displacement_between(support_pose(0.0), support_pose(h)) / (h * h);
    aimed_.acceleration += half.head<3>();
    aimed_.angular_acceleration += half.tail<3>();
  }
  start_acceleration_ << aimed_.acceleration, aimed_.angular_acceleration;
}

/// The accelerations of all steps but the first give the impulse of the motion after the point c h of that:
/// what is missing goes into the first one, but for the share that Newmark's method takes of the acceleration
/// before it.
void TreeDynamics::Parts::set_off(const StepRule& rule) {
  const double c = rule.point, h = rule.h, gamma = rule.velocity * (1.0 - rule.alpha_m) / (c * h);
  const Vector6 missing = displacement_between(support_pose(0.0), support_pose(c * h)) / (h * h) -
                          (1.0 - gamma - rule.alpha_m) * start_acceleration_;
  aimed_.acceleration += missing.head<3>();
  aimed_.angular_acceleration += missing.tail<3>();
}

void TreeDynamics::Parts::take_support(PoseFunction motion) {
  if (!motion && !support) return;
  if (motion) motion = from_time_zero(std::move(motion));
  std::swap(support, motion);
  try {
    state.root = carried() ? support_root(state.time, support_h_) : rest_root();
  } catch (...) {
    std::swap(support, motion);
    throw;
  }
  balanced_ = support_moved_ = false;
  place_all(Rotations::keep);
  take_motion();
  take_new_loads();
}

/// Whether the pose of the support differs, by a bit, anywhere that the next step looks at it.
bool TreeDynamics::Parts::support_moves(double h) const {
  const Pose now = support(state.time);
  return !same_pose(now, support(state.time - h)) || !same_pose(now, support(state.time + h)) ||
         !same_pose(now, support(state.time + 2.0 * h));
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
  if (start == 0.0) set_off(rule);
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

/// What support_power() has done in the step at most, J: never what it takes, which is lost.
double TreeDynamics::Parts::support_work(double h) const {
  return carried() ? std::max(0.0, 0.5 * h * (start_.power + support_power())) : 0.0;
}

/// Energy at the start of the step, J. Where the support has the root at the end of it, the potential of what
/// acts from the world is another before the tree has moved in it: the work of the support.
double TreeDynamics::Parts::energy_with_support() {
  if (forces.empty() && springs.empty()) return energy();
  const double moving = counted_kinetic();
  const FrameState root = state.root;
  state.root = aimed_end_;
  carry_all();
  const double fixed = potential();
  state.root = root;
  carry_all();
  return moving + fixed;
}

}  // namespace limber
