#include "limber/multidomain/tree_parts.hpp"
#include "limber/multidomain/wind.hpp"

#include <algorithm>
#include <cmath>

// What acts on a tree from outside. Forces on points are what they are; springs and the drag of the air are
// implicit: in the recursion each is a point mass.

namespace limber {
namespace {

/// Where in its way during a step a spring is taken to pull at a free tree: half way would conserve the
/// energy of a swing and let stiff springs ring for ever; so these lose a fifth of their amplitude in each
/// step, and a swing of once a second at 60 steps a second 3 % of its energy.
constexpr double mean_pull = 0.55;

}  // namespace

Vector3 air_velocity(const Wind& wind, const Vector3& x, double time) {
  const double speed = wind.velocity.norm();
  if (speed == 0.0) return Vector3::Zero();
  const Vector3 along = wind.velocity / speed, aside = along.unitOrthogonal(), across = along.cross(aside);
  // Waves of three lengths (m) which the wind carries; what they have in common is nothing, so they do not
  // repeat soon.
  const double s = along.dot(x) - speed * time;
  const double gust = std::sin(s / 1.9) + 0.6 * std::sin(s / 0.73 + aside.dot(x) / 1.1) +
                      0.4 * std::sin(s / 0.31 + across.dot(x) / 0.57 + 2.3 * time);
  const double side = std::sin(s / 1.3 + 1.7 * time) + 0.5 * std::sin(s / 0.41 + across.dot(x));
  return wind.velocity * (1.0 + 0.5 * wind.gusts * gust) + 0.25 * wind.gusts * speed * side * aside;
}

/// A mass at a point of a domain (0: none), and a force on it in the axes of the domain.
void TreeDynamics::Parts::add_point(TreeNode& node, double mass, const DomainPoint& at,
                                    const Vector3& force) {
  const Index r = node.rank;
  Matrix& S = system_of(node);
  const Vector3 point = in_axes(node, at);
  // Its acceleration is G z for z without its last entry; these are the rows of G^T.
  point_.topRows(r) = node.scale * at.rows;
  point_.middleRows<3>(r).setIdentity();
  point_.middleRows<3>(r + 3) = cross_matrix(point);
  point_.middleRows(r + 6, S.rows() - r - 6).setZero();
  if (mass > 0.0) add_outer(S, point_, mass);
  S.row(r + 6).head(r + 6).noalias() -= point_.topRows(r + 6).lazyProduct(force).transpose();
  if (inertia == SubtreeInertia::full) return;
  SubtreeSums& sum = sums_of(node);
  sum.springs += mass;
  sum.load.head<3>() += force;
  sum.load.tail<3>() += point.cross(force);
}

/// A force on a point that is `pull` less `mass` times the acceleration of the point, in the world.
void TreeDynamics::Parts::add_pull(TreeNode& node, double mass, const DomainPoint& at, const Vector3& pull) {
  const Matrix3& R = node.frame.rotation;
  add_point(node, mass, at, R.transpose() * (pull - mass * gravity) - mass * bias_at(node, at));
}

/// For the momentum of the whole.
void TreeDynamics::Parts::push_on(const Vector3& place, const Vector3& force) {
  load_force_ += force;
  load_torque_ += (place - start_.momentum.center).cross(force);
}

void TreeDynamics::Parts::aim(const StepRule& rule) {
  for (TreeLoad& spring : springs) aim_spring(spring, rule);
  if (damping.mass > 0.0)
    for (TreeNode& node : nodes) aim_damping(node, rule);
  if (blowing())
    for (TreeNode& node : nodes) aim_wind(node);
}

void TreeDynamics::Parts::aim_damping(TreeNode& node, const StepRule& rule) const {
  const Matrix3& R = node.frame.rotation;
  node.drift.head<3>() = R * node.velocity + rule.early_velocity * node.settled.head<3>();
  node.drift.tail<3>() = R * node.spin + rule.early_velocity * node.settled.tail<3>();
}

/// In the axes of the domain, without the acceleration less gravity, which is unknown.
Vector6 TreeDynamics::Parts::drift_in_axes(const TreeNode& node, const StepRule& rule) const {
  Vector6 drift;
  drift.head<3>() = node.frame.rotation.transpose() * (node.drift.head<3>() + rule.velocity * gravity);
  drift.tail<3>() = node.frame.rotation.transpose() * node.drift.tail<3>();
  return drift;
}

void TreeDynamics::Parts::aim_spring(TreeLoad& spring, const StepRule& rule) const {
  const TreeNode& node = node_of(spring);
  const Matrix3& R = node.frame.rotation;
  Vector6 of_frame;
  of_frame << R.transpose() * node.settled.head<3>(), R.transpose() * node.settled.tail<3>();
  spring.from = position(node, spring);
  spring.reached = spring.from + rule.point * rule.h * velocity(node, spring) +
                   rule.early_displacement * (R * acceleration(node, spring, of_frame));
}

/// What the air does during a step: its drag is that of its velocity past the domain at the start, times what
/// that is in the course of the step.
void TreeDynamics::Parts::aim_wind(TreeNode& node) const {
  const DomainPoint& center = node.body->center();
  node.from = position(node, center);
  node.air = air_velocity(wind, node.from, state.time);
  node.relative = node.air - velocity(node, center);
  node.drag = drag_of(wind, node.body->shadow() * node.scale * node.scale, node.relative);
}

void TreeDynamics::Parts::add_loads(TreeNode& node, const StepRule& rule) {
  for (const int number : node.forces) {
    const TreeLoad& load = forces[static_cast<std::size_t>(number)];
    add_point(node, 0.0, load, node.frame.rotation.transpose() * load.force);
    push_on(position(node, load), load.force);
  }
  for (const int number : node.springs) {
    const TreeLoad& spring = springs[static_cast<std::size_t>(number)];
    add_pull(node, spring.stiffness * rule.spring, spring,
             spring.stiffness * (spring.target - spring.reached));
  }
  if (blowing()) add_pull(node, node.drag * rule.air, node.body->center(), node.drag * node.relative);
}

/// How springs and wind have pushed on a free tree, once it is known how the domain accelerates.
void TreeDynamics::Parts::feel_loads(const TreeNode& node, const StepRule& rule) {
  const auto accelerated = [&](const DomainPoint& point) {
    return Vector3(node.frame.rotation * acceleration(node, point, node.acceleration) + gravity);
  };
  for (const int number : node.springs) {
    const TreeLoad& spring = springs[static_cast<std::size_t>(number)];
    const Vector3 end = spring.reached + rule.spring * accelerated(spring);
    const Vector3 mean = spring.from + (mean_pull / rule.point) * (end - spring.from);
    push_on(position(node, spring), spring.stiffness * (spring.target - mean));
  }
  if (!blowing()) return;
  const DomainPoint& center = node.body->center();
  const Vector3 relative = node.relative - rule.air * accelerated(center);
  push_on(position(node, center), node.drag * relative);
}

/// What the wind has done at most, J: what moving air gives, but never what it takes, which is lost.
double TreeDynamics::Parts::wind_work(double h) const {
  if (!blowing()) return 0.0;
  // Of a carried root, energies are those relative to it.
  const FrameState& start = start_.state.root;
  const Eigen::Quaterniond turn = state.root.rotation * start.rotation.conjugate();
  double work = 0.0;
  for (const TreeNode& node : nodes) {
    const Vector3 end = position(node, node.body->center());
    const Vector3 from =
        carried() ? Vector3(state.root.position + turn * (node.from - start.position)) : node.from;
    work += std::max(0.0, node.drag * (node.air - (end - node.from) / h).dot(end - from));
  }
  return work;
}

}  // namespace limber
