#include "limber/multidomain/tree_parts.hpp"

#include <cmath>

// The equations of motion of a tree, eliminated from the leaves to the root and solved from the root to the
// leaves: cost linear in the number of domains. What a domain feels of a child is all that is left of its
// equations (L3: the articulated-body recursion of Featherstone, with the coordinates of a deformable body in
// place of joints), or a point mass (L1, L2), which neglects how the subtree turns and deforms. [Barbic &
// Zhao 2011, Eq. 10-17]

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

}  // namespace

void TreeDynamics::Parts::evaluate_elastic(const Vector& q) {
  TreeTimer timer(measure);
  for (std::size_t k = 0; k < elastic_.size(); ++k) {
    ElasticStates& states = elastic_[k];
    const DomainBody& body = bodies[k];
    const Index r = body.rank(), count = static_cast<Index>(states.nodes.size());
    if (r == 0) continue;
    for (Index i = 0; i < count; ++i)
      states.q.col(i) =
          q.segment(nodes[static_cast<std::size_t>(states.nodes[static_cast<std::size_t>(i)])].first, r);
    if (body.batch() != nullptr) {
      body.batch()->evaluate(states.q, batch_, states.forces, states.stiffnesses.topRows(r * r),
                             states.energies);
      continue;
    }
    for (Index i = 0; i < count; ++i) {
      Eigen::Map<Matrix> stiffness(&states.stiffnesses(0, i), r, r);
      states.energies(i) =
          body.elastic().evaluate(states.q.col(i), elastic_work_, states.forces.col(i), stiffness);
    }
  }
  resist_crushing();
  timer.add_to(timings.elastic);
}

/// Elastic forces, damping in proportion to them, and the mass of the coordinates: their equations in S, and
/// load_ grows by what these have where nothing accelerates.
void TreeDynamics::Parts::set_up_elastic(TreeNode& node, const StepRule& rule,
                                         const Eigen::Ref<const Vector>& q_hat,
                                         const Eigen::Ref<const Vector>& v_hat, bool positive) {
  const Index r = node.rank;
  Matrix& S = system_of(node);
  const double elastic = node.stiffness * cube(node.scale),
               heavy = cube(node.scale) * node.scale * node.scale;
  const double inertial = 1.0 + rule.velocity * damping.mass, friction = elastic * damping.stiffness;
  const bool rest = damping.kind == RayleighDamping::Stiffness::linear;
  const ElasticStates& states = elastic_[static_cast<std::size_t>(node.part)];
  auto strain = strain_.head(r), load = load_.head(r);
  const auto add = [&](const Matrix& A, double factor) {
    S.topLeftCorner(r, r) += factor * A;
    load.noalias() += A.lazyProduct(strain);
  };
  load += elastic * states.forces.col(node.lane);
  strain = elastic * (q_hat - states.q.col(node.lane));
  if (!rest) strain += friction * v_hat;
  const double stiffness = elastic * rule.displacement + (rest ? 0.0 : rule.velocity * friction);
  if (positive) {
    add(node.body->work().tangent, stiffness);
  } else {
    add_symmetric(S, &states.stiffnesses(0, node.lane), r, stiffness, strain_.data(), load_.data());
  }
  if (rest && friction > 0.0) {
    strain = friction * v_hat;
    add(node.body->rest_stiffness(), rule.velocity * friction);
  }
  strain = (heavy * damping.mass) * v_hat;
  if (node.body->has_unit_mass()) {
    S.diagonal().head(r).array() += heavy * inertial;
    load += strain;
  } else {
    add(node.body->mass(), heavy * inertial);
  }
}

/// Adds what the domain is by itself: its children have come before. Damping in proportion to mass acts on
/// all of its velocity, not only on that in its frame.
void TreeDynamics::Parts::set_up(TreeNode& node, const StepRule& rule, const Vector& q_hat,
                                 const Vector& v_hat, bool positive) {
  const Index r = node.rank, rows = padded(r);
  const InertiaTerms& terms = node.body->work().terms;
  Matrix& S = system_of(node);
  const double inertial = 1.0 + rule.velocity * damping.mass;
  const Matrix6 rigid = terms.rigid();
  const auto v = v_hat.segment(node.first, r);
  Vector6 bias = terms.bias;
  load_.head(rows) = terms.bias_q;
  if (damping.mass > 0.0) {
    const Vector6 drift = drift_in_axes(node, rule);
    Vector6 dragged = rigid * drift;
    if (r > 0) {
      strain_.head(r) = v;
      strain_.segment(r, rows - r).setZero();
      add_products(terms.coupling, strain_, dragged);
      load_.head(rows).noalias() += damping.mass * (terms.coupling.lazyProduct(drift));
    }
    bias += damping.mass * dragged;
  }
  S.block<6, 6>(r, r) += inertial * rigid;
  S.row(r + 6).segment<6>(r) += bias;
  if (r == 0) return;
  set_up_elastic(node, rule, q_hat.segment(node.first, r), v, positive);
  for (Index j = 0; j < r; ++j) {
    double* frame = &S(r, j);
    for (int k = 0; k < 6; ++k) frame[k] += inertial * terms.coupling(j, k);
    frame[6] += load_(j);
  }
}

/// What the parent of a domain feels, once its own coordinates have been eliminated.
void TreeDynamics::Parts::feel(const TreeNode& node, const StepRule& rule) {
  if (inertia == SubtreeInertia::full) {
    const Matrix& S = node.leaf ? node.body->work().system : node.system;
    felt_ = S.block<7, 7>(node.rank, node.rank).selfadjointView<Eigen::Lower>();
    felt_(6, 6) = 0.0;  // of no use, and the first that would overflow
    return;
  }
  const SubtreeSums& sum = sums_of(node);
  const double inertial = 1.0 + rule.velocity * damping.mass;
  const double mass = inertial * sum.mass + sum.springs;
  const bool at_center = inertia == SubtreeInertia::center;
  // The interface does not move in the frame that it carries, wherever the origin of that is.
  const Vector3 center =
      at_center ? Vector3(sum.first / sum.mass) : Vector3(-(node.rest.transpose() * node.lever));
  Vector3 swing = node.spin.cross(node.spin.cross(center));
  if (damping.mass > 0.0) {
    const Vector6 drift = drift_in_axes(node, rule);
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
  bias.tail<3>() = at_center ? Vector3(sum.mass * center.cross(swing) - sum.load.tail<3>())
                             : Vector3(center.cross(bias.head<3>()));
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
  if (carried()) {
    root.acceleration.head<3>() = root.frame.rotation.transpose() * (aimed_.acceleration - gravity);
    root.acceleration.tail<3>() = root.frame.rotation.transpose() * aimed_.angular_acceleration;
    return;
  }
  if (!tree->free) {
    root.acceleration.head<3>() = -(root.frame.rotation.transpose() * gravity);
    root.acceleration.tail<3>().setZero();
    return;
  }
  if (inertia == SubtreeInertia::full) {
    root.acceleration = -solve_rigid(felt_.topLeftCorner<6, 6>(), felt_.col(6).head<6>());
    return;
  }
  // As a rigid body under what acts on it from outside.
  const SubtreeSums& sum = sums_.front();
  const Vector3& w = root.spin;
  const Matrix3 rotational = sum.rigid.bottomRightCorner<3, 3>();
  Vector6 load = sum.load;
  load.head<3>() -= w.cross(w.cross(sum.first));
  load.tail<3>() -= w.cross(rotational * w);
  root.acceleration = solve_rigid(sum.rigid, load);
}

void TreeDynamics::Parts::accelerate(TreeNode& node, const StepRule& rule) {
  if (node.parent >= 0) {
    const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
    Vector6 carried = node.carried_bias + parent.acceleration;
    carried.head<3>() += Vector3(parent.acceleration.tail<3>()).cross(node.arm);
    add_products(node.carried, parent.solution, carried);
    node.acceleration.head<3>().noalias() = node.axes.transpose() * carried.head<3>();
    node.acceleration.tail<3>().noalias() = node.axes.transpose() * carried.tail<3>();
  }
  node.solution.segment<6>(node.rank) = node.acceleration;
  node.solution(node.rank + 6) = 1.0;
  substitute(node.system, node.rank, node.solution);
  state.a.segment(node.first, node.rank) = node.solution.head(node.rank);
  if (!node.leaf) node.system.setZero();  // its children add to it next
  if (tree->free) feel_loads(node, rule);
}

void TreeDynamics::Parts::expect(const TreeNode& node) const {
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

SolveStatus TreeDynamics::Parts::eliminate_once(const StepRule& rule, const Vector& q_hat,
                                                const Vector& v_hat, bool positive) {
  TreeTimer timer(measure);
  load_force_.setZero();
  load_torque_.setZero();
  swept_.setZero();
  if (inertia != SubtreeInertia::full) update_sums();
  // All that is done with a domain is done at once: a large tree does not fit into the caches.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    TreeNode& node = nodes[i];
    if (i > 0) expect(nodes[i - 1]);
    if (positive && node.rank > 0) {
      Matrix& tangent = node.body->work().tangent;
      const ElasticStates& states = elastic_[static_cast<std::size_t>(node.part)];
      tangent = Eigen::Map<const Matrix>(&states.stiffnesses(0, node.lane), node.rank, node.rank);
      if (!tangent.allFinite()) return SolveStatus::not_finite;
      node.body->work().positive.take(tangent);  // no negative curvature, of a body under pressure
    }
    const InertiaTerms& terms = update_inertia(node);
    if (tree->free)
      swept_ +=
          terms.mass * (node.frame.position - start_.momentum.center) + node.frame.rotation * terms.first;
    Matrix& S = system_of(node);
    if (node.leaf) S.setZero();
    set_up(node, rule, q_hat, v_hat, positive);
    add_loads(node, rule);
    timer.add_to(timings.core);
    if (!limber::eliminate(S, node.rank)) return SolveStatus::not_positive_definite;
    if (node.leaf) node.system = S.leftCols(node.rank);
    timer.add_to(timings.solve);
    feel(node, rule);
    if (i > 0) add_to_parent(node);
    timer.add_to(timings.core);
  }
  return SolveStatus::converged;
}

SolveStatus TreeDynamics::Parts::eliminate(const StepRule& rule, const Vector& q_hat, const Vector& v_hat) {
  SolveStatus status = eliminate_once(rule, q_hat, v_hat, false);
  if (status == SolveStatus::not_positive_definite) {
    clear_systems();
    status = eliminate_once(rule, q_hat, v_hat, true);
  }
  if (status != SolveStatus::converged) clear_systems();
  return status;
}

}  // namespace limber
