#include "limber/base/timer.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/linalg/symmetric_solve.hpp"
#include "limber/multidomain/tree_parts.hpp"
#include "limber/warp/rotation.hpp"

#include <cmath>

// The equations of motion of a tree, eliminated from the leaves to the root and solved from the root to the leaves: cost linear in the number of domains. What a
// domain feels of a child is all that is left of its equations (L3: the articulated-body recursion of Featherstone, with the coordinates of a deformable body in
// place of joints), or a point mass (L1, L2), which neglects how the subtree turns and deforms.  [Barbic & Zhao 2011, Eq. 10-17]

namespace limber {
namespace {

double cube(double x) { return x * x * x; }

/// sums += columns^T z, with columns whose padding is zero.
void add_products(const MatrixX6& columns, const Vector& z, Vector6& sums) {
  Packet sum[6] = {};
  for (Index i = 0; i < columns.rows(); i += packet_size) {
    const Packet values = load_packet(z.data() + i);
    for (int k = 0; k < 6; ++k) sum[k] += load_packet(&columns(i, k)) * values;
  }
  for (int k = 0; k < 6; ++k) sums(k) += sum_lanes(sum[k]);
}

/// Negative curvature, of a body under pressure, taken away.
void make_positive(Matrix& stiffness) {
  const SymmetricEigen eigen = symmetric_eigen(stiffness);
  stiffness = eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
}

/// Velocity of the air at a place: the mean with gusts that travel along.
Vector3 air_velocity(const Wind& wind, const Vector3& x, double time) {
  const double speed = wind.velocity.norm();
  if (speed == 0.0) return Vector3::Zero();
  const Vector3 along = wind.velocity / speed, aside = along.unitOrthogonal(), across = along.cross(aside);
  // Waves of three lengths (m) which the wind carries; what they have in common is nothing, so they do not repeat soon.
  const double s = along.dot(x) - speed * time;
  const double gust = std::sin(s / 1.9) + 0.6 * std::sin(s / 0.73 + aside.dot(x) / 1.1) +
                      0.4 * std::sin(s / 0.31 + across.dot(x) / 0.57 + 2.3 * time);
  const double side = std::sin(s / 1.3 + 1.7 * time) + 0.5 * std::sin(s / 0.41 + across.dot(x));
  return wind.velocity * (1.0 + 0.5 * wind.gusts * gust) + 0.25 * wind.gusts * speed * side * aside;
}

}  // namespace

double TreeDynamics::Parts::evaluate_elastic(TreeNode& node) {
  if (node.rank == 0) return 0.0;
  auto& [terms, force, tangent, system] = node.body->work();
  const double energy =
      node.body->elastic().evaluate(state.q.segment(node.first, node.rank), elastic_, force, tangent);
  if (!node.body->elastic().conservative()) tangent = 0.5 * (tangent + tangent.transpose()).eval();
  return node.stiffness * cube(node.scale) * energy;
}

/// evaluate_elastic() for domains in the order of their elimination, without the energy.
void TreeDynamics::Parts::evaluate_next(TreeNode& node) {
  const auto kind = static_cast<std::size_t>(node.body - bodies.data());
  ElasticQueue& queue = queues_[kind];
  if (queue.nodes.empty()) {
    evaluate_elastic(node);
    return;
  }
  const Index lane = static_cast<Index>(queue.next) % batch_size;
  if (lane == 0) {
    const auto left = static_cast<Index>(queue.nodes.size() - queue.next);
    for (Index i = 0; i < std::min(left, batch_size); ++i) {
      const TreeNode& other =
          nodes[static_cast<std::size_t>(queue.nodes[queue.next + static_cast<std::size_t>(i)])];
      queue.states.col(i) = state.q.segment(other.first, other.rank);
    }
    node.body->batch()->evaluate(queue.states, batch_, queue.forces, queue.stiffnesses, queue.energies);
  }
  DomainBody::Work& work = node.body->work();
  work.force = queue.forces.col(lane);
  work.tangent = queue.stiffnesses.col(lane).reshaped(node.rank, node.rank);
  if (++queue.next == queue.nodes.size()) queue.next = 0;
}

/// Adds what the domain is by itself: its children have come before. Damping in proportion to mass acts on all of its velocity, not only on that in its frame.
void TreeDynamics::Parts::set_up(TreeNode& node, const Implicit& implicit, const Vector& q_hat,
                                 const Vector& v_hat) {
  const Index r = node.rank;
  const auto& [terms, force, tangent, unused] = node.body->work();
  Matrix& S = system_of(node);
  const double inertial = 1.0 + implicit.velocity * damping.mass;
  const Matrix6 rigid = terms.rigid();
  const auto v = v_hat.segment(node.first, r);
  S.block<6, 6>(r, r) += inertial * rigid;
  S.row(r + 6).segment<6>(r) += terms.bias;
  Vector6 drift;
  if (damping.mass > 0.0) {
    drift = drift_in_axes(node, implicit);
    S.row(r + 6).segment<6>(r) += damping.mass * (rigid * drift + terms.coupling.transpose() * v);
  }
  if (r == 0) return;
  const double elastic = node.stiffness * cube(node.scale),
               heavy = cube(node.scale) * node.scale * node.scale;
  const bool rest = damping.kind == RayleighDamping::Stiffness::linear;
  const Matrix& M = node.body->mass();
  const Matrix& K = rest ? node.body->rest_stiffness() : tangent;
  const double stiffness = elastic * implicit.displacement, friction = elastic * damping.stiffness;
  S.topLeftCorner(r, r) += (heavy * inertial) * M + stiffness * tangent + (implicit.velocity * friction) * K;
  S.block(r, 0, 6, r) += inertial * terms.coupling.transpose();

  auto strain = strain_.head(r), load = load_.head(r);
  strain = q_hat.segment(node.first, r) - state.q.segment(node.first, r);
  load = elastic * force + terms.bias_q;
  load.noalias() += elastic * (tangent.lazyProduct(strain));
  if (friction > 0.0) load.noalias() += friction * (K.lazyProduct(v));
  if (damping.mass > 0.0) {
    load.noalias() += heavy * damping.mass * (M.lazyProduct(v));
    load.noalias() += damping.mass * (terms.coupling.lazyProduct(drift));
  }
  S.row(r + 6).head(r) += load;
}

/// A mass at a point of a domain (0: none), and a force on it in the axes of the domain.
void TreeDynamics::Parts::add_point(TreeNode& node, double mass, const TreeLoad& load, const Vector3& force) {
  const Index r = node.rank;
  const Vector3 point = node.scale * (load.place + load.rows.transpose() * state.q.segment(node.first, r));
  Matrix& S = system_of(node);
  // Its acceleration is G z for z without its last entry.
  auto rows = point_.topRows(r + 6);
  rows.topRows(r) = node.scale * load.rows;
  rows.middleRows<3>(r).setIdentity();
  rows.bottomRows<3>() = cross_matrix(point);
  if (mass > 0.0) S.topLeftCorner(r + 6, r + 6).noalias() += mass * rows * rows.transpose();
  S.row(r + 6).head(r + 6).noalias() -= (rows * force).transpose();
  if (inertia == SubtreeInertia::full) return;
  SubtreeSums& sum = sums_of(node);
  sum.springs += mass;
  sum.load.head<3>() += force;
  sum.load.tail<3>() += point.cross(force);
}

void TreeDynamics::Parts::add_forces(TreeNode& node) {
  for (const int number : node.forces) {
    const TreeLoad& load = forces[static_cast<std::size_t>(number)];
    add_point(node, 0.0, load, node.frame.rotation.transpose() * load.force);
    load_force_ += load.force;
    load_torque_ += (position(load) - momentum.center).cross(load.force);
  }
}

void TreeDynamics::Parts::aim_damping(double h, const NewmarkOptions& options) {
  if (damping.mass == 0.0) return;
  const double explicit_part = (1.0 - options.gamma) * h;
  for (TreeNode& node : nodes) {
    const Matrix3& R = node.frame.rotation;
    node.drift.head<3>() =
        R * (node.velocity + explicit_part * node.acceleration.head<3>()) + explicit_part * solved_gravity_;
    node.drift.tail<3>() = R * (node.spin + explicit_part * node.acceleration.tail<3>());
  }
}

/// Of a point, less gravity, in the axes of its domain.
Vector3 TreeDynamics::Parts::point_acceleration(const TreeNode& node, const TreeLoad& load) const {
  const auto q = state.q.segment(node.first, node.rank), v = state.v.segment(node.first, node.rank),
             a = state.a.segment(node.first, node.rank);
  const Vector3 point = node.scale * (load.place + load.rows.transpose() * q);
  const Vector3 moving = node.scale * (load.rows.transpose() * v);
  const Vector3& w = node.spin;
  return node.acceleration.head<3>() + Vector3(node.acceleration.tail<3>()).cross(point) +
         node.scale * (load.rows.transpose() * a) + w.cross(w.cross(point)) + 2.0 * w.cross(moving);
}

/// Without the acceleration less gravity, which is unknown.
Vector6 TreeDynamics::Parts::drift_in_axes(const TreeNode& node, const Implicit& implicit) const {
  Vector6 drift;
  drift.head<3>() = node.frame.rotation.transpose() * (node.drift.head<3>() + implicit.velocity * gravity);
  drift.tail<3>() = node.frame.rotation.transpose() * node.drift.tail<3>();
  return drift;
}

void TreeDynamics::Parts::aim_springs(double h, const NewmarkOptions& options) {
  for (TreeLoad& spring : springs) {
    const TreeNode& node = nodes[static_cast<std::size_t>(spring.node)];
    spring.reached = position(spring) + h * velocity(spring) +
                     (0.5 - options.beta) * h * h *
                         (node.frame.rotation * point_acceleration(node, spring) + solved_gravity_);
  }
}

void TreeDynamics::Parts::add_springs(TreeNode& node, const Implicit& implicit) {
  for (const int number : node.springs) {
    const TreeLoad& spring = springs[static_cast<std::size_t>(number)];
    const auto q = state.q.segment(node.first, node.rank), v = state.v.segment(node.first, node.rank);
    const Vector3 point = node.scale * (spring.place + spring.rows.transpose() * q);
    const Vector3 moving = node.scale * (spring.rows.transpose() * v);
    const double mass = spring.stiffness * implicit.displacement;
    const Vector3 bias = node.spin.cross(node.spin.cross(point)) + 2.0 * node.spin.cross(moving);
    const Vector3 reached = implicit.displacement > 0.0 ? spring.reached : position(spring);
    const Vector3 pull = spring.stiffness * (spring.target - reached) - mass * gravity;
    add_point(node, mass, spring, node.frame.rotation.transpose() * pull - mass * bias);
  }
}

void TreeDynamics::Parts::add_wind(TreeNode& node) {
  const InertiaTerms& terms = node.body->work().terms;
  const Vector3 center = terms.first / terms.mass;
  const auto rows = terms.coupling.leftCols<3>();  // of the centre of mass, times the mass
  Vector3 moving = node.velocity + node.spin.cross(center);
  moving.noalias() += rows.transpose().lazyProduct(state.v.segment(node.first, node.rank)) / terms.mass;
  const Vector3 place = node.frame.position + node.frame.rotation * center;
  const Vector3 relative = air_velocity(wind, place, state.time) - node.frame.rotation * moving;
  const double area = node.body->shadow() * node.scale * node.scale;
  const Vector3 drag = 0.5 * wind.density * wind.coefficient * area * relative.norm() * relative;
  const Vector3 force = node.frame.rotation.transpose() * drag, torque = center.cross(force);
  auto load = system_of(node).row(node.rank + 6);
  load.head(node.rank).noalias() -= (rows.lazyProduct(force / terms.mass)).transpose();
  load.segment<3>(node.rank) -= force;
  load.segment<3>(node.rank + 3) -= torque;
  if (inertia != SubtreeInertia::full) {
    SubtreeSums& sum = sums_of(node);
    sum.load.head<3>() += force;
    sum.load.tail<3>() += torque;
  }
  load_force_ += drag;
  load_torque_ += (place - momentum.center).cross(drag);
}

/// What the parent of a domain feels, once its own coordinates have been eliminated.
void TreeDynamics::Parts::feel(const TreeNode& node, const Implicit& implicit) {
  if (inertia == SubtreeInertia::full) {
    const Matrix& S = node.leaf ? node.body->work().system : node.system;
    felt_ = S.block<7, 7>(node.rank, node.rank).selfadjointView<Eigen::Lower>();
    felt_(6, 6) = 0.0;  // of no use, and the first that would overflow
    return;
  }
  const SubtreeSums& sum = sums_of(node);
  const double inertial = 1.0 + implicit.velocity * damping.mass;
  const double mass = inertial * sum.mass + sum.springs;
  const bool at_center = inertia == SubtreeInertia::center;
  const Vector3 center = at_center ? Vector3(sum.first / sum.mass) : Vector3::Zero();
  Vector3 swing = node.spin.cross(node.spin.cross(center));
  if (damping.mass > 0.0) {
    const Vector6 drift = drift_in_axes(node, implicit);
    swing += damping.mass * (drift.head<3>() + Vector3(drift.tail<3>()).cross(center));
  }
  const Matrix3 offset = cross_matrix(center);
  felt_.setZero();
  felt_.topLeftCorner<3, 3>() = mass * Matrix3::Identity();
  felt_.block<3, 3>(0, 3) = -mass * offset;
  felt_.block<3, 3>(3, 0) = mass * offset;
  felt_.block<3, 3>(3, 3) = -mass * offset * offset;
  Vector6 bias = Vector6::Zero();
  bias.head<3>() = sum.mass * swing - sum.load.head<3>();
  if (at_center) bias.tail<3>() = sum.mass * center.cross(swing) - sum.load.tail<3>();
  felt_.col(6).head<6>() = bias;
  felt_.row(6).head<6>() = bias;
}

void TreeDynamics::Parts::add_to_parent(const TreeNode& node) {
  TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
  Matrix7 C = felt_;  // in the parent's axes
  for (int i = 0; i < 6; i += 3) {
    for (int j = 0; j < 6; j += 3)
      C.block<3, 3>(i, j).noalias() = node.axes * felt_.block<3, 3>(i, j).lazyProduct(node.axes.transpose());
    C.block<3, 1>(i, 6).noalias() = node.axes * felt_.block<3, 1>(i, 6);
    C.block<1, 3>(6, i) = C.block<3, 1>(i, 6).transpose();
  }
  const Index r = parent.rank;
  carried_.topLeftCorner(node.carried.rows(), 6) = node.carried;
  carried_.col(6).head(r).setZero();
  carried_.block<7, 7>(r, 0).setIdentity();
  carried_.block<3, 3>(r + 3, 0) = cross_matrix(node.arm);  // (-[arm])^T
  carried_.row(r + 6).head<6>() = node.carried_bias;
  carried_.middleRows(r + 7, parent.system.rows() - r - 7).setZero();
  add_carried(parent.system, carried_, C, carried_work_);
  if (inertia == SubtreeInertia::full) return;
  const SubtreeSums& sum = sums_of(node);
  SubtreeSums& whole = sums_of(parent);
  const Vector3 load = node.axes * sum.load.head<3>();
  whole.load.head<3>() += load;
  whole.load.tail<3>() += node.axes * sum.load.tail<3>() + node.arm.cross(load);
  whole.springs += sum.springs;
}

void TreeDynamics::Parts::accelerate_root() {
  TreeNode& root = nodes.front();
  solved_gravity_ = gravity;
  if (!tree->free) {
    root.acceleration.head<3>() = -(root.frame.rotation.transpose() * gravity);
    root.acceleration.tail<3>().setZero();
    return;
  }
  if (inertia == SubtreeInertia::full) {
    root.acceleration = -solve_symmetric6(felt_.topLeftCorner<6, 6>(), felt_.col(6).head<6>());
    return;
  }
  // As a rigid body under what acts on it from outside.
  const SubtreeSums& sum = sums.front();
  const Vector3& w = root.spin;
  const Matrix3 rotational = sum.rigid.bottomRightCorner<3, 3>();
  Vector6 load = sum.load;
  load.head<3>() -= w.cross(w.cross(sum.first));
  load.tail<3>() -= w.cross(rotational * w);
  root.acceleration = solve_symmetric6(sum.rigid, load);
}

void TreeDynamics::Parts::accelerate(TreeNode& node) {
  if (node.parent >= 0) {
    const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
    Vector6 carried = node.carried_bias + parent.acceleration;
    carried.head<3>() += Vector3(parent.acceleration.tail<3>()).cross(node.arm);
    add_products(node.carried, parent.solution, carried);
    node.acceleration.head<3>().noalias() = node.axes.transpose() * carried.head<3>();
    node.acceleration.tail<3>().noalias() = node.axes.transpose() * carried.tail<3>();
  }
  node.solution.head(node.rank).setZero();
  node.solution.segment<6>(node.rank) = node.acceleration;
  node.solution(node.rank + 6) = 1.0;
  substitute(node.system, node.rank, node.solution);
  state.a.segment(node.first, node.rank) = node.solution.head(node.rank);
  if (!node.leaf) node.system.setZero();  // its children add to it next
  for (const int number : node.springs) {
    TreeLoad& spring = springs[static_cast<std::size_t>(number)];
    const Vector3 end =
        spring.reached + displacement_ * (node.frame.rotation * point_acceleration(node, spring) + gravity);
    spring.force = spring.stiffness * (spring.target - end);
  }
}

void TreeDynamics::Parts::expect(const TreeNode& node) {
  const auto bring = [](const void* data, Index bytes) {
    for (Index i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(data) + i);
  };
  bring(&node, static_cast<Index>(sizeof node));
  bring(node.carried.data(), node.carried.size() * 8);
  bring(node.system.data(), node.system.size() * 8);
}

void TreeDynamics::Parts::clear_systems() {
  for (TreeNode& node : nodes)
    if (!node.leaf) node.system.setZero();
}

SolveStatus TreeDynamics::Parts::eliminate_once(const Implicit& implicit, const Vector& q_hat,
                                                const Vector& v_hat, bool positive) {
  Timer timer;
  const auto lap = [&](double& sum) {
    if (!measure) return;
    sum += timer.seconds();
    timer.restart();
  };
  load_force_.setZero();
  load_torque_.setZero();
  for (ElasticQueue& queue : queues_) queue.next = 0;
  displacement_ = implicit.displacement;
  if (inertia != SubtreeInertia::full) update_sums();
  lap(timings.core);
  // All that is done with a domain is done at once: a large tree does not fit into the caches.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    TreeNode& node = nodes[i];
    if (i > 0) expect(nodes[i - 1]);
    evaluate_next(node);
    if (positive && node.rank > 0) {
      Matrix& tangent = node.body->work().tangent;
      if (!tangent.allFinite()) return SolveStatus::not_finite;
      make_positive(tangent);
    }
    lap(timings.elastic);
    update_inertia(node);
    Matrix& S = system_of(node);
    if (node.leaf) S.setZero();
    set_up(node, implicit, q_hat, v_hat);
    add_forces(node);
    add_springs(node, implicit);
    if (blowing_) add_wind(node);
    lap(timings.core);
    if (!limber::eliminate(S, node.rank)) return SolveStatus::not_positive_definite;
    if (node.leaf) node.system = S.leftCols(node.rank);
    lap(timings.solve);
    feel(node, implicit);
    if (i > 0) add_to_parent(node);
    lap(timings.core);
  }
  return SolveStatus::converged;
}

SolveStatus TreeDynamics::Parts::eliminate(const Implicit& implicit, const Vector& q_hat,
                                           const Vector& v_hat) {
  blowing_ = !wind.velocity.isZero(0.0) && wind.coefficient > 0.0;
  SolveStatus status = eliminate_once(implicit, q_hat, v_hat, false);
  if (status == SolveStatus::not_positive_definite) {
    clear_systems();
    status = eliminate_once(implicit, q_hat, v_hat, true);
  }
  if (status != SolveStatus::converged) clear_systems();
  return status;
}

}  // namespace limber
