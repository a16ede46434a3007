#include "limber/warp/warped_dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/energy_guard.hpp"
#include "limber/integrators/rescue.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {
namespace {

constexpr double usual_step = 1.0 / 60.0;  ///< s, that constraints are prepared for before the first step

/// Times that a step with gyroscopic loads is taken again. A free mass in a frame that turns by t / 2 per
/// step keeps its speed to a factor of 1 - t^6 / 32 by three: it does not grow. By one correction it would,
/// with t^4 / 8.
constexpr int max_corrections = 3;
/// Share of a body's energy by which it may be above what it had, where loads depend on velocities: at long
/// steps it goes up and down by so much from step to step, and holding it to less would damp the motion.
constexpr double gyroscopic_surplus = 0.05;
constexpr double converged_share = 1e-12;  ///< of the way over a step, by which a correction may change it

WarpedEquations checked(WarpedEquations equations) {
  const Index modes = equations.modes(), lumps = equations.lumps();
  require(
      modes >= 1 && equations.damping.size() == modes && equations.shapes.cols() == modes,
      "warped equations of {} modes with {} dampings and {} shapes, expected one each and one mode at least",
      modes, equations.damping.size(), equations.shapes.cols());
  require(equations.centers.cols() == lumps && equations.moments.rows() == 3 * lumps &&
              equations.moments.cols() == modes && equations.rotations.rows() == 3 * lumps &&
              equations.rotations.cols() == modes && (equations.lump_mass.array() > 0.0).all(),
          "the lumps of warped equations do not fit together, or one has no mass");
  return equations;
}

}  // namespace

WarpedDynamics::WarpedDynamics(WarpedEquations equations, const WarpedOptions& options)
    : equations_(checked(std::move(equations))), options_(options), lump_loads_(equations_) {
  const Index modes = equations_.modes();
  state_.q = state_.v = Vector::Zero(modes);
  for (Vector* vector : {&load_, &next_q_, &next_v_, &next_load_, &mean_q_, &mean_v_}) vector->setZero(modes);
}

void WarpedDynamics::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity is ({}, {}, {}), expected finite numbers", acceleration.x(),
          acceleration.y(), acceleration.z());
  if (acceleration == gravity_) return;
  gravity_ = acceleration;
  loads_change();
}

void WarpedDynamics::set_frame_motion(const FrameMotion& motion) {
  require(motion.acceleration.allFinite() && motion.angular_velocity.allFinite() &&
              motion.angular_acceleration.allFinite(),
          "the motion of the frame has numbers that are not finite");
  if (motion.acceleration == frame_.acceleration && motion.angular_velocity == frame_.angular_velocity &&
      motion.angular_acceleration == frame_.angular_acceleration)
    return;
  frame_ = motion;
  loads_change();
}

void WarpedDynamics::set_forces(std::vector<SiteForce> forces) {
  const Index modes = equations_.modes();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    require(forces[i].site.shape.cols() == modes && forces[i].site.turn.cols() == modes,
            "force {} acts on a site of {} modes, expected {}", i, forces[i].site.shape.cols(), modes);
    require(forces[i].force.allFinite(), "force {} is not finite", i);
  }
  forces_ = std::move(forces);
  loads_change();
}

void WarpedDynamics::set_force(Index force, const Vector3& value) {
  Vector3& present = forces_[static_cast<std::size_t>(force)].force;
  if (present == value) return;
  present = value;
  loads_change();
}

void WarpedDynamics::set_springs(const std::vector<SiteSpring>& springs) {
  if (springs.empty() && springs_.empty()) return;
  springs_ = SiteSprings(springs, equations_.modes());
  loads_change();
}

/// As note_change() in integrators/rescue.hpp.
void WarpedDynamics::loads_change() {
  load_known_ = false;
  state_.slack = std::min(state_.slack, 0.0);
  state_.changed = true;
}

void WarpedDynamics::set_constraints(ManipulationSites sites) {
  if (!options_.warp) {  // positions are linear; orientations are so already
    for (WarpSite& site : sites.positions) site.turn.setZero();
  }
  const double h = prepared_h_ > 0.0 ? prepared_h_ : usual_step;
  OscillatorStep step = semi_implicit_step(h);
  Manipulation next(std::move(sites), step.q_of_f, equations_.size);
  next.set_targets(state_.q);
  constraints_ = std::move(next);
  loads_change();
  held_step_ = std::move(step);
  held_h_ = h;
}

void WarpedDynamics::set_state(const WarpedState& state) {
  const Index modes = equations_.modes();
  require(state.q.size() == modes && state.v.size() == modes,
          "a state of {} amplitudes and {} velocities, expected {}", state.q.size(), state.v.size(), modes);
  require(std::isfinite(state.time) && state.q.allFinite() && state.v.allFinite(),
          "the state has numbers that are not finite");
  require(std::isfinite(state.slack), "the state has a slack of energy that is not finite");
  state_ = state;
  load_known_ = false;
}

void WarpedDynamics::save(StateWriter& out) const {
  out.write(state_.time);
  out.write(state_.q);
  out.write(state_.v);
  out.write(state_.slack);
  out.write(state_.changed);
  out.write(prepared_h_);
}

void WarpedDynamics::restore(StateReader& in) {
  WarpedState state;
  double h = 0.0;
  in.read(state.time);
  in.read(state.q);
  in.read(state.v);
  in.read(state.slack);
  in.read(state.changed);
  in.read(h);
  set_state(state);
  require(std::isfinite(h) && h >= 0.0, "the state is of steps of {} s, expected a positive number", h);
  if (h > 0.0) prepare(h);  // constraints set from now on are for such steps
}

double WarpedDynamics::elastic_energy(const Vector& q) const {
  return 0.5 * (equations_.stiffness.array() * q.array().square()).sum();
}

double WarpedDynamics::elastic_energy() const { return elastic_energy(state_.q); }

double WarpedDynamics::kinetic_energy() const { return 0.5 * state_.v.squaredNorm(); }

LumpMotion WarpedDynamics::lump_motion() const {
  return {gravity_ - frame_.acceleration, frame_.angular_velocity, frame_.angular_acceleration, options_.warp,
          options_.coriolis && options_.warp};
}

/// load += J^T F of the forces. Returns their potential energy.
double WarpedDynamics::add_site_forces(const Vector& q, Vector& load) const {
  double potential = 0.0;
  for (const SiteForce& one : forces_) {
    const Vector3 y = one.site.shape * q;
    if (!options_.warp) {
      load.noalias() += one.site.shape.transpose() * one.force;
      potential -= one.force.dot(y);
      continue;
    }
    const Vector3 w = one.site.turn * q;
    const Vector3 local = mean_rotation(w).transpose() * one.force;
    load.noalias() += one.site.shape.transpose() * local;
    load.noalias() += one.site.turn.transpose() * (mean_rotation_derivative(w, y).transpose() * one.force);
    potential -= local.dot(y);
  }
  return potential;
}

/// J^T F of all. Returns their potential energy.
double WarpedDynamics::loads(const Vector& q, const Vector& v, Vector& load) const {
  load.setZero(equations_.modes());
  const double potential = lump_loads_.add(lump_motion(), q, v, load);
  return potential + add_site_forces(q, load);
}

double WarpedDynamics::modal_load(Vector& load) const { return loads(state_.q, state_.v, load); }

/// Whether the energy is known, and an integrator might add to it: that of linear oscillators under constant
/// loads none does.
bool WarpedDynamics::guarded() const {
  const LumpMotion motion = lump_motion();
  const bool turning = options_.warp && !(motion.none() && forces_.empty());
  return (turning || motion.gyroscopic()) && motion.conservative() && !in_hand();
}

OscillatorStep WarpedDynamics::semi_implicit_step(double h) const {
  return make_oscillator_step(equations_.stiffness, equations_.damping, h, ModalIntegrator::semi_implicit);
}

void WarpedDynamics::prepare(double h) {
  if (h != prepared_h_) {
    step_ = make_oscillator_step(equations_.stiffness, equations_.damping, h, options_.integrator);
    prepared_h_ = h;
  }
  if (h != held_h_ && in_hand()) {
    held_step_ = semi_implicit_step(h);
    if (!constraints_.empty()) constraints_.set_gain(held_step_.q_of_f);
    held_h_ = h;
  }
}

/// next_q_ and next_v_ after h seconds of a constant load_, constrained.
ConstraintReport WarpedDynamics::advance(double h) {
  const OscillatorStep& step = in_hand() ? held_step_ : step_;
  next_q_ = step.q_of_q.cwiseProduct(state_.q) + step.q_of_v.cwiseProduct(state_.v) +
            step.q_of_f.cwiseProduct(load_);
  if (!in_hand()) {
    next_v_ = step.v_of_q.cwiseProduct(state_.q) + step.v_of_v.cwiseProduct(state_.v) +
              step.v_of_f.cwiseProduct(load_);
    return {};
  }
  ConstraintReport report;
  if (!springs_.empty()) {
    report.iterations = springs_.pull(state_.q, step.q_of_f, options_.warp, next_q_);
    if (report.iterations == 0) next_q_.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  if (!constraints_.empty()) report = constraints_.solve(next_q_);
  // What constraints could not do must not become motion: a target out of reach would fling the body away.
  if (report.met) {
    next_v_ = (next_q_ - state_.q) / h;
  } else {
    next_v_.setZero();
  }
  return report;
}

/// Takes the step again with the loads of its middle. Gyroscopic forces do no work on the velocity that they
/// are of: with that of the way, dq / h, they do none over the step, whatever the integrator; with that at
/// the beginning they would add energy.
ConstraintReport WarpedDynamics::correct(double h, ConstraintReport report) {
  for (int i = 0; i < max_corrections; ++i) {
    mean_q_ = 0.5 * (state_.q + next_q_);
    mean_v_ = (next_q_ - state_.q) / h;
    loads(mean_q_, mean_v_, load_);
    const int iterations = report.iterations;
    report = advance(h);
    report.iterations += iterations;
    // mean_v_ becomes its own change.
    const double way = mean_v_.norm();
    mean_v_ -= (next_q_ - state_.q) / h;
    if (!(mean_v_.norm() > converged_share * way)) break;
  }
  return report;
}

/// Implicit Euler with the loads of the state, shortened until it does not gain energy, to next_q_, next_v_,
/// next_load_ and mean_v_; as rescue_step() in integrators/rescue.hpp.
void WarpedDynamics::rescue(double h, double allowed) {
  constexpr int most_tries = 40;
  const Vector& k = equations_.stiffness;
  const double start = elastic_energy() + potential_;
  Vector& d = mean_q_;
  d = (h * state_.v + (h * h) * (load_ - k.cwiseProduct(state_.q))).array() /
      (1.0 + h * equations_.damping.array() + (h * h) * k.array());
  const double inertia = d.squaredNorm() / (h * h), drift = state_.v.dot(d) / h;
  const double start_slope = (k.cwiseProduct(state_.q) - load_).dot(d) - drift;
  double t = 1.0, potential = 0.0, elastic = 0.0;
  for (int tries = 0;; ++tries) {
    if (tries == most_tries) t = 0.0;  // stays where it is
    next_q_ = state_.q + t * d;
    next_v_ = (t / h) * d;
    potential = loads(next_q_, next_v_, next_load_);
    elastic = elastic_energy(next_q_);
    const double change = t * (0.5 * t * inertia - drift) + elastic + potential - start;
    if (change <= 0.0 || t == 0.0) break;
    const double slope = t * inertia - drift + (k.cwiseProduct(next_q_) - next_load_).dot(d);
    t = shorter_step(t, start_slope, change, slope);
  }
  next_v_ *= slowing_factor(allowed, 0.5 * next_v_.squaredNorm(), elastic + potential);
  potential_ = potential;
}

/// Holds the step to its energy; next_load_ and potential_ become those of its end. Returns the slack of the
/// next.
double WarpedDynamics::end_within(double h, ConstraintReport& report) {
  const double start_potential = potential_;
  const double allowed = kinetic_energy() + elastic_energy() + potential_ + state_.slack;
  potential_ = loads(next_q_, next_v_, next_load_);
  const bool gyroscopic = lump_motion().gyroscopic();
  if (!gyroscopic && options_.integrator != ModalIntegrator::semi_implicit)
    next_v_ += 0.5 * step_.v_of_f.cwiseProduct(next_load_ - load_);
  double kinetic = 0.5 * next_v_.squaredNorm();
  const double elastic = elastic_energy(next_q_), at_rest = elastic + potential_;
  const double share = gyroscopic ? gyroscopic_surplus : 32.0 * std::numeric_limits<double>::epsilon();
  const double rounding = share * (kinetic + elastic + (gyroscopic ? 0.0 : std::abs(potential_)));
  switch (judge_energy(allowed, kinetic, at_rest, rounding)) {
    case EnergyVerdict::accept:
      break;
    case EnergyVerdict::slow:
      next_v_ *= slowing_factor(allowed, kinetic, at_rest);
      break;
    case EnergyVerdict::rescue:
      potential_ = start_potential;
      rescue(h, allowed);
      report.rescued = true;
      break;
  }
  kinetic = 0.5 * next_v_.squaredNorm();
  const double total = kinetic + elastic_energy(next_q_) + potential_;
  return gyroscopic ? allowed - total : next_slack(allowed, total);
}

/// Whether next_q_ and next_v_ are finite: 0 times what is not is no number. By allFinite(), which goes entry
/// by entry, this took half of a step without loads.
bool WarpedDynamics::is_finite_step() const {
  return (0.0 * next_q_).sum() == 0.0 && (0.0 * next_v_).sum() == 0.0;
}

void WarpedDynamics::foresee(double h, Vector& velocities, Vector& gains) {
  prepare(h);
  if (in_hand()) {
    velocities = state_.v;
    gains = held_step_.q_of_f / h;
    return;
  }
  if (!load_known_) potential_ = modal_load(load_);
  load_known_ = true;
  velocities = (step_.q_of_q.cwiseProduct(state_.q) - state_.q + step_.q_of_v.cwiseProduct(state_.v) +
                step_.q_of_f.cwiseProduct(load_)) /
               h;
  gains = step_.q_of_f / h;
}

ConstraintReport WarpedDynamics::step(double h) {
  require(std::isfinite(h) && h > 0.0, "a step of {} s, expected a positive number", h);
  prepare(h);
  if (!load_known_) potential_ = modal_load(load_);
  const bool gyroscopic = lump_motion().gyroscopic(), guards = guarded();
  if (gyroscopic && guards) next_load_ = load_;
  ConstraintReport report = advance(h);
  if (gyroscopic) report = correct(h, report);
  double slack = 0.0;
  bool finite = is_finite_step();
  if (finite && guards) {
    if (gyroscopic) load_ = next_load_;
    slack = end_within(h, report);
    finite = is_finite_step();
  }
  load_known_ = false;
  if (!finite) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {false, report.iterations, infinity, infinity};
  }
  // Loads that depend on velocities are those of another one where that was slowed down.
  load_known_ = guards && !gyroscopic;
  if (load_known_) load_.swap(next_load_);
  state_.slack = state_.changed ? std::min(slack, 0.0) : slack;
  state_.changed = false;
  state_.q.swap(next_q_);
  state_.v.swap(next_v_);
  state_.time += h;
  return report;
}

}  // namespace limber
