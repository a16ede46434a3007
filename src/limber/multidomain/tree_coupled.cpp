#include "limber/integrators/energy_guard.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/multidomain/tree_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// Steps in velocities (coupled_step.hpp), for trees that touch something.
//
// The momentum of a tree adrift is kept as in other steps: impulses change it, and how its root moves follows
// from it and from the shape in the middle of the step, which is where the velocities of the step are at
// home. There energies are compared, too:
//
//   E = T(u) + W((q_0 + q_1) / 2) + loads,
//
// which linear bodies conserve to rounding. The elastic energy of the middle follows from energies, forces
// and stiffnesses at both ends, exactly for polynomials of degree five and less along the way, so that the
// guard costs no evaluation of its own. Of other laws it is evaluated where the way was long: what follows
// from the ends may be far below zero then, and all that comes after would count as a gain.
//
// What is faster than the step would ring for ever, and each contact strikes it anew. So fast modes are
// damped, and slow ones are not: with w the frequency of a mode at rest and x = w h by
//
//   D_h = 0.3 h w^2 x^4 / (16 + x^4),
//
// 2e-5 of critical at x = 0.3 (50 Hz and 1 ms), 0.9 % at x = 1, and a factor of 0.7 each step for x > 10.

namespace limber {
namespace {

/// What a step may gain of energy that earlier ones have lost, as a share of it for each second of its
/// length: some 1e-5 at 1 ms. More would let a body that was struck ring up again.
constexpr double slack_rate = 0.015;

double step_damping(double frequency, double h) {
  const double x = frequency * h, power = x * x * x * x;
  return 0.3 * h * frequency * frequency * power / (16.0 + power);
}

}  // namespace

/// Of the domains; those alike share theirs.
void TreeDynamics::Parts::find_rest_modes() {
  if (rest_modes_.size() == nodes.size()) return;
  rest_modes_.assign(nodes.size(), nullptr);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const TreeNode& node = nodes[i];
    if (node.rank == 0) continue;
    for (std::size_t k = 0; k < i && !rest_modes_[i]; ++k) {
      const TreeNode& other = nodes[k];
      if (other.part == node.part && other.scale == node.scale && other.stiffness == node.stiffness)
        rest_modes_[i] = rest_modes_[k];
    }
    if (rest_modes_[i]) continue;
    const double elastic = node.stiffness * std::pow(node.scale, 3), heavy = std::pow(node.scale, 5);
    const Matrix M = heavy * node.body->mass();
    const SymmetricEigen modes = symmetric_eigen(elastic * node.body->rest_stiffness(), M);
    if (modes.found)
      rest_modes_[i] = std::make_shared<const RestModes>(
          RestModes{modes.values.cwiseMax(0.0).cwiseSqrt(), M * modes.vectors});
  }
}

/// Of the domains, for steps of h seconds: r x r each.
void TreeDynamics::Parts::make_filters(double h) {
  if (filter_h_ == h) return;
  find_rest_modes();
  filters_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const RestModes* const modes = rest_modes_[i].get();
    filters_[i].resize(0, 0);
    if (modes == nullptr) continue;
    rates_.resize(modes->frequencies.size());
    for (Index k = 0; k < rates_.size(); ++k) rates_(k) = step_damping(modes->frequencies(k), h);
    scaled_shapes_ = modes->shapes * rates_.asDiagonal();
    filters_[i].noalias() = scaled_shapes_ * modes->shapes.transpose();
  }
  filter_h_ = h;
}

/// The equations of a domain in (q'', A, 1), without those of its children, in node.system.
SolveStatus TreeDynamics::Parts::set_up_alone(std::size_t i, const StepRule& rule, bool positive) {
  TreeNode& node = nodes[i];
  Matrix& S = system_of(node);
  S.setZero();
  if (positive && node.rank > 0) {
    Matrix& tangent = node.body->work().tangent;
    const ElasticStates& states = elastic_[static_cast<std::size_t>(node.part)];
    tangent = Eigen::Map<const Matrix>(&states.stiffnesses(0, node.lane), node.rank, node.rank);
    if (!tangent.allFinite()) return SolveStatus::not_finite;
    node.body->work().positive.take(tangent);
  }
  const InertiaTerms& terms = update_inertia(node);
  if (tree->free)
    swept_ += terms.mass * (node.frame.position - start_.momentum.center) + node.frame.rotation * terms.first;
  set_up(node, rule, q_hat_, state.v, positive);
  add_loads(node, rule);
  if (filters_[i].size() == 0) return SolveStatus::converged;
  const Index r = node.rank;
  S.topLeftCorner(r, r) += rule.air * filters_[i];  // at the end of the step, as the air
  strain_.head(r) = state.v.segment(node.first, r);
  load_.head(r).noalias() = filters_[i].lazyProduct(strain_.head(r));
  S.row(r + 6).head(r) += load_.head(r).transpose();
  return SolveStatus::converged;
}

/// Adds those of a domain to the equations of the whole, in accelerations of its coordinates and of a free
/// root, in axes of the world.  moved: 6 x n, how its frame moves with these, in its axes.  bias: and what
/// its acceleration is without them, less gravity.
void TreeDynamics::Parts::add_to_whole(const TreeNode& node, const Matrix& moved, const Vector6& bias,
                                       Matrix& A, Vector& b) {
  const Index r = node.rank;
  const Matrix& S = node.leaf ? node.body->work().system : node.system;
  const Matrix6 rigid = S.block<6, 6>(r, r).selfadjointView<Eigen::Lower>();
  const auto coupling = S.block(r, 0, 6, r);
  const Vector6 load = -S.row(r + 6).segment<6>(r).transpose() - rigid * bias;
  carried_frame_.noalias() = rigid * moved;
  A.noalias() += moved.transpose() * carried_frame_;
  b.noalias() += moved.transpose() * load;
  if (r == 0) return;
  own_system_ = S.topLeftCorner(r, r).selfadjointView<Eigen::Lower>();
  A.block(node.first, node.first, r, r) += own_system_;
  across_.noalias() = coupling.transpose() * moved;  // r x n
  A.middleRows(node.first, r) += across_;
  A.middleCols(node.first, r) += across_.transpose();
  b.segment(node.first, r) -= S.row(r + 6).head(r).transpose() + coupling.transpose() * bias;
}

/// The same for a tree of one domain, whose equations they are.
void TreeDynamics::Parts::take_single(Matrix& A, Vector& b) const {
  const TreeNode& node = nodes.front();
  const Index r = node.rank;
  const Matrix& S = node.system;
  A.topLeftCorner(r, r) = S.topLeftCorner(r, r).selfadjointView<Eigen::Lower>();
  b.head(r) = -S.row(r + 6).head(r).transpose();
  const Matrix3& R = node.frame.rotation;
  if (!tree->free) {
    const Vector3 falling = R.transpose() * gravity;
    b.head(r).noalias() += S.block(r, 0, 3, r).transpose() * falling;
    return;
  }
  const Matrix6 rigid = S.block<6, 6>(r, r).selfadjointView<Eigen::Lower>();
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j)
      A.block<3, 3>(r + 3 * i, r + 3 * j).noalias() = R * rigid.block<3, 3>(3 * i, 3 * j) * R.transpose();
    A.block(r + 3 * i, 0, 3, r).noalias() = R.lazyProduct(S.block(r + 3 * i, 0, 3, r));
    A.block(0, r + 3 * i, r, 3) = A.block(r + 3 * i, 0, 3, r).transpose();
    b.segment<3>(r + 3 * i).noalias() = -(R * S.row(r + 6).segment<3>(r + 3 * i).transpose());
  }
}

SolveStatus TreeDynamics::Parts::assemble(const StepRule& rule, bool positive, Matrix& A, Vector& b) {
  const Index count = coordinate_count(), n = count + (tree->free ? 6 : 0);
  load_force_.setZero();
  load_torque_.setZero();
  swept_.setZero();
  A.resize(n, n);
  b.resize(n);
  if (nodes.size() == 1) {
    const SolveStatus status = set_up_alone(0, rule, positive);
    if (status == SolveStatus::converged) take_single(A, b);
    clear_systems();
    return status;
  }
  A.setZero();
  b.setZero();
  if (frames_moved_.size() != nodes.size()) frames_moved_.resize(nodes.size());
  std::vector<Vector6>& biases = frame_biases_;
  biases.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    TreeNode& node = nodes[i];
    Matrix& moved = frames_moved_[i];
    moved.setZero(6, n);
    if (node.parent < 0) {
      const Matrix3 axes = node.frame.rotation.transpose();
      biases[i].setZero();
      if (tree->free) {
        moved.block<3, 3>(0, count) = axes;
        moved.block<3, 3>(3, count + 3) = axes;
      } else {
        biases[i].head<3>() = -(axes * gravity);
      }
    } else {
      const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
      const Matrix& above = frames_moved_[static_cast<std::size_t>(node.parent)];
      const Vector6& felt = biases[static_cast<std::size_t>(node.parent)];
      Matrix& in_parent = in_parent_;  // in the axes of the parent, at the origin of the child
      in_parent = above;
      in_parent.topRows<3>().noalias() -= cross_matrix(node.arm).lazyProduct(above.bottomRows<3>());
      if (parent.rank > 0)
        in_parent.middleCols(parent.first, parent.rank) += node.carried.topRows(parent.rank).transpose();
      Vector6 bias = node.carried_bias + felt;
      bias.head<3>() += Vector3(felt.tail<3>()).cross(node.arm);
      for (int k = 0; k < 6; k += 3) {
        moved.middleRows<3>(k).noalias() = node.axes.transpose().lazyProduct(in_parent.middleRows<3>(k));
        biases[i].segment<3>(k) = node.axes.transpose() * bias.segment<3>(k);
      }
    }
    const SolveStatus status = set_up_alone(i, rule, positive);
    if (status != SolveStatus::converged) {
      clear_systems();
      return status;
    }
    add_to_whole(node, moved, biases[i], A, b);
  }
  clear_systems();
  return SolveStatus::converged;
}

SolveStatus TreeDynamics::Parts::begin_coupled(double h, CoupledStep& step, ElasticEnd elastic) {
  make_filters(h);
  const double last = 2.0 * lag(), kick = 0.5 * (h + last);
  // With A = (u - u_0) / k. Springs, which may be far stiffer than the body, and the drag of the air are
  // those of the end of the step.
  StepRule rule{.h = h, .displacement = 0.25 * h * h, .velocity = 0.5 * h, .spring = h * kick, .air = kick};
  q_hat_ = state.q + (0.5 * (h - last)) * state.v;
  // Modes that were fast for a longer step have a mean velocity that says nothing of how fast they were at
  // its end: elastic forces half way through the step let them lose it, those of its end all the more.
  const double hard = hardness(elastic);
  const bool implicit = elastic != ElasticEnd::mean || hard > 0.0;
  if (h < last || implicit) {
    const double point = implicit ? h : 0.5 * h;
    rule.displacement = point * kick;
    q_hat_ = hard > 0.0 ? state.q : state.q + point * state.v;
  }
  start_.momentum = momentum_;
  aim(rule);
  prepare_all(Rotations::keep);
  const Index count = coordinate_count(), n = count + (tree->free ? 6 : 0);
  step.h = h;
  step.kick = kick;
  step.elastic = elastic;
  step.hardness = hard;
  step.condensed = false;
  step.pulled = !springs.empty();
  step.start.resize(n);
  step.start.head(count) = state.v;
  if (tree->free) step.start.tail<6>() << state.root.velocity, state.root.angular_velocity;
  for (const bool positive : {false, true}) {
    const SolveStatus status = assemble(rule, positive, step.matrix, step.free);
    if (status != SolveStatus::converged) return status;
    if (n == 0 || coupled_factor_.compute(step.matrix)) break;
    if (positive && !(hard > 0.0 && stiffen(step.matrix))) return SolveStatus::not_positive_definite;
  }
  if (step.hardness > 0.0) {
    harden(step);
  } else if (n > 0) {
    coupled_factor_.solve_in_place(step.free);
  }
  if (tree->free) step.free.segment<3>(count) += gravity;
  step.free = step.start + kick * step.free;
  if (step.hardness >= largest_hardness) step.free.head(count).setZero();
  // Radians in a step, beyond which accelerations at its start say nothing of how it turns.
  constexpr double far = 1.0;
  if (adrift() && kick * state.root.angular_velocity.norm() > far) fly_on(step);
  return step.free.allFinite() ? SolveStatus::converged : SolveStatus::not_finite;
}

/// The velocities of the whole as they follow from its momentum where the tree is now; those of its
/// coordinates are there.
void TreeDynamics::Parts::fly_on(CoupledStep& step) {
  const Index count = coordinate_count();
  const Matrix6 whole = step.matrix.bottomRightCorner<6, 6>();
  const auto coupling = step.matrix.bottomLeftCorner<6, Eigen::Dynamic>(6, count);
  const auto about_root = [&](const Vector3& linear, const Vector3& angular) {
    Vector6 result;
    result << linear, angular + (momentum_.center - state.root.position).cross(linear);
    return result;
  };
  // Damping by mass is in the matrix, as in take_coupled_impulses().
  const double before = 1.0 - lag() * damping.mass, after = 1.0 + 0.5 * step.h * damping.mass;
  const Vector6 momentum = about_root(momentum_.linear, momentum_.angular),
                load = about_root(load_force_ + momentum_.mass * gravity, load_torque_);
  Vector6 left = after * momentum - coupling.lazyProduct(step.start.head(count));
  step.start.tail<6>() = solve_rigid(whole, left);
  left = before * momentum + step.kick * load - coupling.lazyProduct(step.free.head(count));
  step.free.tail<6>() = solve_rigid(whole, left);
}

/// How the frame of a domain moves with the unknowns u of the step that was begun, in its axes.
Vector6 TreeDynamics::Parts::frame_motion(std::size_t i, const Vector& u) const {
  if (nodes.size() > 1) return frames_moved_[i] * u;
  Vector6 motion = Vector6::Zero();
  if (tree->free)
    motion << nodes[i].frame.rotation.transpose() * u.segment<3>(u.size() - 6),
        nodes[i].frame.rotation.transpose() * u.tail<3>();
  return motion;
}

/// With the velocities of the state, N s.
Vector3 TreeDynamics::Parts::linear_momentum() {
  Vector3 sum = Vector3::Zero();
  for (const TreeNode& node : nodes) {
    node.body->motion(state.q.segment(node.first, node.rank), state.v.segment(node.first, node.rank),
                      node.scale, motion_);
    sum += node.frame.rotation *
           (motion_.mass * node.velocity + node.spin.cross(motion_.first) + motion_.momentum.head<3>());
  }
  return sum;
}

/// Of what acts from outside, but where the tree was that much time later than it is, J.
double TreeDynamics::Parts::load_potential(double later) {
  const bool alone = adrift();
  const Vector3 rest = tree->domains.front().position;
  const Vector3 flown =
      alone ? Vector3(momentum_.center + (later / momentum_.mass) * momentum_.linear) : rest;
  double sum = 0.0;
  if (!alone && !gravity.isZero(0.0)) sum -= gravity.dot(mass_ * center_ + later * linear_momentum());
  for (const TreeLoad& load : forces) sum -= load.force.dot(position(load) + later * velocity(load) - flown);
  for (const TreeLoad& spring : springs)
    sum +=
        0.5 * spring.stiffness * (spring.target - position(spring) - later * velocity(spring)).squaredNorm();
  return sum;
}

/// What loads as they were when the step was begun do to the velocities of the state, W.
double TreeDynamics::Parts::load_power() {
  const bool alone = adrift();
  const Vector3 flight = alone ? Vector3(momentum_.linear / momentum_.mass) : Vector3::Zero();
  double sum = alone || gravity.isZero(0.0) ? 0.0 : gravity.dot(linear_momentum());
  for (const TreeLoad& load : forces) sum += load.force.dot(velocity(load) - flight);
  for (const TreeLoad& spring : springs)
    sum += spring.stiffness * (spring.target - spring.from).dot(velocity(spring));
  return sum;
}

/// What the elastic energy of the middle of a step has of one of its ends, of all domains, J.  way: of the
/// coordinates from there to the other end.
TreeDynamics::Parts::HalfEnergy TreeDynamics::Parts::half_of_middle(const Vector& way) const {
  HalfEnergy sum;
  for (const TreeNode& node : nodes) {
    if (node.rank == 0) continue;
    const ElasticStates& states = elastic_[static_cast<std::size_t>(node.part)];
    const Index r = node.rank;
    const auto along = way.segment(node.first, r);
    const Eigen::Map<const Matrix> K(&states.stiffnesses(0, node.lane), r, r);
    double curvature = 0.0;
    for (Index j = 0; j < r; ++j) curvature += along(j) * K.col(j).dot(along);
    const double slope = states.forces.col(node.lane).dot(along);
    const double factor = node.stiffness * node.scale * node.scale * node.scale;
    sum.quintic += factor * (0.5 * states.energies(node.lane) + 5.0 / 32.0 * slope + curvature / 64.0);
    sum.cubic += factor * (0.5 * states.energies(node.lane) + 1.0 / 8.0 * slope);
  }
  return sum;
}

/// To where the velocities of the state lead from the start of the step in t seconds; a tree adrift as its
/// momentum asks for.
void TreeDynamics::Parts::move_by(double t) {
  const FrameState& start = start_.state.root;
  state.q = start_.state.q + t * state.v;
  if (tree->free) {
    state.root.position = start.position + t * state.root.velocity;
    state.root.rotation = turned_by(start.rotation, t * state.root.angular_velocity);
  }
}

/// The middle of a step, where its velocities are those of the momentum.
void TreeDynamics::Parts::settle_in_middle(double h) {
  move_by(0.5 * h);
  place_all(Rotations::seek);
  take_motion();
  if (!adrift()) return;
  momentum_.center = start_.momentum.center + (0.5 * h / momentum_.mass) * momentum_.linear;
  settle_root();
}

/// The end of the step, from its middle. Elastic forces are those of the end.
void TreeDynamics::Parts::settle_at_end(double h) {
  move_by(h);
  if (adrift()) momentum_.center = start_.momentum.center + (h / momentum_.mass) * momentum_.linear;
  settle_here();
}

/// What follows from the coordinates and, of a tree adrift, from where its momentum has it.
void TreeDynamics::Parts::settle_here() {
  place_all(Rotations::seek);
  evaluate_elastic(state.q);
  take_motion();
  if (adrift()) {
    const SubtreeSums& sum = sums_.front();
    state.root.position = momentum_.center - nodes.front().frame.rotation * (sum.first / sum.mass);
    center_ = momentum_.center - tree->domains.front().position;
    carry_all();
  } else if (tree->free) {
    follow_momentum();
  }
}

/// What impulses and loads make of the momentum of a tree adrift.  impulse: of the coordinates and the root.
void TreeDynamics::Parts::take_coupled_impulses(const CoupledStep& step, const Vector& impulse) {
  if (!adrift()) return;
  const TreeMomentum& start = start_.momentum;
  const Vector3 linear = impulse.segment<3>(impulse.size() - 6),
                angular = impulse.tail<3>() - (start.center - start_.state.root.position).cross(linear);
  // Damping by mass, against the world: half of it before and half after the start of the step.
  const double before = 1.0 - lag() * damping.mass, after = 1.0 + 0.5 * step.h * damping.mass;
  momentum_.linear =
      (before * start.linear + step.kick * (load_force_ + start.mass * gravity) + linear) / after;
  momentum_.angular = (before * start.angular + step.kick * load_torque_ + angular) / after;
}

/// The step as it was solved for. Returns T in its middle, but for that of the flight of the whole, and W
/// there, J.
TreeDynamics::Parts::MiddleEnergy TreeDynamics::Parts::take_way(const CoupledStep& step, const Vector& u) {
  const Index count = coordinate_count();
  const double h = step.h;
  const bool stays = step.hardness >= largest_hardness;
  if (stays) start_.state.q.swap(lasting_);
  state.v = u.head(count);
  if (stays) state.v.setZero();
  if (tree->free) {
    state.root.velocity = u.segment<3>(count);
    state.root.angular_velocity = u.tail<3>();
  }
  way_ = h * state.v;
  const HalfEnergy first_half = half_of_middle(way_);
  settle_in_middle(h);
  MiddleEnergy result;
  result.kinetic = kinetic_ - flight();
  result.locked = locked().kinetic - flight();
  settle_at_end(h);
  if (stays) start_.state.q.swap(lasting_);
  way_ = -h * state.v;
  const HalfEnergy second_half = half_of_middle(way_);
  result.elastic = (stays ? second_half : first_half).quintic + second_half.quintic;
  if (stays) return result;
  // What powers beyond the third add is far more than what those beyond the fifth would.
  constexpr double trusted = 0.01;
  const double higher = std::abs(result.elastic - first_half.cubic - second_half.cubic);
  if (higher <= trusted * (result.elastic + result.kinetic) || polynomial()) return result;
  way_ = state.q + 0.5 * way_;
  evaluate_elastic(way_);
  way_.setZero();
  result.elastic = 2.0 * half_of_middle(way_).quintic;
  evaluate_elastic(state.q);
  return result;
}

/// Whether elastic energies are polynomials of the coordinates: not those of cubature.
bool TreeDynamics::Parts::polynomial() const {
  return std::none_of(tree->parts.begin(), tree->parts.end(),
                      [](const ReducedPart& part) { return part.model.cubature.has_value(); });
}

/// The state of the start of the step, but for what the guard knows.
void TreeDynamics::Parts::return_to_start() {
  state = start_.state;
  momentum_ = start_.momentum;
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].turned = start_.moving[i].first;
  place_all(Rotations::keep);
  evaluate_elastic(state.q);
  take_motion();
}

void TreeDynamics::Parts::undo_coupled() {
  return_to_start();
  middle_ = middle_before_;
}

/// Energies of the middle of the last step, with the stiffness as it is now.
void TreeDynamics::Parts::judge_middle() {
  if (middle_.q.size() != state.q.size()) middle_.q = state.q - 0.5 * middle_.h * state.v;
  evaluate_elastic(middle_.q);
  middle_.elastic = elastic_energy();
  middle_.kinetic = kinetic_;
  middle_.judged = true;
  evaluate_elastic(state.q);
}

/// At the end of a step in velocities: vibrations that many times as fast from its middle on, so that this
/// stays where it is, half a step before.
void TreeDynamics::Parts::slow_down_from_middle(double factor, double h) {
  way_ = state.v;
  const FrameState before = state.root;
  scale_motion(factor, locked());
  state.q -= 0.5 * h * (way_ - state.v);
  if (tree->free) {
    state.root.position -= 0.5 * h * (before.velocity - state.root.velocity);
    state.root.rotation =
        turned_by(state.root.rotation, -0.5 * h * (before.angular_velocity - state.root.angular_velocity));
  }
  settle_here();
}

/// What springs fling so far within a step that even a shape that stays would gain by it stands where it was,
/// in that shape: they pull at what rests in the next one.
TreeDynamics::Parts::MiddleEnergy TreeDynamics::Parts::stand_still() {
  return_to_start();
  state.q = lasting_;
  state.v.setZero();
  state.root.velocity.setZero();
  state.root.angular_velocity.setZero();
  settle_here();
  MiddleEnergy found;
  found.elastic = elastic_energy();
  return found;
}

SolveReport TreeDynamics::Parts::end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse,
                                             bool last) {
  const double h = step.h;
  const bool creeps = step.hardness > 0.0, stays = step.hardness >= largest_hardness;
  const double elastic_before = elastic_energy();
  start_.state = state;
  for (std::size_t i = 0; i < nodes.size(); ++i) start_.moving[i].first = nodes[i].turned;
  middle_before_ = middle_;
  // A first step goes from where the body is to its middle.
  const bool first = !middle_.known, other_length = !first && h != middle_.h;
  if (!first && !middle_.judged) judge_middle();
  const double before = (first ? kinetic_ + elastic_before : middle_.kinetic + middle_.elastic) - flight();
  const double loads_before = load_potential(first ? 0.0 : -0.5 * middle_.h);
  energy_size_ = std::abs(before) + flight() + std::abs(loads_before);
  const double rounding_before = rounding();
  const double power_before = other_length ? load_power() : 0.0;
  const Index count = coordinate_count(), moving = creeps ? u.size() - count : u.size();
  const double struck =
      0.5 * (impulse.tail(moving).dot(step.start.tail(moving)) + impulse.tail(moving).dot(u.tail(moving)));
  if (stays) find_lasting_shape();
  take_coupled_impulses(step, impulse);
  double carried = 0.0, flown = 0.0;
  if (adrift()) {
    const Vector3 push = impulse.segment<3>(count) / momentum_.mass;
    carried = 0.5 * push.dot(start_.momentum.linear + momentum_.linear);
    flown = push.dot(momentum_.linear - start_.momentum.linear);
  }
  double crept = 1.0;
  MiddleEnergy found = creeps && !stays ? creep_downhill(step, u, elastic_before, crept) : take_way(step, u);
  if (crept < 1.0 && step.elastic == ElasticEnd::mean && !impulse.isZero(0.0)) {
    // What it touches was pushed for all of the way: once more, harder, so that it may go all of it.
    return_to_start();
    harden_by(step, crept);
    return {SolveStatus::not_converged, 1, 0.0};
  }
  double fixed = found.elastic + load_potential(-0.5 * h);
  bool finite = std::isfinite(found.kinetic + fixed) && state.q.allFinite();
  double allowed = before + loads_before + struck - carried + wind_work(h) + start_.state.slack, beyond = 0.0;
  if (other_length && finite) {
    // Springs lose more than that, at the end of the step as they are, so that nobody is charged for it.
    const double last_h = middle_before_.h,
                 gained = (impulse.tail(moving).dot(u.tail(moving)) -
                           impulse.tail(moving).dot(step.start.tail(moving)) - flown) /
                          step.kick;
    beyond = beyond_way(last_h, h, load_power() - power_before, gained);
    allowed += beyond;
  }
  if (adrift() && finite) allowed += missed_work(step, u, impulse, momentum_.mass);
  EnergyVerdict verdict = finite ? EnergyVerdict::accept : EnergyVerdict::rescue;
  energy_size_ = found.kinetic + flight() + std::abs(found.elastic) + std::abs(fixed) +
                 std::abs(loads_before) + std::abs(struck);
  // A shape that is crushed in the step has any stiffness at its end, which is none of its excuses.
  const double bits = std::min(rounding_before, rounding());
  if (finite && std::isfinite(allowed))
    verdict = judge_energy(allowed, found.kinetic - found.locked, fixed + found.locked,
                           adrift() ? std::max(bits, solved_digits(step, impulse, momentum_.mass)) : bits);
  SolveReport report{SolveStatus::converged, 1, 0.0};
  report.rescued = creeps;
  // In the end it may be slowed down by as much as it takes.
  if (verdict == EnergyVerdict::rescue && finite &&
      (stays || ((last || creeps) && fixed + found.locked <= allowed))) {
    verdict = EnergyVerdict::slow;
    report.rescued = true;
  }
  if (stays && !adrift() && !(finite && fixed + found.locked <= allowed)) {
    found = stand_still();
    fixed = found.elastic + load_potential(0.0);
    finite = std::isfinite(fixed);
    verdict = finite ? EnergyVerdict::accept : EnergyVerdict::rescue;
  }
  if (verdict == EnergyVerdict::rescue) {
    return_to_start();
    report.status = finite ? SolveStatus::not_converged : SolveStatus::not_finite;
    return report;
  }
  double kinetic = found.kinetic;
  if (stays && verdict == EnergyVerdict::slow && adrift() && fixed + found.locked > allowed &&
      impulse.isZero(0.0)) {
    // Where it has turned by much. What is pushed has to stay where it was let go.
    (void)turn(fixed + found.locked - allowed, std::numbers::pi);
    kinetic = locked().kinetic - flight();
  } else if (verdict == EnergyVerdict::slow) {
    const double factor = slowing_factor(allowed, found.kinetic - found.locked, fixed + found.locked);
    // A shape that creeps has the energy of its end, which is to stay as well.
    if (creeps)
      scale_motion(factor, locked());
    else
      slow_down_from_middle(factor, h);
    kinetic = found.locked + factor * factor * (found.kinetic - found.locked);
  }
  double slack = slack_without(beyond, allowed, kinetic + fixed, start_.state.slack);
  if (step.unearned + step.excess > 0.0 && !creeps && !first) {
    const double given = allowed - step.unearned, vibrations = kinetic - found.locked;
    if (const double taken =
            taken_back(kinetic + fixed - (given - step.excess), vibrations, kinetic + found.elastic);
        taken > 0.0) {
      slow_down_from_middle(std::sqrt(1.0 - taken / vibrations), h);
      kinetic -= taken;
    }
    slack = slack_without(step.excess + beyond, given, kinetic + fixed, start_.state.slack);
  }
  middle_.known = middle_.judged = true;
  middle_.h = h;
  middle_.kinetic = kinetic + flight();
  middle_.elastic = found.elastic;
  soften(step, crept);
  // What even a shape that stays did not keep is not held against the steps that follow, nor what is below
  // what contacts were solved to.
  const double most = slack_rate * h * std::max(0.0, kinetic + found.elastic);
  state.slack = middle_before_.known ? std::clamp(slack, -bits, most) : 0.0;
  state.time = start_.state.time + h;
  state.a.setZero();
  for (TreeNode& node : nodes) node.settled.setZero();
  balanced_ = false;
  return report;
}

}  // namespace limber
