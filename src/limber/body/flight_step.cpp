#include "limber/base/error.hpp"
#include "limber/body/warped_flight.hpp"
#include "limber/integrators/energy_guard.hpp"
#include "limber/multidomain/wind.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

// A step of a body in flight, in one part or several. The equations of warped_flight.hpp are taken at the
// middle of a part of h seconds, with q = (q0 + q1)/2, v = (q1 - q0)/h, L = (L0 + L1)/2 in the axes of either
// end, and the rotation by Cayley's map,
//
//   R1 = R0 (1 - [a]/2)^-1 (1 + [a]/2),     a = h w,     (R0 + R1)/2 = R0 (1 - [a]/2)^-1,
//
// for which
//
//   R1^T L - R0^T L = L x a     and     F . (R1 - R0) x = a . (x x (R0 + R1)^T F / 2)     exactly:
//
// where the shape stands still neither turning nor torques by that mean of both rotations change the energy
// by themselves. The modal load f is constant in a part, so that it changes the energy of the modes by f .
// (q1 - q0), but for damping, whatever the integrator. So energy is conserved where
//
//   error = [1/2 L . I^-1 L] + f . (q1 - q0) - work = 0.
//
// What the middle leaves of it is of third order and has a factor q1 - q0: a small force along that makes it
// 0.

namespace limber {
namespace {

constexpr Index part_units = 1024;  ///< of a step, which parts are made of
constexpr Index most_parts = 32;    ///< of a step that needs no help
constexpr Index most_shorter = 32;  ///< how many times shorter parts become where they cannot stay
/// By which a frame turns in a part at most, rad: an iteration leaves a third of the error.
constexpr double part_turn = 0.3;
/// Beyond that angle, rad, the end of a part is not what the middle was for.
constexpr double largest_part_turn = 1.5;
constexpr double part_reach = 0.25;  ///< share of the size of the body by which springs may drag it in a part

constexpr int most_iterations = 8;            ///< twice as many where there are springs
constexpr double iteration_tolerance = 1e-9;  ///< what is left is put right with the energy
/// What a change of less is no share of: a turn, rad, and a way, as a share of q.
constexpr double small_turn = 1e-3, small_way = 1e-6;

/// Largest change by a force that puts the energy right, as a share of the way.
constexpr double largest_help = 0.1;
constexpr int most_helps = 3;  ///< each leaves the square of the last error, or so
/// Of the terms that the energy is a sum of.
constexpr double flight_rounding = 1e-14, tolerated_gain = 1e-12;
/// Of a body that springs pull at: the slack that soft ones leave, as a share of its energy, and what is
/// soft.
constexpr double spring_slack = 0.01, soft_share = 0.55;

constexpr std::size_t most_prepared = 24;

/// (1 + [b])^-1.
Matrix3 cayley_half(const Vector3& b) {
  return (Matrix3::Identity() - cross_matrix(b) + b * b.transpose()) / (1.0 + b.squaredNorm());
}

}  // namespace

double WarpedFlight::Balance::rounding() const { return flight_rounding * size; }

const OscillatorStep& WarpedFlight::oscillators(double h, ModalIntegrator integrator) {
  for (const PreparedStep& one : prepared_) {
    if (one.h == h && one.integrator == integrator) return one.step;
  }
  if (prepared_.size() >= most_prepared) prepared_.clear();
  prepared_.push_back({h, integrator, make_oscillator_step(stiffness_, damping_, h, integrator)});
  return prepared_.back().step;
}

/// A power of two.
Index WarpedFlight::parts_for(double h) const {
  const double turn = h * spin_in_axes().norm();
  Index parts = 1;
  while (parts < most_parts && turn > part_turn * static_cast<double>(parts)) parts *= 2;
  return parts;
}

/// Of the flight of the centre of mass.  before: factor of momentum by damping.  damped: half of alpha h.
void WarpedFlight::fly_on(double before, double damped) {
  const double h = start_.h, mass = lumps_.mass();
  Vector3 force = mass * gravity_;
  for (const SiteForce& one : forces_) force += one.force;
  start_.drag = 0.0;
  start_.air.setZero();
  if (!wind_.velocity.isZero(0.0)) {
    start_.air = air_velocity(wind_, state_.center, state_.modal.time);
    start_.drag = drag_of(wind_, shadow_, start_.air - state_.linear / mass);
  }
  const double resistance = before + 2.0 * damped + h * start_.drag / mass;
  start_.impulse = h / resistance;
  start_.linear = (before * state_.linear + h * (force + start_.drag * start_.air)) / resistance;
  start_.center = state_.center + 0.5 * h / mass * (state_.linear + start_.linear);
}

/// Damping against the world acts on momentum half before and half after a part; on modes it is that of their
/// oscillators.
void WarpedFlight::begin_part(double h) {
  const double damped = 0.5 * h * settings_.mass_damping, before = std::max(0.0, 1.0 - damped);
  start_.h = h;
  start_.axes = state_.rotation.toRotationMatrix();
  start_.angular = before * state_.angular;
  start_.after = 1.0 / (before + 2.0 * damped);
  start_.momentum = start_.axes.transpose() * start_.angular;
  start_.rotational = 0.5 * start_.momentum.dot(now_.inverse * start_.momentum);
  start_.modal = modal_energy(state_.modal);
  start_.reached = reach_of_forces(state_.modal.q, now_.shift, start_.axes);
  fly_on(before, damped);
  end_.center = start_.center;
  end_.linear = start_.linear;
  end_.modal.slack = state_.modal.slack;
  end_.modal.changed = state_.modal.changed;
  end_.modal.time = state_.modal.time + h;
}

FlightPlace WarpedFlight::place(const FlightState& state, const LumpSums& sums, const Matrix3& axes) const {
  return {state.modal.q, axes, state.center, lumps_.center() + sums.shift};
}

/// By the turn as far as it is known.
void WarpedFlight::turn_to_end() {
  const Vector3 half = 0.5 * turn_;
  const Eigen::Quaterniond turned(1.0, half.x(), half.y(), half.z());
  end_.rotation = (state_.rotation * turned.normalized()).normalized();
}

/// How the body turns in the middle of the part, where it has these sums and q; and the rotation and angular
/// momentum at its end, without springs.
WarpedFlight::Turning WarpedFlight::turn_on(const LumpSums& sums, const Vector& q) {
  to_axes_ = cayley_half(0.5 * turn_) * start_.axes.transpose();
  Turning turning = pushed(q, sums.shift, to_axes_);
  end_.angular = start_.angular + start_.h * (to_axes_.transpose() * turning.torque);
  turn_to_end();
  const Vector3 momentum = 0.5 * (start_.momentum + end_.rotation.conjugate() * end_.angular);
  turning.spin = sums.inverse * momentum;
  turning.spin_up = sums.inverse * (momentum.cross(turning.spin) + turning.torque);
  return turning;
}

/// Adds what springs do about the last iterate. turn, center: without them on entry.
bool WarpedFlight::pull(const OscillatorStep& step, Vector3& turn, Vector3& center) {
  end_sums_ = lumps_.at(end_.modal.q);
  const FlightPlace at = place(end_, end_sums_, end_.rotation.toRotationMatrix());
  const FreeWay way{turn - turn_, center - end_.center};
  const FlightYield yield{start_.h, lumps_.mass(), end_sums_.inverse, step.q_of_f};
  SpringPull pulled;
  if (!springs_.pull(at, way, yield, next_q_, pulled)) return false;
  pull_ = {at.axes * pulled.force, at.axes * pulled.torque, pulled.share};
  const double squared = pulled.share * start_.h * start_.h;
  turn += squared * (end_sums_.inverse * pulled.torque);
  center += squared / lumps_.mass() * pull_.force;
  return true;
}

/// Takes the part again with the middle that its end says. Returns by what share of its way that moved the
/// end; no number where it is lost.
double WarpedFlight::iterate(const OscillatorStep& step) {
  const Vector& q = state_.modal.q;
  mean_q_ = 0.5 * (q + end_.modal.q);
  mean_v_ = (end_.modal.q - q) / start_.h;
  const LumpSums middle = lumps_.at(mean_q_, mean_v_);
  const Turning turning = turn_on(middle, mean_q_);
  load_modes(mean_q_, mean_v_, middle, turning, to_axes_, load_);
  next_q_ = step.q_of_q.cwiseProduct(q) + step.q_of_v.cwiseProduct(state_.modal.v) +
            step.q_of_f.cwiseProduct(load_);
  Vector3 turn = start_.h * (turning.spin - middle.inverse * middle.swirl), center = start_.center;
  if (in_hand() && !pull(step, turn, center)) return std::numeric_limits<double>::quiet_NaN();
  const double turned = (turn - turn_).norm() / (small_turn + turn.norm());
  const double way = (next_q_ - q).norm() + small_way * q.norm(), moved = (next_q_ - end_.modal.q).norm();
  turn_ = turn;
  end_.center = center;
  end_.modal.q.swap(next_q_);
  return turned + (moved > 0.0 ? moved / way : moved);
}

/// Whether the iteration for the end of the part leads somewhere.
bool WarpedFlight::find_end(const OscillatorStep& step) {
  turn_ = start_.h * spin_in_axes();
  end_.modal.q = step.q_of_q.cwiseProduct(state_.modal.q) + step.q_of_v.cwiseProduct(state_.modal.v);
  const int limit = in_hand() ? 2 * most_iterations : most_iterations;
  for (int i = 0; i < limit; ++i) {
    ++iterations_;
    const double change = iterate(step);
    if (!std::isfinite(change)) return false;
    if (change <= iteration_tolerance) break;
  }
  turn_to_end();
  return turn_.norm() <= largest_part_turn;
}

void WarpedFlight::set_modes(const OscillatorStep& step) {
  const Vector &q = state_.modal.q, &v = state_.modal.v;
  end_.modal.q = step.q_of_q.cwiseProduct(q) + step.q_of_v.cwiseProduct(v) + step.q_of_f.cwiseProduct(load_);
  end_.modal.v = step.v_of_q.cwiseProduct(q) + step.v_of_v.cwiseProduct(v) + step.v_of_f.cwiseProduct(load_);
}

/// Momentum and velocities at the end that was found.
void WarpedFlight::take_end(const OscillatorStep& step) {
  if (!in_hand()) return set_modes(step);
  end_.modal.v = (end_.modal.q - state_.modal.q) / start_.h;
  end_.angular += start_.h * pull_.torque;
  end_.linear += start_.impulse * pull_.force;
}

WarpedFlight::Balance WarpedFlight::balance() {
  const Matrix3 axes = end_.rotation.toRotationMatrix();
  const Vector3 momentum = axes.transpose() * end_.angular;
  end_sums_ = lumps_.at(end_.modal.q);
  Balance result;
  result.rotational = 0.5 * momentum.dot(end_sums_.inverse * momentum);
  result.modal = modal_energy(end_.modal);
  result.work = reach_of_forces(end_.modal.q, end_sums_.shift, axes) - start_.reached;
  result.error = result.rotational - start_.rotational + load_.dot(end_.modal.q - state_.modal.q) -
                 result.work - state_.modal.slack;
  result.size = start_.rotational + start_.modal + result.rotational + result.modal + std::abs(result.work);
  for (const SiteForce& one : forces_) result.size += one.force.norm() * size_;
  return result;
}

/// A force along the way of the modes that does the work that is missing, or takes what is too much. Whether
/// it is a small one.
bool WarpedFlight::correct(const OscillatorStep& step, double error) {
  const double help = -error / (end_.modal.q - state_.modal.q).squaredNorm();
  if (!(std::abs(help) * step.q_of_f.maxCoeff() <= largest_help)) return false;
  load_ += help * (end_.modal.q - state_.modal.q);
  set_modes(step);
  return true;
}

/// Whether the end may stay, after a little help where that is enough. The flight of the centre of mass is
/// exact, and set apart.
bool WarpedFlight::hold_energy(const OscillatorStep& step) {
  Balance now = balance();
  for (int i = 0; i < most_helps && std::abs(now.error) > now.rounding(); ++i) {
    if (!correct(step, now.error)) break;
    now = balance();
  }
  const double allowed = start_.rotational + start_.modal + now.work + state_.modal.slack;
  const double room = allowed - now.rotational - now.modal;
  if (!std::isfinite(room) || !std::isfinite(now.error)) return false;
  // What damping takes is no slack, but it pays a debt.
  double slack = now.error > 0.0 ? std::min(0.0, std::max(-now.error, room)) : -now.error;
  if (slack < -now.rounding()) {
    const double kinetic = 0.5 * end_.modal.v.squaredNorm();
    if (-slack <= largest_help * kinetic) {
      end_.modal.v *= std::sqrt(1.0 + slack / kinetic);
      slack = 0.0;
    } else if (-slack > tolerated_gain * now.size) {
      return false;
    }
  }
  end_.modal.slack = next_slack(slack, 0.0);
  return true;
}

/// The same where springs pull: all of the motion may be slowed down.
bool WarpedFlight::hold_energy_in_hand() {
  const Balance now = balance();
  const double mass = lumps_.mass();
  const Vector3 way = end_.center - state_.center;
  Vector3 force = mass * gravity_;
  for (const SiteForce& one : forces_) force += one.force;
  // What moving air gives, but never what it takes, which is lost.
  const double given = std::max(0.0, start_.drag * (start_.air - way / start_.h).dot(way));
  const FlightPlace from = place(state_, now_, start_.axes),
                    to = place(end_, end_sums_, end_.rotation.toRotationMatrix());
  const double allowed = 0.5 * state_.linear.squaredNorm() / mass + start_.rotational + start_.modal +
                         springs_.energy(from) + state_.modal.slack + now.work + force.dot(way) + given;
  const double kinetic =
      0.5 * (end_.linear.squaredNorm() / mass + end_.modal.v.squaredNorm()) + now.rotational;
  const double at_rest = now.modal - 0.5 * end_.modal.v.squaredNorm() + springs_.energy(to);
  const double room = allowed - kinetic - at_rest;
  if (!std::isfinite(room)) return false;
  const double slack = pull_.share < soft_share ? std::min(room, spring_slack * (kinetic + at_rest)) : 0.0;
  end_.modal.slack = room > 0.0 ? next_slack(slack, 0.0) : room;
  const double rounding = tolerated_gain * (kinetic + at_rest + std::abs(allowed)) +
                          springs_.energy_rounding(from) + springs_.energy_rounding(to);
  if (-room <= rounding) return true;
  if (at_rest > allowed) return false;
  const double factor = slowing_factor(allowed, kinetic, at_rest);
  end_.modal.v *= factor;
  end_.linear *= factor;
  end_.angular *= factor;
  end_.modal.slack = 0.0;
  return true;
}

void WarpedFlight::end_part() {
  end_.angular *= start_.after;
  state_ = end_;
  now_ = lumps_.at(state_.modal.q, state_.modal.v);
}

/// Whether a part of h seconds may stay. Else the state is what it was.
bool WarpedFlight::take_part(double h, ModalIntegrator integrator, double reach) {
  const OscillatorStep& step = oscillators(h, in_hand() ? ModalIntegrator::semi_implicit : integrator);
  begin_part(h);
  if (in_hand()) springs_.begin(place(state_, now_, start_.axes), lumps_, reach * size_);
  if (!find_end(step)) return false;
  take_end(step);
  if (!(in_hand() ? hold_energy_in_hand() : hold_energy(step))) return false;
  end_part();
  return true;
}

/// By the mean angular velocity of a body that keeps its shape.
void WarpedFlight::turn_in_shape() {
  const LumpSums sums = lumps_.at(state_.modal.q);
  turn_ = start_.h * (sums.inverse * start_.momentum);
  for (int i = 0; i < 2 * most_iterations; ++i) {
    const Vector3 last = turn_;
    turn_ = start_.h * turn_on(sums, state_.modal.q).spin;
    if ((turn_ - last).norm() <= iteration_tolerance * (small_turn + turn_.norm())) break;
  }
  turn_to_end();
}

/// What is left where no part may stay: the shape stops, and the body flies and turns on in it. Hands stop
/// all of it. Whether numbers are finite.
bool WarpedFlight::stop(double h) {
  state_.modal.v.setZero();
  state_.modal.slack = std::min(state_.modal.slack, 0.0);
  begin_part(h);
  end_.modal.q = state_.modal.q;
  end_.modal.v.setZero();
  load_.setZero();
  if (in_hand()) {
    end_.center = state_.center;
    end_.rotation = state_.rotation;
    end_.linear.setZero();
    end_.angular.setZero();
  } else {
    turn_in_shape();
    if (Balance now = balance(); !(now.error <= tolerated_gain * now.size)) {  // where it turned too far
      end_.rotation = state_.rotation;
      now = balance();
      if (now.error > tolerated_gain * now.size)  // torques alone
        end_.angular *= std::sqrt(std::max(0.0, 1.0 - now.error / now.rotational));
    }
    end_.modal.slack = 0.0;
  }
  end_part();
  return std::isfinite(kinetic_energy() + modal_energy(state_.modal)) && state_.center.allFinite();
}

SolveReport WarpedFlight::step(double h, ModalIntegrator integrator) {
  require(std::isfinite(h) && h > 0.0, "a step of {} s, expected a positive number", h);
  before_ = state_;
  iterations_ = 0;
  SolveReport report;
  const Index whole = part_units / parts_for(h), least = whole / most_shorter;
  for (Index done = 0, size = whole; done < part_units;) {
    const double part = h * static_cast<double>(size) / part_units;
    const double reach = part_reach * static_cast<double>(size) / static_cast<double>(whole);
    if (take_part(part, integrator, reach)) {
      done += size;
      while (size < whole && done % (2 * size) == 0) size *= 2;
    } else if (size > least) {
      size /= 2;
    } else {
      report.rescued = true;
      if (!stop(part)) {
        set_state(before_);
        return {SolveStatus::not_finite, iterations_, 0.0, true};
      }
      done += size;
    }
  }
  report.iterations = iterations_;
  state_.modal.time = before_.modal.time + h;
  if (state_.modal.changed) state_.modal.slack = std::min(state_.modal.slack, 0.0);
  state_.modal.changed = false;
  return report;
}

}  // namespace limber
