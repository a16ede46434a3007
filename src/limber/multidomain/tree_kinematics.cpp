#include "limber/multidomain/interface_frame.hpp"
#include "limber/multidomain/tree_parts.hpp"

#include <numeric>
#include <utility>

namespace limber {
namespace {

/// What turns a force and torque at the origin of a child into those at the origin of its parent, all in the
/// axes of the parent.
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

/// The covariance of a port and its centre, and how they move.
struct PortMotion {
  Matrix3 covariance, covariance_rate;
  Vector3 center, center_rate;

  PortMotion(const DomainBody::Port& port, const Eigen::Ref<const Vector>& q,
             const Eigen::Ref<const Vector>& v) {
    Vector12 motion, rates;
    port.motion(q, v, motion, rates);
    covariance = port.data->covariance + Eigen::Map<const Matrix3>(motion.data());
    covariance_rate = Eigen::Map<const Matrix3>(rates.data());
    center = port.data->center + motion.tail<3>();
    center_rate = rates.tail<3>();
  }
};

PolarRates rates_of(const PortMotion& motion, const TreeNode& node) {
  using Port = DomainBody::Port;
  const double rest = node.port->spread;
  return {motion.covariance, node.turned, Port::least * rest, Port::narrow * rest};
}

/// Where a port is and how fast it moves, with the coordinates of its domain. [Barbic & Zhao 2011, Eq. 1-9]
void follow_port(TreeNode& node, const TreeNode& parent, const PortMotion& port, const PolarRates& rates) {
  const Vector3 lever = node.turned * node.lever;
  node.arm = parent.scale * port.center + lever;
  node.axes = node.turned * node.rest;
  node.rate.tail<3>() = rates.velocity(port.covariance_rate);
  node.rate.head<3>() = parent.scale * port.center_rate + Vector3(node.rate.tail<3>()).cross(lever);
}

/// How the frame of a child is carried by the coordinates of its parent: rows of G, and its acceleration
/// where they have none.
template <class Rows>
void fill_carried(const TreeNode& node, const TreeNode& parent, const PolarRates& rates, Rows&& rows) {
  const Vector3 lever = node.turned * node.lever;
  rows.template rightCols<3>().noalias() =
      node.port->covariance_rows.lazyProduct(rates.velocity_matrix().transpose());
  rows.template leftCols<3>() = parent.scale * node.port->center_rows;
  rows.template leftCols<3>().noalias() += rows.template rightCols<3>().lazyProduct(cross_matrix(lever));
}

/// Velocity in the world of a place x that moves with the frame of a child, for each coordinate of its
/// parent: rows of G at that place. 3 x r.  q: of the parent.
template <class Rows>
void fill_carried_at(const TreeNode& child, const TreeNode& parent, const Vector3& x,
                     const Eigen::Ref<const Vector>& q, Rows&& rows) {
  const PolarRates rates = rates_of(PortMotion(*child.port, q, q), child);
  const Matrix3& axes = parent.frame.rotation;
  const Vector3 arm =  // from the centre of the port, in the axes of the parent
      axes.transpose() * (x - child.frame.position) + child.turned * child.lever;
  const Matrix3 moving = parent.scale * axes, turning = axes * cross_matrix(-arm);
  const Eigen::Matrix<double, 3, 9> by_covariance = turning * rates.velocity_matrix();
  rows.noalias() = moving.lazyProduct(child.port->center_rows.transpose());
  rows.noalias() += by_covariance.lazyProduct(child.port->covariance_rows.transpose());
}

/// How the frame of a child would accelerate if its parent and the coordinates of that did not.
Vector6 carried_bias(const TreeNode& node, const TreeNode& parent, const Vector6& port_bias) {
  const Vector3& w = parent.spin;
  const Vector3 moving = node.rate.head<3>(), turning = node.rate.tail<3>();
  Vector6 bias = port_bias;
  bias.head<3>() += w.cross(w.cross(node.arm)) + 2.0 * w.cross(moving);
  bias.tail<3>() += w.cross(turning);
  return bias;
}

}  // namespace

/// Its frame and how that moves, once it is known how the port does.
void TreeDynamics::Parts::carry(TreeNode& node) {
  if (node.parent < 0) {
    node.frame = {state.root.position, state.root.rotation.toRotationMatrix()};
    node.velocity = node.frame.rotation.transpose() * state.root.velocity;
    node.spin = node.frame.rotation.transpose() * state.root.angular_velocity;
    return;
  }
  const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
  const Vector3& w = parent.spin;
  node.velocity = node.axes.transpose() * (parent.velocity + w.cross(node.arm) + node.rate.head<3>());
  node.spin = node.axes.transpose() * (w + node.rate.tail<3>());
  node.frame.position = parent.frame.position + parent.frame.rotation * node.arm;
  node.frame.rotation = parent.frame.rotation * node.axes;
}

void TreeDynamics::Parts::place(TreeNode& node, Rotations rotations) {
  if (node.parent < 0) {
    narrow_.clear();
    return carry(node);
  }
  const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
  if (parent.rank == 0) {
    node.arm = parent.scale * node.port->data->center + node.lever;
    return carry(node);
  }
  const PortMotion port(*node.port, state.q.segment(parent.first, parent.rank),
                        state.v.segment(parent.first, parent.rank));
  if (rotations == Rotations::seek) node.turned = nearest_rotation(port.covariance, node.turned);
  const PolarRates rates = rates_of(port, node);
  if (rates.narrow()) narrow_.push_back(static_cast<int>(&node - nodes.data()));
  follow_port(node, parent, port, rates);
  carry(node);
}

void TreeDynamics::Parts::prepare(TreeNode& node, Rotations rotations) {
  if (node.parent < 0) {
    narrow_.clear();
    return carry(node);
  }
  const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
  if (parent.rank == 0) {
    node.arm = parent.scale * node.port->data->center + node.lever;
    node.carried_bias = carried_bias(node, parent, Vector6::Zero());
    return carry(node);
  }
  const PortMotion port(*node.port, state.q.segment(parent.first, parent.rank),
                        state.v.segment(parent.first, parent.rank));
  if (rotations == Rotations::seek) node.turned = nearest_rotation(port.covariance, node.turned);
  const PolarRates rates = rates_of(port, node);
  if (rates.narrow()) narrow_.push_back(static_cast<int>(&node - nodes.data()));
  node.crushed = rates.bounded();
  follow_port(node, parent, port, rates);
  fill_carried(node, parent, rates, node.carried.topRows(parent.rank));
  const Vector3 lever = node.turned * node.lever, turning = node.rate.tail<3>();
  Vector6 bias;
  bias.tail<3>() = rates.acceleration(port.covariance_rate, Matrix3::Zero(), turning);
  bias.head<3>() = bias.tail<3>().cross(lever) + turning.cross(turning.cross(lever));
  node.carried_bias = carried_bias(node, parent, bias);
  carry(node);
}

void TreeDynamics::Parts::place_all(Rotations rotations) {
  for (TreeNode& node : nodes) place(node, rotations);
}

void TreeDynamics::Parts::prepare_all(Rotations rotations) {
  for (TreeNode& node : nodes) prepare(node, rotations);
}

void TreeDynamics::Parts::carry_all() {
  for (TreeNode& node : nodes) carry(node);
}

MatrixX6 TreeDynamics::Parts::carried_by(const TreeNode& node) const {
  const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
  const auto q = state.q.segment(parent.first, parent.rank);
  const PortMotion port(*node.port, q, q);
  MatrixX6 rows(parent.rank, 6);
  fill_carried(node, parent, rates_of(port, node), rows);
  return rows;
}

/// Adds the barriers of narrow ports to what was evaluated. Their stiffness is that without the curvature of
/// the spreads, so that it is positive.
void TreeDynamics::Parts::resist_crushing() {
  for (const int number : narrow_) {
    const TreeNode& node = nodes[static_cast<std::size_t>(number)];
    const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
    ElasticStates& states = elastic_[static_cast<std::size_t>(parent.part)];
    const auto q = states.q.col(parent.lane);
    const Spreads spreads = spreads_of(PortMotion(*node.port, q, q).covariance, node.turned);
    Eigen::Map<Matrix> stiffness(&states.stiffnesses(0, parent.lane), parent.rank, parent.rank);
    auto slope = strain_.head(parent.rank);  // of x, by coordinates
    for (int i = 0; i < 3; ++i) {
      const double x = spreads.values(i) / node.port->spread;
      if (x >= DomainBody::Port::narrow) continue;
      const DomainBody::Port::Barrier barrier = node.port->barrier(x);
      const Vector3 axis = spreads.axes.col(i);
      const Matrix3 by_covariance =
          (node.turned - axis * (axis.transpose() * node.turned)) / node.port->spread;
      slope.noalias() = node.port->covariance_rows.lazyProduct(by_covariance.reshaped());
      states.energies(parent.lane) += barrier.energy;
      states.forces.col(parent.lane) += barrier.slope * slope;
      stiffness.noalias() += barrier.curvature * slope.lazyProduct(slope.transpose());
    }
  }
}

InertiaTerms& TreeDynamics::Parts::update_inertia(TreeNode& node) {
  InertiaTerms& terms = node.body->work().terms;
  node.body->inertia(state.q.segment(node.first, node.rank), state.v.segment(node.first, node.rank),
                     node.spin, node.scale, terms);
  return terms;
}

/// Mass and momentum of a domain by itself; motion_ then holds its terms. Returns its kinetic energy.
double TreeDynamics::Parts::read_motion(const TreeNode& node, Vector6& total) {
  node.body->motion(state.q.segment(node.first, node.rank), state.v.segment(node.first, node.rank),
                    node.scale, motion_);
  Vector6 velocity;
  velocity << node.velocity, node.spin;
  total.head<3>() = motion_.mass * node.velocity + node.spin.cross(motion_.first);
  total.tail<3>() = motion_.first.cross(node.velocity) + motion_.rotational * node.spin;
  const double energy = motion_.energy + velocity.dot(motion_.momentum + 0.5 * total);
  total += motion_.momentum;
  return energy;
}

void TreeDynamics::Parts::fill_sums(SubtreeSums& sum, const Vector6& total) const {
  sum.mass = motion_.mass;
  sum.springs = 0.0;
  sum.first = motion_.first;
  sum.rigid = motion_.rigid();
  sum.load.setZero();
  sum.momentum = total;
}

void TreeDynamics::Parts::begin_motion() {
  kinetic_ = mass_ = 0.0;
  center_.setZero();
}

void TreeDynamics::Parts::add_motion(const TreeNode& node) {
  Vector6 total;
  kinetic_ += read_motion(node, total);
  mass_ += motion_.mass;
  center_ += motion_.mass * (node.frame.position - tree->domains.front().position) +
             node.frame.rotation * motion_.first;
  if (tree->free || carried()) fill_sums(sums_of(node), total);
}

void TreeDynamics::Parts::end_motion() {
  center_ /= mass_;
  if (tree->free || carried()) add_up_sums();
}

void TreeDynamics::Parts::take_motion() {
  begin_motion();
  for (TreeNode& node : nodes) add_motion(node);
  end_motion();
}

void TreeDynamics::Parts::update_sums() {
  Vector6 total;
  for (TreeNode& node : nodes) {
    (void)read_motion(node, total);
    fill_sums(sums_of(node), total);
  }
  add_up_sums();
}

/// From those of the domains, which are there.
void TreeDynamics::Parts::add_up_sums() {
  for (std::size_t i = nodes.size() - 1; i > 0; --i) {
    const TreeNode& node = nodes[i];
    SubtreeSums& parent = sums_[static_cast<std::size_t>(node.parent)];
    parent.mass += sums_[i].mass;
    parent.first += node.axes * sums_[i].first + sums_[i].mass * node.arm;
    parent.rigid += at_parent(node, sums_[i].rigid);
    parent.momentum += at_parent(node, sums_[i].momentum);
  }
}

Vector3 TreeDynamics::Parts::in_axes(const TreeNode& node, const DomainPoint& point) const {
  return node.scale *
         (point.place + point.rows.transpose().lazyProduct(state.q.segment(node.first, node.rank)));
}

Vector3 TreeDynamics::Parts::position(const TreeNode& node, const DomainPoint& point) const {
  return node.frame.position + node.frame.rotation * in_axes(node, point);
}

Vector3 TreeDynamics::Parts::velocity(const TreeNode& node, const DomainPoint& point) const {
  const Vector3 moving = node.scale * (point.rows.transpose() * state.v.segment(node.first, node.rank));
  return node.frame.rotation * (node.velocity + node.spin.cross(in_axes(node, point)) + moving);
}

void TreeDynamics::Parts::point_rows(const TreeNode& at, const Vector3& place,
                                     const Eigen::Ref<const Matrix3X>& own, std::vector<int>& columns,
                                     Matrix3X& rows) const {
  const auto parent_of = [this](const TreeNode* node) {
    return node->parent < 0 ? nullptr : &nodes[static_cast<std::size_t>(node->parent)];
  };
  Index end = 0;
  for (const TreeNode* node = &at; node != nullptr; node = parent_of(node)) end += node->rank;
  const Index count = end + (tree->free ? 6 : 0);
  columns.resize(static_cast<std::size_t>(count));
  rows.resize(3, count);
  const Vector3 moved = own.lazyProduct(state.q.segment(at.first, at.rank));
  const Vector3 x = at.frame.position + at.frame.rotation * (at.scale * (place + moved));
  if (tree->free) {
    rows.middleCols<3>(end).setIdentity();
    rows.rightCols<3>() = cross_matrix(nodes.front().frame.position - x);
    std::iota(columns.begin() + end, columns.end(), static_cast<int>(coordinate_count()));
  }
  const TreeNode* child = nullptr;
  for (const TreeNode* node = &at; node != nullptr; child = std::exchange(node, parent_of(node))) {
    end -= node->rank;
    std::iota(columns.begin() + end, columns.begin() + end + node->rank, static_cast<int>(node->first));
    if (node->rank == 0) continue;
    auto block = rows.middleCols(end, node->rank);
    if (child == nullptr) {
      const Matrix3 turned = node->scale * node->frame.rotation;
      block.noalias() = turned.lazyProduct(own);
    } else {
      fill_carried_at(*child, *node, x, state.q.segment(node->first, node->rank), block);
    }
  }
}

Vector3 TreeDynamics::Parts::bias_at(const TreeNode& node, const DomainPoint& point) const {
  const Vector3 moving = node.scale * (point.rows.transpose() * state.v.segment(node.first, node.rank));
  return node.spin.cross(node.spin.cross(in_axes(node, point)) + 2.0 * moving);
}

Vector3 TreeDynamics::Parts::acceleration(const TreeNode& node, const DomainPoint& point,
                                          const Vector6& of_frame) const {
  const Vector3 own = node.scale * (point.rows.transpose() * state.a.segment(node.first, node.rank));
  return of_frame.head<3>() + Vector3(of_frame.tail<3>()).cross(in_axes(node, point)) + own +
         bias_at(node, point);
}

Vector6 TreeDynamics::Parts::frame_velocity(const TreeNode& node) const {
  Vector6 result;
  result << node.frame.rotation * node.velocity, node.frame.rotation * node.spin;
  return result;
}

Vector6 TreeDynamics::Parts::frame_acceleration(const TreeNode& node) const {
  Vector6 result;
  result.head<3>() = node.frame.rotation * node.acceleration.head<3>() + gravity;
  result.tail<3>() = node.frame.rotation * node.acceleration.tail<3>();
  return result;
}

TreeMomentum TreeDynamics::Parts::total_momentum() const {
  const PoseMatrix& frame = nodes.front().frame;
  const SubtreeSums& sum = sums_.front();
  TreeMomentum total;
  total.mass = sum.mass;
  const Vector3 center = sum.first / sum.mass;
  total.center = frame.position + frame.rotation * center;
  total.linear = frame.rotation * sum.momentum.head<3>();
  total.angular = frame.rotation * (sum.momentum.tail<3>() - center.cross(sum.momentum.head<3>()));
  return total;
}

}  // namespace limber
