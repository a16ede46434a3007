#include "limber/warp/warped_dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace limber {
namespace {

constexpr double usual_step = 1.0 / 60.0;  ///< s, that constraints are prepared for before the first step

/// Times that a step with gyroscopic loads is taken again. A free mass in a frame that turns by t / 2 per step keeps its speed to a factor of
/// 1 - t^6 / 32 by three: it does not grow. By one correction it would, with t^4 / 8.
constexpr int max_corrections = 3;
constexpr double converged_share = 1e-12;  ///< of the way over a step, by which a correction may change it

/// R(w)^T x.
Vector3 turned_back(const RotationFactors<double>& factors, const Vector3& w, const Vector3& x) {
  const Vector3 wx = w.cross(x);
  return x - factors.sine * wx + factors.cosine * w.cross(wx);
}

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
  for (Vector* vector : {&load_, &next_q_, &next_v_, &mean_q_, &mean_v_}) vector->setZero(modes);
}

void WarpedDynamics::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity is ({}, {}, {}), expected finite numbers", acceleration.x(),
          acceleration.y(), acceleration.z());
  gravity_ = acceleration;
}

void WarpedDynamics::set_frame_motion(const FrameMotion& motion) {
  require(motion.acceleration.allFinite() && motion.angular_velocity.allFinite() &&
              motion.angular_acceleration.allFinite(),
          "the motion of the frame has numbers that are not finite");
  frame_ = motion;
}

void WarpedDynamics::set_forces(std::vector<SiteForce> forces) {
  const Index modes = equations_.modes();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    require(forces[i].site.shape.cols() == modes && forces[i].site.turn.cols() == modes,
            "force {} acts on a site of {} modes, expected {}", i, forces[i].site.shape.cols(), modes);
    require(forces[i].force.allFinite(), "force {} is not finite", i);
  }
  forces_ = std::move(forces);
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
  held_step_ = std::move(step);
  held_h_ = h;
}

void WarpedDynamics::set_state(const WarpedState& state) {
  const Index modes = equations_.modes();
  require(state.q.size() == modes && state.v.size() == modes,
          "a state of {} amplitudes and {} velocities, expected {}", state.q.size(), state.v.size(), modes);
  require(std::isfinite(state.time) && state.q.allFinite() && state.v.allFinite(),
          "the state has numbers that are not finite");
  state_ = state;
}

void WarpedDynamics::save(StateWriter& out) const {
  out.write(state_.time);
  out.write(state_.q);
  out.write(state_.v);
  out.write(prepared_h_);
}

void WarpedDynamics::restore(StateReader& in) {
  WarpedState state;
  double h = 0.0;
  in.read(state.time);
  in.read(state.q);
  in.read(state.v);
  in.read(h);
  set_state(state);
  require(std::isfinite(h) && h >= 0.0, "the state is of steps of {} s, expected a positive number", h);
  if (h > 0.0) prepare(h);  // constraints set from now on are for such steps
}

double WarpedDynamics::elastic_energy() const {
  return 0.5 * (equations_.stiffness.array() * state_.q.array().square()).sum();
}

double WarpedDynamics::kinetic_energy() const { return 0.5 * state_.v.squaredNorm(); }

LumpMotion WarpedDynamics::lump_motion() const {
  return {gravity_ - frame_.acceleration, frame_.angular_velocity, frame_.angular_acceleration, options_.warp,
          options_.coriolis && options_.warp};
}

void WarpedDynamics::add_site_forces(const Vector& q, Vector& load) const {
  for (const SiteForce& one : forces_) {
    Vector3 w = Vector3::Zero();
    if (options_.warp) w = one.site.turn * q;
    const Vector3 local = turned_back(rotation_factors(w.squaredNorm()), w, one.force);
    load.noalias() += one.site.shape.transpose() * local;
  }
}

void WarpedDynamics::loads(const Vector& q, const Vector& v, Vector& load) const {
  load.setZero(equations_.modes());
  lump_loads_.add(lump_motion(), q, v, load);
  add_site_forces(q, load);
}

void WarpedDynamics::modal_load(Vector& load) const { loads(state_.q, state_.v, load); }

OscillatorStep WarpedDynamics::semi_implicit_step(double h) const {
  return make_oscillator_step(equations_.stiffness, equations_.damping, h, ModalIntegrator::semi_implicit);
}

void WarpedDynamics::prepare(double h) {
  if (h != prepared_h_) {
    step_ = make_oscillator_step(equations_.stiffness, equations_.damping, h, options_.integrator);
    prepared_h_ = h;
  }
  if (h != held_h_ && !constraints_.empty()) {
    held_step_ = semi_implicit_step(h);
    constraints_.set_gain(held_step_.q_of_f);
    held_h_ = h;
  }
}

/// next_q_ and next_v_ after h seconds of a constant load_, constrained.
ConstraintReport WarpedDynamics::advance(double h) {
  const OscillatorStep& step = constraints_.empty() ? step_ : held_step_;
  next_q_ = step.q_of_q.cwiseProduct(state_.q) + step.q_of_v.cwiseProduct(state_.v) +
            step.q_of_f.cwiseProduct(load_);
  if (constraints_.empty()) {
    next_v_ = step.v_of_q.cwiseProduct(state_.q) + step.v_of_v.cwiseProduct(state_.v) +
              step.v_of_f.cwiseProduct(load_);
    return {};
  }
  const ConstraintReport report = constraints_.solve(next_q_);
  // What constraints could not do must not become motion: a target out of reach would fling the body away.
  if (report.met) {
    next_v_ = (next_q_ - state_.q) / h;
  } else {
    next_v_.setZero();
  }
  return report;
}

/// Takes the step again with the loads of its middle. Gyroscopic forces do no work on the velocity that they are of: with that of the way,
/// dq / h, they do none over the step, whatever the integrator; with that at the beginning they would add energy.
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

ConstraintReport WarpedDynamics::step(double h) {
  require(std::isfinite(h) && h > 0.0, "a step of {} s, expected a positive number", h);
  prepare(h);
  modal_load(load_);
  ConstraintReport report = advance(h);
  if (lump_motion().gyroscopic()) report = correct(h, report);
  if (!next_q_.allFinite() || !next_v_.allFinite()) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {false, report.iterations, infinity, infinity};
  }
  state_.q.swap(next_q_);
  state_.v.swap(next_v_);
  state_.time += h;
  return report;
}

}  // namespace limber
