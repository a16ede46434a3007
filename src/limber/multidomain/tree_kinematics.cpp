#include "limber/multidomain/interface_frame.hpp"
#include "limber/multidomain/tree_parts.hpp"
#include "limber/warp/rotation.hpp"

namespace limber {
namespace {

/// What turns a force and torque at the origin of a child into those at the origin of its parent, all in the axes of the parent.
Vector6 at_parent(const TreeNode& node, const Vector6& load) {
  Vector6 moved;
  moved.head<3>() = node.axes * load.head<3>();
  moved.tail<3>() = node.axes * load.tail<3>() + node.arm.cross(moved.head<3>());
  return moved;
}

/// The same for an inertia: X^T (axes I axes^T) X.
Matrix6 at_parent(const TreeNode& node, const Matrix6& inertia) {
  Matrix6 rotated, shift = Matrix6::Identity();
  for (int i = 0; i < 6; i += 3)
    for (int j = 0; j < 6; j += 3)
      rotated.block<3, 3>(i, j) = node.axes * inertia.block<3, 3>(i, j) * node.axes.transpose();
  shift.topRightCorner<3, 3>() = -cross_matrix(node.arm);
  return shift.transpose() * rotated * shift;
}

/// How the frame of a child moves with that of its parent, once it is known how the port does.
void carry(TreeNode& node, const TreeNode& parent, const Vector6& rate, const Vector6& bias) {
  const Vector3& w = parent.spin;
  const Vector3 moving = rate.head<3>(), turning = rate.tail<3>();
  node.carried_bias.head<3>() = bias.head<3>() + w.cross(w.cross(node.arm)) + 2.0 * w.cross(moving);
  node.carried_bias.tail<3>() = bias.tail<3>() + w.cross(turning);
  node.velocity = node.axes.transpose() * (parent.velocity + w.cross(node.arm) + moving);
  node.spin = node.axes.transpose() * (w + turning);
}

/// How a port moves with the coordinates of its domain.                            [Barbic & Zhao 2011, Eq. 1-9]
void follow_port(TreeNode& node, const TreeNode& parent, const Eigen::Ref<const Vector>& q,
                 const Eigen::Ref<const Vector>& v) {
  const InterfacePort& port = *node.port->data;
  if (parent.rank == 0) {
    node.arm = parent.scale * port.center + node.lever;
    carry(node, parent, Vector6::Zero(), Vector6::Zero());
    return;
  }
  Vector12 motion, rates_of_motion;
  node.port->motion(q, v, motion, rates_of_motion);
  const Matrix3 A = port.covariance + Eigen::Map<const Matrix3>(motion.data()),
                A1 = Eigen::Map<const Matrix3>(rates_of_motion.data());
  const Vector3 center = port.center + motion.tail<3>(), center_rate = rates_of_motion.tail<3>();
  node.turned_before = node.turned;
  node.turned = nearest_rotation(A, node.turned);
  const PolarRates rates(A, node.turned);
  const Vector3 lever = node.turned * node.lever;
  node.arm = parent.scale * center + lever;
  node.axes = node.turned * node.rest;

  auto rows = node.carried.topRows(parent.rank);
  rows.rightCols<3>().noalias() = node.port->covariance_rows.lazyProduct(rates.velocity_matrix().transpose());
  rows.leftCols<3>() = parent.scale * node.port->center_rows;
  rows.leftCols<3>().noalias() += rows.rightCols<3>().lazyProduct(cross_matrix(lever));
  Vector6 rate;
  rate.tail<3>() = rates.velocity(A1);
  rate.head<3>() = parent.scale * center_rate + Vector3(rate.tail<3>()).cross(lever);
  const Vector3 turning = rate.tail<3>();
  Vector6 bias;
  bias.tail<3>() = rates.acceleration(A1, Matrix3::Zero(), turning);
  bias.head<3>() = bias.tail<3>().cross(lever) + turning.cross(turning.cross(lever));
  carry(node, parent, rate, bias);
}

}  // namespace

void TreeDynamics::Parts::update_frame(TreeNode& node) {
  if (node.parent < 0) {
    node.frame = {state.root.position, state.root.rotation.toRotationMatrix()};
    node.velocity = node.frame.rotation.transpose() * state.root.velocity;
    node.spin = node.frame.rotation.transpose() * state.root.angular_velocity;
    return;
  }
  const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
  follow_port(node, parent, state.q.segment(parent.first, parent.rank),
              state.v.segment(parent.first, parent.rank));
  node.frame.position = parent.frame.position + parent.frame.rotation * node.arm;
  node.frame.rotation = parent.frame.rotation * node.axes;
}

void TreeDynamics::Parts::update_frames() {
  for (TreeNode& node : nodes) update_frame(node);
}

InertiaTerms& TreeDynamics::Parts::update_inertia(TreeNode& node) {
  InertiaTerms& terms = node.body->work().terms;
  node.body->inertia(state.q.segment(node.first, node.rank), state.v.segment(node.first, node.rank),
                     node.spin, node.scale, terms);
  return terms;
}

void TreeDynamics::Parts::update_sums() {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    TreeNode& node = nodes[i];
    const InertiaTerms& terms = update_inertia(node);
    SubtreeSums& sum = sums[i];
    sum = {};
    sum.mass = terms.mass;
    sum.first = terms.first;
    sum.rigid = terms.rigid();
    Vector6 velocity;
    velocity << node.velocity, node.spin;
    sum.momentum = sum.rigid * velocity + terms.coupling.transpose() * state.v.segment(node.first, node.rank);
  }
  for (std::size_t i = nodes.size() - 1; i > 0; --i) {
    const TreeNode& node = nodes[i];
    SubtreeSums& parent = sums[static_cast<std::size_t>(node.parent)];
    parent.mass += sums[i].mass;
    parent.first += node.axes * sums[i].first + sums[i].mass * node.arm;
    parent.rigid += at_parent(node, sums[i].rigid);
    parent.momentum += at_parent(node, sums[i].momentum);
  }
}

Vector3 TreeDynamics::Parts::position(const TreeLoad& point) const {
  const TreeNode& node = nodes[static_cast<std::size_t>(point.node)];
  const Vector3 local = point.place + point.rows.transpose() * state.q.segment(node.first, node.rank);
  return node.frame.position + node.frame.rotation * (node.scale * local);
}

Vector3 TreeDynamics::Parts::velocity(const TreeLoad& point) const {
  const TreeNode& node = nodes[static_cast<std::size_t>(point.node)];
  const Vector3 local = point.place + point.rows.transpose() * state.q.segment(node.first, node.rank);
  const Vector3 moving = point.rows.transpose() * state.v.segment(node.first, node.rank);
  return node.frame.rotation * (node.velocity + node.scale * (node.spin.cross(local) + moving));
}

TreeMomentum TreeDynamics::Parts::total_momentum() const {
  const DomainFrame& frame = nodes.front().frame;
  const SubtreeSums& sum = sums.front();
  TreeMomentum total;
  total.mass = sum.mass;
  const Vector3 center = sum.first / sum.mass;
  total.center = frame.position + frame.rotation * center;
  total.linear = frame.rotation * sum.momentum.head<3>();
  total.angular = frame.rotation * (sum.momentum.tail<3>() - center.cross(sum.momentum.head<3>()));
  return total;
}

double TreeDynamics::Parts::kinetic_energy() {
  double twice = 0.0;
  for (TreeNode& node : nodes) {
    const InertiaTerms& terms = update_inertia(node);
    Vector6 velocity;
    velocity << node.velocity, node.spin;
    twice += velocity.dot(terms.rigid() * velocity);
    if (node.rank == 0) continue;
    const auto v = state.v.segment(node.first, node.rank);
    twice += 2.0 * v.dot(terms.coupling * velocity) + std::pow(node.scale, 5) * v.dot(node.body->mass() * v);
  }
  return 0.5 * twice;
}

}  // namespace limber
