#include "limber/base/timer.hpp"
#include "limber/linalg/symmetric_solve.hpp"
#include "limber/multidomain/tree_parts.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace limber {
namespace {

TreeNode make_node(const DomainTree& tree, Index i, std::vector<DomainBody>& bodies) {
  const Domain& domain = tree.domains[static_cast<std::size_t>(i)];
  TreeNode node;
  node.parent = domain.parent;
  node.body = &bodies[static_cast<std::size_t>(domain.kind)];
  node.rank = node.body->rank();
  node.scale = domain.scale;
  node.stiffness = domain.stiffness;
  node.system.setZero(padded(node.rank + 7), node.rank);
  node.solution.setZero(padded(node.rank + 7));
  if (domain.parent < 0) return node;
  const Domain& parent = tree.domains[static_cast<std::size_t>(domain.parent)];
  DomainBody& carrier = bodies[static_cast<std::size_t>(parent.kind)];
  node.port = &carrier.port(domain.port);
  node.carried.setZero(padded(carrier.rank()), 6);
  const Matrix3 to_parent = parent.rotation.normalized().toRotationMatrix().transpose();
  node.rest = to_parent * domain.rotation.normalized().toRotationMatrix();
  node.axes = node.rest;
  node.lever = to_parent * (domain.position - parent.position) - parent.scale * node.port->data->center;
  return node;
}

bool is_finite(const TreeState& state) {
  return state.q.allFinite() && state.v.allFinite() && state.a.allFinite() &&
         state.root.position.allFinite() && state.root.velocity.allFinite() &&
         state.root.angular_velocity.allFinite() && state.root.rotation.coeffs().allFinite();
}

Vector6 in_axes(const Matrix3& rotation, const Vector3& linear, const Vector3& angular) {
  Vector6 result;
  result << rotation.transpose() * linear, rotation.transpose() * angular;
  return result;
}

}  // namespace

TreeDynamics::Parts::Parts(std::shared_ptr<const DomainTree> given) : tree(std::move(given)) {
  bodies.reserve(tree->kinds.size());
  for (const DomainKind& kind : tree->kinds) bodies.emplace_back(kind);
  nodes.reserve(tree->domains.size());
  Index first = 0;
  for (Index i = 0; i < tree->domain_count(); ++i) {
    nodes.push_back(make_node(*tree, i, bodies));
    nodes.back().first = first;
    if (i > 0) nodes[static_cast<std::size_t>(nodes.back().parent)].leaf = false;
    first += nodes.back().rank;
  }
  Index most = 0;
  for (const TreeNode& node : nodes) most = std::max(most, node.rank);
  for (TreeNode& node : nodes)
    if (!node.leaf) node.system.setZero(padded(node.rank + 7), node.rank + 7);
  queues_.resize(bodies.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const auto kind = static_cast<std::size_t>(tree->domains[i].kind);
    if (bodies[kind].batch() != nullptr) queues_[kind].nodes.push_back(static_cast<int>(i));
  }
  for (std::size_t k = 0; k < queues_.size(); ++k) {
    ElasticQueue& queue = queues_[k];
    if (queue.nodes.size() < batch_size / 2) queue.nodes.clear();
    const Index r = bodies[k].rank(),
                count = std::min<Index>(batch_size, static_cast<Index>(queue.nodes.size()));
    queue.states.setZero(r, count);
    queue.forces.setZero(r, count);
    queue.stiffnesses.setZero(r * r, count);
    queue.energies.setZero(count);
  }
  sums.resize(nodes.size());
  strain_.setZero(most);
  load_.setZero(most);
  carried_.setZero(padded(most + 7), 7);
  carried_work_ = carried_;
  point_.setZero(most + 6, 3);
  take_state(rest());
}

TreeState TreeDynamics::Parts::rest() const {
  TreeState result;
  const Index size = tree->coordinate_count();
  result.q.setZero(size);
  result.v.setZero(size);
  result.a.setZero(size);
  result.root.position = tree->domains.front().position;
  result.root.rotation = tree->domains.front().rotation.normalized();
  return result;
}

void TreeDynamics::Parts::take_momentum() {
  if (!tree->free) return;
  update_sums();
  if (inertia != SubtreeInertia::full) {  // that of a rigid body is what is kept
    Vector6 velocity;
    velocity << nodes.front().velocity, nodes.front().spin;
    sums.front().momentum = sums.front().rigid * velocity;
  }
  momentum = total_momentum();
}

void TreeDynamics::Parts::take_state(const TreeState& next) {
  state = next;
  balanced_ = false;
  for (TreeNode& node : nodes) {
    node.turned.setIdentity();
    node.acceleration.setZero();
  }
  update_frames();
  take_momentum();
}

SolveStatus TreeDynamics::Parts::balance() {
  aim_damping(0.0, {});
  const SolveStatus status = eliminate({}, state.q, state.v);
  if (status != SolveStatus::converged) return status;
  accelerate_root();
  for (TreeNode& node : nodes) accelerate(node);
  if (!state.a.allFinite() || !nodes.front().acceleration.allFinite()) {
    state.a.setZero();
    for (TreeNode& node : nodes) node.acceleration.setZero();
    return SolveStatus::not_finite;
  }
  balanced_ = true;
  if (!tree->free) return status;
  const TreeNode& root = nodes.front();
  state.root.acceleration = root.frame.rotation * root.acceleration.head<3>() + gravity;
  state.root.angular_acceleration = root.frame.rotation * root.acceleration.tail<3>();
  return status;
}

/// As Newmark does for coordinates; the rotation by the mean angular velocity.
void TreeDynamics::Parts::advance_root(double h, const RootState& start, const NewmarkOptions& options) {
  const TreeNode& node = nodes.front();
  RootState& root = state.root;
  const Matrix3 axes = node.frame.rotation;
  root.acceleration = axes * node.acceleration.head<3>() + gravity;
  root.angular_acceleration = axes * node.acceleration.tail<3>();
  root.velocity =
      start.velocity + h * ((1.0 - options.gamma) * start.acceleration + options.gamma * root.acceleration);
  root.angular_velocity = start.angular_velocity + h * ((1.0 - options.gamma) * start.angular_acceleration +
                                                        options.gamma * root.angular_acceleration);
  root.position = start.position + h * start.velocity +
                  h * h * ((0.5 - options.beta) * start.acceleration + options.beta * root.acceleration);
  const Matrix3 turn = rotation_matrix(0.5 * h * (start.angular_velocity + root.angular_velocity));
  root.rotation = Eigen::Quaterniond(turn * start.rotation.toRotationMatrix()).normalized();
}

/// Impulses from outside change the momentum of the whole; where the root is, and how it moves, follows from that.
void TreeDynamics::Parts::settle_root(double h, const TreeMomentum& start, const NewmarkOptions& options) {
  update_sums();
  const TreeNode& node = nodes.front();
  const SubtreeSums& sum = sums.front();
  const Matrix3 axes = node.frame.rotation;
  const Vector3 center = sum.first / sum.mass;  // from the root's origin, in its axes
  Vector3 force = load_force_, torque = load_torque_;
  for (const TreeLoad& spring : springs) {
    force += spring.force;
    torque += (position(spring) - node.frame.position - axes * center).cross(spring.force);
  }
  // Damping against the world, as Newmark takes it.
  const double kept = 1.0 - (1.0 - options.gamma) * h * damping.mass,
               over = 1.0 + options.gamma * h * damping.mass;
  momentum = start;
  momentum.linear = (kept * start.linear + h * (force + start.mass * gravity)) / over;
  momentum.angular = (kept * start.angular + h * torque) / over;
  momentum.center += 0.5 * h * (start.linear + momentum.linear) / start.mass;

  const Vector6 target_about_center = in_axes(axes, momentum.linear, momentum.angular);
  Vector6 target = target_about_center;
  target.tail<3>() += center.cross(target_about_center.head<3>());
  Vector6 velocity;
  velocity << node.velocity, node.spin;
  if (inertia == SubtreeInertia::full) {
    velocity += solve_symmetric6(sum.rigid, target - sum.momentum);
  } else {
    const Vector6 rigid = solve_symmetric6(sum.rigid, target);
    // Turning as a rigid body; but what its parts do to each other moves its centre of mass nowhere.
    const Vector3 linear = sum.momentum.head<3>() + sum.rigid.topRows<3>() * (rigid - velocity);
    velocity = rigid;
    velocity.head<3>() += (target.head<3>() - linear) / sum.mass;
  }
  state.root.velocity = axes * velocity.head<3>();
  state.root.angular_velocity = axes * velocity.tail<3>();
  state.root.position = momentum.center - axes * center;
  update_frames();
}

SolveReport TreeDynamics::Parts::step(double h, const NewmarkOptions& options) {
  if (!balanced_) {
    if (const SolveStatus status = balance(); status != SolveStatus::converged) return {status, 0, 0.0};
  }
  start_ = state;
  start_moving_.clear();
  for (const TreeNode& node : nodes) start_moving_.emplace_back(node.turned_before, node.acceleration);
  const TreeMomentum start_momentum = momentum;
  const Implicit implicit{options.beta * h * h, options.gamma * h};
  q_hat_ = start_.q + h * start_.v + ((0.5 - options.beta) * h * h) * start_.a;
  v_hat_ = start_.v + ((1.0 - options.gamma) * h) * start_.a;
  aim_springs(h, options);
  aim_damping(h, options);
  SolveReport report;
  do {
    before_ = state.a;
    report.status = eliminate(implicit, q_hat_, v_hat_);
    ++report.iterations;
    if (!report.ok()) break;
    Timer timer;
    state.time = start_.time + h;
    accelerate_root();
    if (tree->free) advance_root(h, start_.root, options);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      TreeNode& node = nodes[i];
      if (i + 1 < nodes.size()) expect(nodes[i + 1]);
      accelerate(node);
      const auto a = state.a.segment(node.first, node.rank);
      state.q.segment(node.first, node.rank) =
          q_hat_.segment(node.first, node.rank) + implicit.displacement * a;
      state.v.segment(node.first, node.rank) = v_hat_.segment(node.first, node.rank) + implicit.velocity * a;
      update_frame(node);
    }
    if (!is_finite(state)) {
      report.status = SolveStatus::not_finite;
      break;
    }
    if (tree->free) settle_root(h, start_momentum, options);
    if (measure) timings.core += timer.seconds();
    if (options.max_iterations == 1) break;
    // By how much the last iteration moved the coordinates, as a share of the step; rounding hides what is less than 1e-12 of them.
    const double change = implicit.displacement * (state.a - before_).norm();
    const double size = (state.q - start_.q).norm() + 1e-4 * state.q.norm();
    report.residual = size > 0.0 ? change / size : 0.0;
    if (report.residual <= options.tolerance) break;
    if (report.iterations >= options.max_iterations) report.status = SolveStatus::not_converged;
  } while (report.ok());
  if (!report.ok()) {
    state = start_;
    momentum = start_momentum;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      std::tie(nodes[i].turned, nodes[i].acceleration) = start_moving_[i];
    update_frames();
  }
  return report;
}

}  // namespace limber
