#include "limber/base/error.hpp"
#include "limber/body/warped_motion.hpp"
#include "limber/integrators/energy_guard.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>

// Steps in velocities (coupled_step.hpp) of bodies that move by warped modes and touch something.
//
// Modes are oscillators of mass 1 beside the motion of the whole. So with p' their velocities, P and L the
// momenta and I, D, A of LumpInertia, in axes of the world, the kinetic energy is
//
//   T = 1/2 |p'|^2 + m/2 |V_c|^2 + 1/2 W . I W,
//   V_c = P/m = V + w x (c - o) + D p',     W = I^-1 L = w + I^-1 A p',
//
// which is the matrix of the step in p', V and w, but for what damping and stiffness add to the modes.
// Momenta are changed by impulses and loads alone, and the frame turns as they ask for in the middle of the
// step.

namespace limber {
namespace {

/// Of modes that are fast for the step, 1/s, with x = w h: as trees have it (tree_coupled.cpp).
Vector fast_mode_damping(const Vector& stiffness, double h) {
  const Eigen::ArrayXd power = (h * h * stiffness.array()).max(0.0).square();
  return 0.3 * h * stiffness.array() * power / (16.0 + power);
}

/// As trees have it.
constexpr double warped_slack_rate = 0.015;

/// Rounding of sums of energies of that size.
constexpr double warped_energy_digits = 1e-13;

Matrix3 turned_axes(const Vector3& way, const Matrix3& axes) { return rotation_matrix(way) * axes; }

Eigen::Quaterniond turned_frame(const Vector3& way, const Eigen::Quaterniond& frame) {
  return Eigen::Quaterniond(turned_axes(way, frame.toRotationMatrix())).normalized();
}

}  // namespace

WarpedState WarpedMotion::modal_state() const { return flight_ ? flight_->state().modal : dynamics_.state(); }

/// How V_c and W follow from the velocities of the coordinates and of the frame, 3 x (r + 6) each.
void WarpedMotion::whole_rows(Matrix3X& flight, Matrix3X& spin) const {
  const Index rank = state_.q.size();
  const Matrix3 axes = pose_.rotation.toRotationMatrix();
  const FlightState& now = flight_->state();
  Matrix3X drift, swirl;
  flight_->lumps().rows(now.modal.q, drift, swirl);
  const LumpSums sums = flight_->lumps().at(now.modal.q);
  flight.resize(3, rank + 6);
  flight.leftCols(rank) = axes * drift * amplitudes_;
  flight.middleCols<3>(rank).setIdentity();
  flight.rightCols<3>() = cross_matrix(pose_.position - now.center);
  spin.setZero(3, rank + 6);
  spin.leftCols(rank) = axes * sums.inverse * swirl * amplitudes_;
  spin.rightCols<3>().setIdentity();
}

SolveReport WarpedMotion::begin_coupled(double h, CoupledStep& step, ElasticEnd elastic,
                                        const StepPart& /*part*/) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
  const double last = coupled_h_, kick = 0.5 * (h + last), alpha = setup_.damping.mass;
  act({state_.time - 0.5 * last, state_.time + 0.5 * h}, flight_ ? to_frame_ : pose_.rotation.conjugate());
  const WarpedEquations& equations = dynamics_.equations();
  const WarpedState modal = modal_state();
  double ahead = 0.5 * (h - last), on_stiffness = 0.25 * h * h;
  if (elastic != ElasticEnd::mean || h < last) {  // as trees have it (tree_coupled.cpp)
    ahead = elastic != ElasticEnd::mean ? h : 0.5 * h;
    on_stiffness = ahead * kick;
  }
  const Vector fast = fast_mode_damping(equations.stiffness, h);
  const Vector on_modes =
      (1.0 + 0.5 * h * (equations.damping + fast).array() + on_stiffness * equations.stiffness.array())
          .matrix();
  Vector change;
  if (flight_) {
    change = flight_->modal_acceleration();
  } else {
    (void)dynamics_.modal_load(change);
    change -= equations.damping.cwiseProduct(modal.v) + equations.stiffness.cwiseProduct(modal.q);
  }
  change -= (ahead * equations.stiffness + fast).cwiseProduct(modal.v);
  const bool rigid = elastic == ElasticEnd::rigid;
  const Vector next =
      rigid ? Vector(Vector::Zero(modal.v.size())) : Vector(modal.v + kick * change.cwiseQuotient(on_modes));

  const Index rank = state_.q.size(), size = rank + (flight_ ? 6 : 0);
  step.h = h;
  step.kick = kick;
  step.elastic = elastic;
  step.hardness = 0.0;
  step.condensed = step.pulled = false;
  step.matrix.setZero(size, size);
  // Of one whose shape stays: what is left of its velocities is far below what anything can tell.
  const double hard = rigid ? 1e10 : 1.0;
  step.matrix.topLeftCorner(rank, rank) =
      hard * (amplitudes_.transpose() * on_modes.asDiagonal() * amplitudes_);
  step.start.resize(size);
  step.free.resize(size);
  step.start.head(rank) = equations.shapes * modal.v;
  step.free.head(rank) = equations.shapes * next;
  if (flight_) {
    const FlightState& now = flight_->state();
    const Matrix3 axes = pose_.rotation.toRotationMatrix();
    const LumpSums sums = flight_->lumps().at(modal.q);
    const Matrix3 inertia = axes * sums.inertia * axes.transpose(),
                  inverse = axes * sums.inverse * axes.transpose();
    const double mass = flight_->lumps().mass(), after = 1.0 + 0.5 * h * alpha;
    Matrix3X flight, spin;
    whole_rows(flight, spin);
    step.matrix += after * (mass * flight.transpose() * flight + spin.transpose() * inertia * spin);
    const FlightPush push = flight_->push();
    loads_ = {push.force, push.torque};
    const auto put = [&](const Vector3& linear, const Vector3& angular, Vector& u) {
      const auto own = u.head(rank);
      u.tail<3>() = inverse * angular - spin.leftCols(rank) * own;
      u.segment<3>(rank) = linear / mass - flight.leftCols(rank) * own -
                           Vector3(u.tail<3>()).cross(now.center - pose_.position);
    };
    put(now.linear, now.angular, step.start);
    const double before = 1.0 - 0.5 * last * alpha;
    put((before * now.linear + kick * loads_.force) / after,
        (before * now.angular + kick * loads_.torque) / after, step.free);
  }
  return {step.free.allFinite() && step.matrix.allFinite() ? SolveStatus::converged
                                                           : SolveStatus::not_finite};
}

/// Of the loads alone, likewise.
double WarpedMotion::load_potential(const WarpedState& modal, const Matrix3& axes) const {
  if (flight_) return flight_->reach_energy(modal.q, axes);
  Vector load;
  return dynamics_.loads(modal.q, modal.v, load);
}

/// Of the loads and of turning, with the shape and the frame as they are given, J. A flight has its centre of
/// mass where it was made: what moves the whole has no part in it.
double WarpedMotion::fixed_energy(const WarpedState& modal, const Matrix3& axes,
                                  const Vector3& angular) const {
  const double given =
      0.5 * dynamics_.equations().stiffness.dot(modal.q.cwiseAbs2()) + load_potential(modal, axes);
  if (!flight_) return given;
  const LumpSums sums = flight_->lumps().at(modal.q);
  const Vector3 own = axes.transpose() * angular;
  return given + 0.5 * own.dot(sums.inverse * own);
}

/// The mean angular velocity with which a flight of these momenta turns over h seconds, by its middle.
Vector3 WarpedMotion::mean_spin(const Vector& middle, const Vector& v, const Vector3& angular,
                                double h) const {
  constexpr int most_iterations = 30;
  const Matrix3 start = pose_.rotation.toRotationMatrix();
  const LumpSums sums = flight_->lumps().at(middle, v);
  Vector3 spin = Vector3::Zero();
  for (int i = 0; i < most_iterations; ++i) {
    const Matrix3 axes = turned_axes(0.5 * h * spin, start);
    const Vector3 next = axes * (sums.inverse * (axes.transpose() * angular - sums.swirl));
    const double change = (next - spin).norm();
    spin = next;
    if (!(change > 1e-14 * spin.norm())) break;
  }
  return spin;
}

SolveReport WarpedMotion::end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse,
                                      bool last) {
  const bool rigid = step.elastic == ElasticEnd::rigid;
  const double h = step.h, alpha = setup_.damping.mass;
  const Index rank = state_.q.size();
  before_ = {modal_state(), flight_ ? flight_->state() : FlightState(), state_, pose_, coupled_h_};
  const WarpedState& start = before_.modal;
  const Index moving = rigid ? u.size() - rank : u.size();
  const Matrix3 axes = pose_.rotation.toRotationMatrix();
  FlightState end = before_.flight;
  Matrix3 middle_axes = axes;
  double work =
      0.5 * (impulse.tail(moving).dot(step.start.tail(moving)) + impulse.tail(moving).dot(u.tail(moving)));
  double flown = 0.0;
  Vector3 spin_before = Vector3::Zero();
  if (flight_) {
    const FlightState& now = before_.flight;
    const Vector3 linear = impulse.segment<3>(rank),
                  angular = impulse.tail<3>() - (now.center - pose_.position).cross(linear);
    const double before = 1.0 - 0.5 * coupled_h_ * alpha, after = 1.0 + 0.5 * h * alpha;
    end.linear = (before * now.linear + step.kick * loads_.force + linear) / after;
    end.angular = (before * now.angular + step.kick * loads_.torque + angular) / after;
    work -= linear.dot(now.linear + end.linear) / (2.0 * flight_->lumps().mass());
    flown = linear.dot(end.linear - now.linear) / flight_->lumps().mass();
    spin_before = flight_->root().angular_velocity;
  }
  WarpedState back = start;
  back.q -= 0.5 * coupled_h_ * start.v;
  const Matrix3 back_axes = turned_axes(-0.5 * coupled_h_ * spin_before, axes);
  const double fixed_before = fixed_energy(back, back_axes, before_.flight.angular);
  const double before = 0.5 * start.v.squaredNorm() + fixed_before;
  SolveReport report{SolveStatus::converged, 1, 0.0};
  report.rescued = rigid;
  WarpedState modal = start;
  modal.v = amplitudes_ * u.head(rank);
  if (rigid) modal.v.setZero();
  Vector3 spin = Vector3::Zero();
  WarpedState middle = modal;
  middle.q = start.q + 0.5 * h * modal.v;
  modal.q = start.q + h * modal.v;
  if (flight_) {
    spin = mean_spin(middle.q, modal.v, end.angular, h);
    middle_axes = turned_axes(0.5 * h * spin, axes);
    end.rotation = turned_frame(h * spin, pose_.rotation);
    end.center = before_.flight.center + (h / flight_->lumps().mass()) * end.linear;
  }
  const double kinetic = 0.5 * modal.v.squaredNorm(), fixed = fixed_energy(middle, middle_axes, end.angular);
  double allowed = before + work + start.slack, beyond = 0.0;
  // What loads and contacts do in steps of two lengths (multidomain/tree_coupled.cpp).
  if (coupled_h_ > 0.0 && h != coupled_h_) {
    const double here = load_potential(start, axes),
                 now = (here - load_potential(middle, middle_axes)) / (0.5 * h),
                 then = (load_potential(back, back_axes) - here) / (0.5 * coupled_h_);
    const double gained = (impulse.tail(moving).dot(u.tail(moving)) -
                           impulse.tail(moving).dot(step.start.tail(moving)) - flown) /
                          step.kick;
    beyond = beyond_way(coupled_h_, h, now - then, gained);
    allowed += beyond;
  }
  const double rounding =
      warped_energy_digits * (kinetic + std::abs(fixed) + std::abs(before) + std::abs(work));
  double unknown = rounding;
  if (flight_) {
    allowed += missed_work(step, u, impulse, flight_->lumps().mass());
    unknown = std::max(unknown, solved_digits(step, impulse, flight_->lumps().mass()));
  }
  const bool finite = std::isfinite(kinetic + fixed) && modal.q.allFinite() && end.center.allFinite();
  EnergyVerdict verdict = finite ? EnergyVerdict::accept : EnergyVerdict::rescue;
  const bool judged = coupled_h_ > 0.0 && std::isfinite(allowed);
  if (finite && judged) verdict = judge_energy(allowed, kinetic, fixed, unknown);
  // In the end it may be slowed down by as much as it takes.
  if (verdict == EnergyVerdict::rescue && finite && (rigid || (last && fixed <= allowed))) {
    verdict = EnergyVerdict::slow;
    report.rescued = true;
  }
  if (verdict == EnergyVerdict::rescue) {
    report.status = finite ? SolveStatus::not_converged : SolveStatus::not_finite;
    return report;
  }
  double left = kinetic, factor = 1.0;
  if (verdict == EnergyVerdict::slow) {
    factor = slowing_factor(allowed, kinetic, fixed);
    left *= factor * factor;
  }
  double slack = slack_without(beyond, allowed, left + fixed, start.slack);
  if (judged && !rigid && step.unearned + step.excess > 0.0) {
    const double given = allowed - step.unearned;
    if (const double taken = taken_back(left + fixed - (given - step.excess), left, left + std::abs(fixed));
        taken > 0.0) {
      factor *= std::sqrt(1.0 - taken / left);
      left -= taken;
    }
    slack = slack_without(step.excess + beyond, given, left + fixed, start.slack);
  }
  if (factor < 1.0) {
    // From the middle on, so that this stays where it is, half a step before.
    const Vector fast = modal.v;
    modal.v *= factor;
    modal.q -= 0.5 * h * (fast - modal.v);
    if (flight_) {
      const Vector3 slower = mean_spin(middle.q, modal.v, end.angular, h);
      end.rotation = turned_frame(0.5 * h * (slower - spin), end.rotation);
    }
  }
  const double most = warped_slack_rate * h * left;
  modal.slack = judged ? std::clamp(slack, -rounding, std::max(most, -rounding)) : 0.0;
  modal.time = start.time + h;
  modal.changed = false;
  coupled_h_ = h;
  end.modal = modal;
  take_coupled(end);
  return report;
}

/// Alone, as one that touches nothing.
StepReport WarpedMotion::step_coupled(double h) {
  CoupledStep step;
  SolveReport ended;
  for (const ElasticEnd elastic : {ElasticEnd::mean, ElasticEnd::implicit, ElasticEnd::rigid}) {
    if (const SolveReport begun = begin_coupled(h, step, elastic, {}); !begun.ok()) return {begun};
    ended = end_coupled(step, step.free, Vector::Zero(step.free.size()), elastic != ElasticEnd::mean);
    if (ended.ok()) break;
  }
  return {ended};
}

void WarpedMotion::take_coupled(const FlightState& state) {
  dynamics_.set_state(state.modal);
  if (flight_) flight_->set_state(state);
  read_modes();
  state_.a.setZero();
  if (!flight_) return;
  read_frame();
  state_.root.acceleration.setZero();
  state_.root.angular_acceleration.setZero();
}

void WarpedMotion::undo_coupled() {
  FlightState state = before_.flight;
  state.modal = before_.modal;
  take_coupled(state);
  state_ = before_.state;
  pose_ = before_.pose;
  coupled_h_ = before_.h;
}

/// Half a step back, where energies of coupled bodies are at home.
WarpedMotion WarpedMotion::in_middle() const {
  WarpedMotion result = *this;
  const double back = 0.5 * coupled_h_;
  FlightState state = flight_ ? flight_->state() : FlightState();
  state.modal = modal_state();
  state.modal.q -= back * state.modal.v;
  if (flight_) {
    state.center -= (back / flight_->lumps().mass()) * state.linear;
    state.rotation = turned_frame(-back * state_.root.angular_velocity, state.rotation);
  }
  result.coupled_h_ = 0.0;
  result.take_coupled(state);
  return result;
}

}  // namespace limber
