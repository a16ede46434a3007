#include "limber/integrators/energy_guard.hpp"
#include "limber/multidomain/tree_parts.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

// Energy from nowhere, and how a tree is kept from it (integrators/energy_guard.hpp says why).
//
//   E = T + P,     P = W(q) + springs - forces . x - mass gravity . centre,
//
// with the kinetic energy T of the true mass distribution, whatever the lumping. Elastic forces, frames and T
// at the end of a step are those that the next one begins with, so that a step that needs no help costs one
// sweep for T more.
//
// A free tree keeps its momentum: only motion relative to V = I^-1 (momentum), as if it were locked in its
// shape, may be slowed down. What is left of T then counts as potential energy. It depends on how the tree is
// turned, so an error of its rotation is put right by turning it a little more. Where nothing takes up
// momentum from it, the flight of its centre of mass is exact; T and P are then relative to that. Hands and
// wind do take it up: then all of its motion may be slowed down.

namespace limber {
namespace {

/// Share that rounding is below, of each part of E.
constexpr double energy_rounding_share = 1e-12;

/// Largest angle by which a step is turned to where its angular momentum takes no more energy than it had:
/// more than an error of the step, rad.
constexpr double largest_correction = 0.1;

constexpr double small_part = 0.02, least_part = 1e-10;  ///< of a step by implicit Euler
constexpr int most_turns = 4;                            ///< after it

}  // namespace

bool TreeDynamics::Parts::adrift() const {
  const bool pulled =
      std::any_of(springs.begin(), springs.end(), [](const TreeLoad& s) { return s.stiffness > 0.0; });
  return tree->free && !pulled && !blowing();
}

double TreeDynamics::Parts::elastic_energy() const {
  double sum = 0.0;
  for (const TreeNode& node : nodes) {
    const double factor = node.stiffness * node.scale * node.scale * node.scale;
    sum += factor * elastic_[static_cast<std::size_t>(node.part)].energies(node.lane);
  }
  return sum;
}

/// Of the energy last computed, J. That of a domain is a sum of terms like K_ij q_i q_j, each rounded on its
/// own, which may cancel by far.
double TreeDynamics::Parts::rounding() const {
  constexpr double few_eps = 8.0 * std::numeric_limits<double>::epsilon();
  double sum = energy_rounding_share * energy_size_;
  for (const TreeNode& node : nodes) {
    const double factor = node.stiffness * node.scale * node.scale * node.scale;
    const ElasticStates& states = elastic_[static_cast<std::size_t>(node.part)];
    const double stiffness =
        std::max(states.stiffnesses.col(node.lane).norm(), node.body->rest_stiffness().norm());
    sum +=
        factor * (node.body->energy_rounding() + few_eps * stiffness * states.q.col(node.lane).squaredNorm());
  }
  return std::isfinite(sum) ? sum : 0.0;  // squares of numbers that are too large overflow
}

/// P.
double TreeDynamics::Parts::potential() {
  const bool alone = adrift();
  const Vector3 rest = tree->domains.front().position, origin = alone ? momentum_.center : rest;
  double sum = elastic_energy(), size = kinetic_ + std::abs(sum);
  const auto add = [&](double energy, double rounded) {
    sum += energy;
    size += rounded;
  };
  if (carried()) {
    const double field = support_potential();
    add(field, std::abs(field));
  } else if (!alone) {
    const double fallen = mass_ * gravity.dot(center_);
    add(-fallen, std::abs(fallen));
  }
  for (const TreeLoad& load : forces) {
    const double work = load.force.dot(position(load) - origin);
    add(-work, std::abs(work));
  }
  for (const TreeLoad& spring : springs) {
    const Vector3 x = position(spring), stretch = spring.target - x;
    add(0.5 * spring.stiffness * stretch.squaredNorm(),
        spring.stiffness * stretch.norm() * (x - rest).norm());
  }
  energy_size_ = size;
  return sum;
}

/// Of the flight of the whole where that is set apart, J.
double TreeDynamics::Parts::flight() const {
  return adrift() ? 0.5 * momentum_.linear.squaredNorm() / momentum_.mass : 0.0;
}

double TreeDynamics::Parts::counted_kinetic() const {
  return carried() ? relative_kinetic() : kinetic_ - flight();
}

double TreeDynamics::Parts::energy() { return counted_kinetic() + potential(); }

TreeDynamics::Parts::LockedMotion TreeDynamics::Parts::locked() const {
  LockedMotion lock;
  if (!adrift()) return lock;
  const SubtreeSums& sum = sums_.front();
  const Vector6 target = momentum_in_axes();
  lock.velocity = solve_rigid(sum.rigid, target);
  lock.kinetic = 0.5 * lock.velocity.dot(target);
  if (inertia != SubtreeInertia::full) lock.cross = lock.velocity.dot(sum.momentum - target);
  return lock;
}

/// Turns a tree adrift about its centre of mass, by at most `largest` radians, to where its angular momentum
/// L takes less kinetic energy, by `energy`. With l = L in its axes, T = 1/2 l . I^-1 l along the great
/// circle on which it falls fastest, through l and I^-1 l, is a cosine of twice the angle. Where that does
/// not fall so far, it is turned to its lowest point.
bool TreeDynamics::Parts::turn(double energy, double largest) {
  const TreeNode& root = nodes.front();
  const SubtreeSums& sum = sums_.front();
  const Matrix3 axes = root.frame.rotation;
  const Matrix3 offset = cross_matrix(sum.first / sum.mass);
  const Matrix3 inverse = (sum.rigid.bottomRightCorner<3, 3>() + sum.mass * offset * offset).inverse();
  const Vector3 l = axes.transpose() * momentum_.angular;
  const double squared = l.squaredNorm();
  if (!(squared > 0.0)) return false;
  const Vector3 along = l / std::sqrt(squared), w = inverse * along;
  Vector3 aside = w - along.dot(w) * along;
  const double slope = aside.norm();
  if (!(slope > 1e-15 * w.norm())) return false;
  aside /= slope;
  const double there = aside.dot(inverse * aside), mean = 0.5 * (along.dot(w) + there),
               half = 0.5 * (along.dot(w) - there), size = std::hypot(half, slope);
  const double sought = (along.dot(w) - 2.0 * energy / squared - mean) / size;
  const double angle = 0.5 * (std::atan2(slope, half) - std::acos(std::clamp(sought, -1.0, 1.0)));
  if (!(std::abs(angle) <= largest)) return false;

  const Vector6 before = locked().velocity;
  Vector6 relative;
  relative << root.velocity, root.spin;
  relative -= before;
  const Matrix3 turned = axes * rotation_matrix(-angle * along.cross(aside));
  state.root.rotation = Eigen::Quaterniond(turned).normalized();
  carry(nodes.front());
  const Vector6 velocity = locked().velocity + relative;
  const Matrix3 now = nodes.front().frame.rotation;
  state.root.velocity = now * velocity.head<3>();
  state.root.angular_velocity = now * velocity.tail<3>();
  state.root.position = momentum_.center - now * (sum.first / sum.mass);
  carry_all();
  take_motion();
  return true;
}

/// All motion but the locked one, f times as fast.
void TreeDynamics::Parts::slow_down(double allowed, double potential, const LockedMotion& lock) {
  const double square = counted_kinetic() + flight() - lock.kinetic - lock.cross,
               left = std::max(0.0, allowed - potential);
  const double root = std::sqrt(lock.cross * lock.cross + 4.0 * square * left);
  // Of square f^2 + cross f = left.
  const double f = lock.cross > 0.0 ? 2.0 * left / (lock.cross + root)
                                    : (square > 0.0 ? (root - lock.cross) / (2.0 * square) : 1.0);
  scale_motion(std::clamp(f, 0.0, 1.0), lock);
}

/// All motion but the locked one so many times as fast.
void TreeDynamics::Parts::scale_motion(double factor, const LockedMotion& lock) {
  state.v *= factor;
  if (tree->free) {
    const TreeNode& node = nodes.front();
    Vector6 velocity;
    velocity << node.velocity, node.spin;
    velocity = lock.velocity + factor * (velocity - lock.velocity);
    state.root.velocity = node.frame.rotation * velocity.head<3>();
    state.root.angular_velocity = node.frame.rotation * velocity.tail<3>();
  }
  place_all(Rotations::keep);
  take_motion();
  if (!adrift() && tree->free) follow_momentum();
}

/// The slack of the next step, from the energy now. Where the equations do not conserve E, as those of lumped
/// inertia and of forces without a potential, it goes up and down by more than in a step: what was lost is
/// then kept until it comes back.
void TreeDynamics::Parts::end_step(double allowed, double now) {
  const bool conserved = conservative_ && inertia == SubtreeInertia::full;
  state.slack = conserved ? next_slack(allowed, now) : allowed - now;
}

/// Whether the step that was taken may stay, after a little help where that is enough.
bool TreeDynamics::Parts::hold_energy(double h, bool guarded) {
  evaluate_elastic(state.q);
  double fixed = potential();
  const double allowed = start_.allowed + given(h);
  const double surplus = counted_kinetic() + fixed - allowed;
  if (!std::isfinite(surplus)) return false;
  if (!guarded) return true;
  if (surplus > 0.0) {
    LockedMotion lock = locked();
    const auto judge = [&] {
      const double kept = lock.kinetic - flight();
      return judge_energy(allowed, counted_kinetic() - kept, fixed + kept, rounding());
    };
    EnergyVerdict verdict = judge();
    if (verdict == EnergyVerdict::rescue && adrift() && turn(surplus, largest_correction)) {
      fixed = potential();
      lock = locked();
      verdict = judge();
    }
    if (verdict == EnergyVerdict::rescue) return false;
    if (verdict == EnergyVerdict::slow) {
      slow_down(allowed, fixed + lock.kinetic - flight(), lock);
      fixed = potential();
    }
  }
  end_step(allowed, counted_kinetic() + fixed);
  return true;
}

/// A part of the step by implicit Euler that was solved for; whether it ends where the energy allowed
/// suffices.
bool TreeDynamics::Parts::try_part(double part, double h, bool turning) {
  const bool alone = adrift();
  const FrameState& start = start_.state.root;
  state.q = start_.state.q + part * moved_;
  state.v = (part / h) * moved_;
  momentum_ = impelled_;
  if (alone) {
    const Vector3 spin = start.angular_velocity + part * (end_velocity_.tail<3>() - start.angular_velocity);
    if (part == 0.0) momentum_.angular = start_.momentum.angular;
    state.root = start;
    if (turning) state.root.rotation = turned_by(start.rotation, h * spin);
  } else if (carried()) {
    state.root = aimed_end_;
  } else if (tree->free) {
    state.root.rotation = turned_by(start.rotation, part * h * end_velocity_.tail<3>());
    state.root.position = start.position + part * h * end_velocity_.head<3>();
    state.root.velocity = part * end_velocity_.head<3>();
    state.root.angular_velocity = part * end_velocity_.tail<3>();
  }
  // From there, not from the last part that was tried: a port turned inside out has more than one rotation.
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].turned = start_.moving[i].first;
  place_all(part > 0.0 ? Rotations::seek : Rotations::keep);
  take_motion();
  if (alone) settle_root();
  evaluate_elastic(state.q);
  const auto surplus = [&] {
    const double kept = alone ? locked().kinetic - flight() : 0.0;
    return potential() + kept - start_.allowed - given(h);
  };
  double over = surplus();
  for (int i = 0; i < most_turns && alone && turning && over > rounding() && turn(over, 10.0); ++i)
    over = surplus();
  return over <= 0.0 || over <= rounding();
}

/// Back to the start, and from there all of the step by implicit Euler: moved_ and end_velocity_, the state
/// stays.
SolveStatus TreeDynamics::Parts::solve_euler(double h) {
  go_back();
  for (std::size_t i = 0; i < nodes.size(); ++i) start_velocities_[i] = frame_velocity(nodes[i]);
  const StepRule rule{.h = h, .displacement = h * h, .velocity = h, .spring = h * h, .air = h};
  q_hat_ = start_.state.q + h * start_.state.v;
  v_hat_ = start_.state.v;
  aim_support(rule);
  aim(rule);
  prepare_all(Rotations::keep);
  if (const SolveStatus status = eliminate(rule, q_hat_, v_hat_); status != SolveStatus::converged)
    return status;
  accelerate_root();
  for (TreeNode& node : nodes) accelerate(node, rule);
  moved_ = h * (start_.state.v + h * state.a);
  end_velocity_ = start_velocities_.front() + h * frame_acceleration(nodes.front());
  if (!moved_.allFinite() || !end_velocity_.allFinite()) return SolveStatus::not_finite;
  if (tree->free) take_impulses(h);
  impelled_ = momentum_;
  return SolveStatus::converged;
}

/// As much of that step as the energy allows; whether that is more than nothing. A tree adrift that spins by
/// much in a step may be unable to deform as it turns.
bool TreeDynamics::Parts::take_part(double h) {
  for (const bool turning : {true, false}) {
    for (double part = 1.0; part > least_part; part *= part > small_part ? 0.5 : 0.1)
      if (try_part(part, h, turning)) return true;
    if (!adrift()) break;
  }
  return false;
}

/// Of a tree that is stuck, the parts that carry a crushed port, or all: back to their shape at rest, where
/// they stand still. Past an interface that was turned inside out no way may lead on, since its rotation
/// jumps.
bool TreeDynamics::Parts::snap_back(double h) {
  if (h * start_.state.v.norm() > least_part * reach_) return false;
  for (const bool all : {false, true}) {
    moved_.setZero();
    for (const TreeNode& node : nodes) {
      const TreeNode& part = all || node.parent < 0 ? node : nodes[static_cast<std::size_t>(node.parent)];
      if (all || node.crushed)
        moved_.segment(part.first, part.rank) = -start_.state.q.segment(part.first, part.rank);
    }
    if (!moved_.isZero(0.0) && (try_part(1.0, h, false) || try_part(1.0, h, true))) return true;
  }
  return false;
}

/// The step from its start by implicit Euler, as much of it as the energy allows. It damps strongly, and
/// always ends: if it must be, with nothing but the flight of the whole, turning or not.
SolveStatus TreeDynamics::Parts::rescue(double h) {
  if (const SolveStatus status = solve_euler(h); status != SolveStatus::converged) return status;
  if (!take_part(h) && !snap_back(h)) {
    moved_.setZero();
    if (!try_part(0.0, h, true)) (void)try_part(0.0, h, false);
  }
  const double allowed = start_.allowed + given(h), fixed = potential();
  if (!std::isfinite(kinetic_ + fixed)) return SolveStatus::not_finite;
  if (adrift()) {
    double kept = locked().kinetic - flight();
    if (fixed + kept >
        allowed + rounding()) {  // lumped inertia: the angular momentum of its parts is in no balance
      momentum_.angular *= std::sqrt(std::max(0.0, (allowed - fixed) / kept));
      settle_root();
      kept = locked().kinetic - flight();
    }
    if (kinetic_ - flight() + fixed > allowed) slow_down(allowed, fixed + kept, locked());
  } else {
    if (tree->free) follow_momentum();
    if (counted_kinetic() + fixed > allowed) slow_down(allowed, fixed, {});
  }
  state.a = (state.v - start_.state.v) / h;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i].settled = (frame_velocity(nodes[i]) - start_velocities_[i]) / h;
  state.root.acceleration = nodes.front().settled.head<3>();
  state.root.angular_acceleration = nodes.front().settled.tail<3>();
  state.time = start_.state.time + h;
  end_step(allowed, energy());
  forget_slack();
  return SolveStatus::converged;
}

}  // namespace limber
