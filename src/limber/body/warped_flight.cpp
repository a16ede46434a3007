#include "limber/body/warped_flight.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

// The state of a body in flight, what acts on it, and what can be said of it. flight_step.cpp moves it.

namespace limber {
namespace {

/// load += J^T force of a force on a place, in the axes of the frame.
void add_site_load(const WarpSite& site, const Vector& q, const Vector3& force, Vector& load) {
  const Vector3 y = site.shape.lazyProduct(q), w = site.turn.lazyProduct(q);
  const Vector3 local = mean_rotation(w).transpose() * force;
  const Vector3 torque = mean_rotation_derivative(w, y).transpose() * force;
  load.noalias() += site.shape.transpose().lazyProduct(local);
  load.noalias() += site.turn.transpose().lazyProduct(torque);
}

bool is_finite_flight(const FlightState& state) {
  return std::isfinite(state.modal.time) && std::isfinite(state.modal.slack) && state.modal.q.allFinite() &&
         state.modal.v.allFinite() && state.center.allFinite() && state.linear.allFinite() &&
         state.angular.allFinite() && is_unit(state.rotation);
}

}  // namespace

WarpedFlight::WarpedFlight(const WarpedEquations& equations, const Inertia& inertia,
                           const FlightSettings& settings)
    : lumps_(equations, inertia),
      lump_loads_(lumps_.about_center(equations)),
      stiffness_(equations.stiffness),
      damping_(equations.damping),
      settings_(settings),
      size_(equations.size) {
  const Index modes = equations.modes();
  state_.modal.q = state_.modal.v = Vector::Zero(modes);
  state_.center = lumps_.center();
  now_ = lumps_.at(state_.modal.q, state_.modal.v);
  before_ = end_ = state_;
  for (Vector* memory : {&load_, &next_q_, &mean_q_, &mean_v_}) memory->setZero(modes);
}

void WarpedFlight::set_damping(const Vector& damping, double mass_damping) {
  require(damping.size() == stiffness_.size(), "{} dampings of {} modes, expected one each", damping.size(),
          stiffness_.size());
  damping_ = damping;
  settings_.mass_damping = mass_damping;
  prepared_.clear();
}

/// As WarpedDynamics::loads_change().
void WarpedFlight::loads_change() {
  state_.modal.slack = std::min(state_.modal.slack, 0.0);
  state_.modal.changed = true;
}

void WarpedFlight::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity is ({}, {}, {}), expected finite numbers", acceleration.x(),
          acceleration.y(), acceleration.z());
  if (acceleration == gravity_) return;
  gravity_ = acceleration;
  loads_change();
}

void WarpedFlight::set_forces(std::vector<SiteForce> forces) {
  for (std::size_t i = 0; i < forces.size(); ++i) {
    require(
        forces[i].site.shape.cols() == stiffness_.size() && forces[i].site.turn.cols() == stiffness_.size(),
        "force {} acts on a site of {} modes, expected {}", i, forces[i].site.shape.cols(),
        stiffness_.size());
    require(forces[i].force.allFinite(), "force {} is not finite", i);
  }
  forces_ = std::move(forces);
  loads_change();
}

void WarpedFlight::set_force(Index force, const Vector3& value) {
  Vector3& present = forces_[static_cast<std::size_t>(force)].force;
  if (present == value) return;
  present = value;
  loads_change();
}

void WarpedFlight::set_springs(const std::vector<SiteSpring>& springs) {
  if (springs.empty() && springs_.empty()) return;
  springs_ = FlightSprings(springs, stiffness_.size());
  loads_change();
}

void WarpedFlight::set_wind(const Wind& wind, double shadow) {
  if (wind == wind_ && shadow == shadow_) return;
  wind_ = wind;
  shadow_ = shadow;
  loads_change();
}

void WarpedFlight::set_state(const FlightState& state) {
  const Index modes = stiffness_.size();
  require(state.modal.q.size() == modes && state.modal.v.size() == modes,
          "a state of {} amplitudes and {} velocities, expected {}", state.modal.q.size(),
          state.modal.v.size(), modes);
  require(is_finite_flight(state),
          "the state has numbers that are not finite, or a rotation that is not of unit length");
  state_ = state;
  now_ = lumps_.at(state_.modal.q, state_.modal.v);
}

FlightState WarpedFlight::moving_with(const WarpedState& modal, const FrameState& root) const {
  const Index modes = stiffness_.size();
  require(modal.q.size() == modes && modal.v.size() == modes,
          "a state of {} amplitudes and {} velocities, expected {}", modal.q.size(), modal.v.size(), modes);
  require(is_unit(root.rotation), "the frame of the body has a rotation that is not of unit length");
  const LumpSums sums = lumps_.at(modal.q, modal.v);
  FlightState state{.modal = modal, .rotation = root.rotation.normalized()};
  const Matrix3 axes = state.rotation.toRotationMatrix();
  const Vector3 middle = lumps_.center() + sums.shift, w = axes.transpose() * root.angular_velocity;
  state.center = root.position + axes * middle;
  state.linear = lumps_.mass() * (root.velocity + axes * (w.cross(middle) + sums.drift));
  state.angular = axes * (sums.inertia * w + sums.swirl);
  require(is_finite_flight(state), "the state has numbers that are not finite");
  return state;
}

Pose WarpedFlight::pose() const {
  return {state_.center - state_.rotation * Vector3(lumps_.center() + now_.shift), state_.rotation};
}

/// w, in the axes of the frame, rad/s.
Vector3 WarpedFlight::spin_in_axes() const {
  return now_.inverse * (state_.rotation.conjugate() * state_.angular - now_.swirl);
}

FrameState WarpedFlight::root() const {
  const Pose frame = pose();
  FrameState root;
  root.position = frame.position;
  root.rotation = frame.rotation;
  const Vector3 w = spin_in_axes(), middle = lumps_.center() + now_.shift;
  root.angular_velocity = frame.rotation * w;
  root.velocity = state_.linear / lumps_.mass() - frame.rotation * Vector3(w.cross(middle) + now_.drift);
  return root;
}

TreeMomentum WarpedFlight::momentum() const {
  return {lumps_.mass(), state_.center, state_.linear, state_.angular};
}

double WarpedFlight::modal_energy(const WarpedState& modal) const {
  return 0.5 * modal.v.squaredNorm() + 0.5 * (stiffness_.array() * modal.q.array().square()).sum();
}

double WarpedFlight::kinetic_energy() const {
  const Vector3 momentum = state_.rotation.conjugate() * state_.angular;
  return 0.5 * (state_.linear.squaredNorm() / lumps_.mass() + momentum.dot(now_.inverse * momentum) +
                state_.modal.v.squaredNorm());
}

/// From the centre of mass to a place, in the axes of the frame.
Vector3 WarpedFlight::arm(const WarpSite& site, const Vector& q, const Vector3& shift) const {
  return site.rest + site.displacement(q) - lumps_.center() - shift;
}

Vector3 WarpedFlight::velocity(const WarpSite& site) const {
  const Vector3 moving = site.derivative(state_.modal.q) * state_.modal.v;
  const Vector3 turning = spin_in_axes().cross(arm(site, state_.modal.q, now_.shift));
  return state_.linear / lumps_.mass() + state_.rotation * Vector3(turning + moving - now_.drift);
}

double WarpedFlight::load_energy() const {
  double energy = -lumps_.mass() * gravity_.dot(state_.center - lumps_.center());
  for (const auto& [site, force] : forces_) {
    const Vector3 place = state_.center + state_.rotation * arm(site, state_.modal.q, now_.shift);
    energy -= force.dot(place - site.rest);
  }
  return energy;
}

/// Sum of F . R x, with places from the centre of mass, J.
double WarpedFlight::reach_of_forces(const Vector& q, const Vector3& shift, const Matrix3& axes) const {
  double sum = 0.0;
  for (const auto& [site, force] : forces_) sum += force.dot(axes * arm(site, q, shift));
  return sum;
}

/// What forces on points add up to in the axes of the frame.
WarpedFlight::Turning WarpedFlight::pushed(const Vector& q, const Vector3& shift,
                                           const Matrix3& to_axes) const {
  Turning result;
  for (const SiteForce& one : forces_) {
    const Vector3 force = to_axes * one.force;
    result.force += force;
    result.torque += arm(one.site, q, shift).cross(force);
  }
  return result;
}

/// Modal loads of all but springs. Lumps feel the frame as it would turn in its shape, about the centre of
/// mass; their places are from where that is at rest.
void WarpedFlight::load_modes(const Vector& q, const Vector& v, const LumpSums& sums, const Turning& turning,
                              const Matrix3& to_axes, Vector& load) const {
  const Vector3& W = turning.spin;
  LumpMotion motion;
  motion.uniform = W.cross(W.cross(sums.shift)) + 2.0 * W.cross(sums.drift) -
                   sums.shift.cross(turning.spin_up) - turning.force / lumps_.mass();
  motion.spin = W;
  motion.spin_up = turning.spin_up;
  motion.coriolis = settings_.coriolis;
  load.setZero();
  (void)lump_loads_.add(motion, q, v, load);
  load.noalias() -= lumps_.unseen_swirl().transpose().lazyProduct(turning.spin_up);
  for (const SiteForce& one : forces_) add_site_load(one.site, q, to_axes * one.force, load);
}

FlightPush WarpedFlight::push() const {
  const Matrix3 axes = state_.rotation.toRotationMatrix();
  const Turning own = pushed(state_.modal.q, now_.shift, axes.transpose());
  return {axes * own.force + lumps_.mass() * gravity_, axes * own.torque};
}

Vector WarpedFlight::modal_acceleration() const {
  const Vector &q = state_.modal.q, &v = state_.modal.v;
  const Matrix3 to_axes = state_.rotation.toRotationMatrix().transpose();
  const Vector3 momentum = to_axes * state_.angular;
  Turning turning = pushed(q, now_.shift, to_axes);
  turning.spin = now_.inverse * momentum;
  turning.spin_up = now_.inverse * (momentum.cross(turning.spin) + turning.torque);
  Vector load = Vector::Zero(q.size());
  load_modes(q, v, now_, turning, to_axes, load);
  return load - damping_.cwiseProduct(v) - stiffness_.cwiseProduct(q);
}

}  // namespace limber
