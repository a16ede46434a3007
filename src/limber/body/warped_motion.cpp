#include "limber/body/warped_motion.hpp"

#include "limber/base/error.hpp"
#include "limber/body/handles.hpp"
#include "limber/body/reduced_motion.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

// Steps and states; warped_loads.cpp has what acts on the body, warped_points.cpp where its points are.

namespace limber {
namespace {

bool is_finite(const ConstraintReport& report) {
  return std::isfinite(report.position_error) && std::isfinite(report.orientation_error);
}

WarpedEquations equations_of(const MotionSetup& setup, const RayleighDamping& damping) {
  const PartSettings& settings = setup.settings.front();
  WarpedEquations equations = make_warped_equations(setup.model->parts.front().model, settings.materials,
                                                    {.rank = settings.rank, .modes = setup.modal.modes});
  equations.stiffness *= setup.stiffness.front();
  equations.damping = (damping.mass + damping.stiffness * equations.stiffness.array()).matrix();
  return equations;
}

WarpedOptions options_of(const MotionSetup& setup) {
  return {setup.modal.integrator.value_or(ModalIntegrator::newmark), setup.warp,
          setup.warp && setup.modal.coriolis};
}

/// The same for every law: exact forces are asked with the one that they know.
Matrix mass_of(const MotionSetup& setup) {
  const PartSettings& settings = setup.settings.front();
  const ReducedModel& model = setup.model->parts.front().model;
  std::vector<Material> materials = settings.materials;
  if (!model.cubature) {
    for (Material& material : materials) material.law = Stvk{lame_of(material.law)};
  }
  return make_equations(model, materials, settings.rank).mass;
}

ModalIntegrator checked_integrator(std::int64_t number) {
  require(number >= 0 && number <= static_cast<std::int64_t>(ModalIntegrator::exact),
          "the state is of the modal integrator {}, which does not exist", number);
  return static_cast<ModalIntegrator>(number);
}

}  // namespace

WarpedMotion::WarpedMotion(MotionSetup setup)
    : setup_(std::move(setup)), dynamics_(equations_of(setup_, setup_.damping), options_of(setup_)) {
  const ReducedModel& model = reduced();
  amplitudes_ = dynamics_.equations().shapes.transpose() * mass_of(setup_);
  if (setup_.warp)
    warped_surface_ =
        WarpedSurface(setup_.surface->part(0).rest, model.surface.basis, model.warp->surface_rotations);
  const PartSettings& settings = setup_.settings.front();
  state_.q = state_.v = state_.a = Vector::Zero(settings.rank);
  require(!setup_.coupled || dynamics_.equations().modes() == settings.rank,
          "{}: a body of warped modes that may touch others takes no fewer modes than it has coordinates; "
          "choose the method 'reduced', or let it touch nothing",
          setup_.model->name.empty() ? "the body" : setup_.model->name);
  if (!setup_.model->free) return;
  require(setup_.warp, "linear modes of a body that nothing holds reached a motion that does not take them");
  flight_.emplace(dynamics_.equations(), inertia_of(model, settings.materials, settings.rank),
                  FlightSettings{setup_.damping.mass, dynamics_.options().coriolis});
}

std::unique_ptr<Motion> WarpedMotion::copy() const { return std::make_unique<WarpedMotion>(*this); }

/// Of the support, in the time of the loads.
FrameMotion WarpedMotion::frame_motion() const {
  if (!support_ || !(acting_.to > acting_.from)) return {};
  return support_motion(support_, acting_.from, acting_.to);
}

/// Dynamics do not change theirs: new ones go on from where these are.
void WarpedMotion::take_options(WarpedEquations equations, const WarpedOptions& options) {
  WarpedDynamics next(std::move(equations), options);
  next.set_state(dynamics_.state());
  if (!flight_) {
    next.set_gravity(uniform_load());
    next.set_frame_motion(frame_motion());
    next.set_forces(site_forces());
    next.set_springs(site_springs());
    if (!grip_.handles.empty()) hold(next, grip_);
  }
  dynamics_ = std::move(next);
}

void WarpedMotion::set_damping(const RayleighDamping& damping) {
  take_options(equations_of(setup_, damping), dynamics_.options());
  if (flight_) flight_->set_damping(dynamics_.equations().damping, damping.mass);
  setup_.damping = damping;
}

ModalIntegrator WarpedMotion::integrator_for(const ReducedStepOptions& options) const {
  if (setup_.modal.integrator) return *setup_.modal.integrator;
  return options.newmark.max_iterations > 1 ? ModalIntegrator::exact : ModalIntegrator::newmark;
}

void WarpedMotion::take_integrator(ModalIntegrator integrator) {
  WarpedOptions options = dynamics_.options();
  if (options.integrator == integrator) return;
  options.integrator = integrator;
  take_options(dynamics_.equations(), options);
}

/// q and v from the amplitudes.
void WarpedMotion::read_modes() {
  const Matrix& shapes = dynamics_.equations().shapes;
  const WarpedState& modal = dynamics_.state();
  state_.time = modal.time;
  state_.q.noalias() = shapes * modal.q;
  state_.v.noalias() = shapes * modal.v;
  state_.slack = modal.slack;
}

/// Where the frame of a body in flight is, and how it moves; accelerations stay.
void WarpedMotion::read_frame() {
  const Vector3 acceleration = state_.root.acceleration,
                angular_acceleration = state_.root.angular_acceleration;
  state_.root = flight_->root();
  state_.root.acceleration = acceleration;
  state_.root.angular_acceleration = angular_acceleration;
  pose_ = flight_->pose();
}

StepReport WarpedMotion::step(double h, const ReducedStepOptions& options) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
  if (setup_.coupled) return step_coupled(h);
  if (flight_) return fly(h, integrator_for(options));
  take_integrator(integrator_for(options));
  const Pose pose = pose_;
  const LoadTime acting = acting_;
  const Eigen::Quaterniond to_frame = to_frame_;
  const Vector3 wind_push = wind_push_;
  prepare_loads(h);
  const ConstraintReport report = dynamics_.step(h);
  if (!is_finite(report)) {
    wind_push_ = wind_push;
    if (support_) aim(pose);
    act(acting, to_frame);
    dynamics_.set_frame_motion(frame_motion());
    return {{SolveStatus::not_finite, report.iterations, 0.0, report.rescued}};
  }
  report_ = report;
  state_.a = -state_.v / h;
  read_modes();
  state_.a += state_.v / h;
  return {{SolveStatus::converged, report.iterations, 0.0, report.rescued}};
}

/// A step of a body that nothing holds.
StepReport WarpedMotion::fly(double h, ModalIntegrator integrator) {
  if (!grip_.handles.empty() && h != grip_h_) {
    grip_h_ = h;
    use_springs();
  }
  const LoadTime acting = acting_;
  act({state_.time, state_.time + h}, to_frame_);
  const SolveReport report = flight_->step(h, integrator);
  if (!report.ok()) {
    act(acting, to_frame_);
    return {report};
  }
  const FrameState root = state_.root;
  state_.a = -state_.v / h;
  dynamics_.set_state(flight_->state().modal);
  read_modes();
  read_frame();
  state_.a += state_.v / h;
  state_.root.acceleration = (state_.root.velocity - root.velocity) / h;
  state_.root.angular_acceleration = (state_.root.angular_velocity - root.angular_velocity) / h;
  if (!grip_.handles.empty()) look_at_handles();
  return {report};
}

StepReport WarpedMotion::solve_static(const EquilibriumOptions& options) {
  require(!flight_, "nothing holds the body, so no load on it can be balanced; hold it somewhere");
  require(!in_hand(),
          "natural modes find no equilibrium of springs and handles; take them away, or step until the body "
          "is at rest");
  report(options.progress, "statics of modes", 0.0);
  WarpedMotion next = *this;
  next.dynamics_.set_frame_motion({});
  if (lumps_) next.wind_push_ = push_at_rest();
  next.act({state_.time, state_.time}, pose_.rotation.conjugate());
  const SolveReport solved = next.dynamics_.solve_static(options.tolerance, options.max_iterations);
  if (solved.ok()) {
    next.read_modes();
    next.state_.a.setZero();
    *this = std::move(next);
  }
  return {solved, 1.0, 1};
}

/// Of the coordinates, by all that acts now.
Vector WarpedMotion::balancing_acceleration() const {
  const WarpedEquations& equations = dynamics_.equations();
  if (flight_) return equations.shapes * flight_->modal_acceleration();
  const WarpedState& modal = dynamics_.state();
  Vector load;
  dynamics_.modal_load(load);
  return equations.shapes *
         (load - equations.damping.cwiseProduct(modal.v) - equations.stiffness.cwiseProduct(modal.q));
}

void WarpedMotion::set_state(const TreeState& state, Accelerations accelerations) {
  const bool keep = accelerations == Accelerations::keep;
  const Pose pose = flight_ ? Pose() : pose_at(state.time);
  WarpedMotion next = *this;
  next.dynamics_.set_state({state.time, amplitudes_ * state.q, amplitudes_ * state.v,
                            keep ? std::min(state.slack, 0.0) : 0.0, true});
  next.state_ = state;
  if (dynamics_.equations().modes() < state.q.size())
    next.read_modes();  // what fewer modes do not hold is lost
  if (flight_) {
    next.flight_->set_state(flight_->moving_with(next.dynamics_.state(), state.root));
    next.pose_ = next.flight_->pose();
  } else {
    next.aim(pose);
  }
  next.act({state.time, state.time}, flight_ ? to_frame_ : pose.rotation.conjugate());
  if (!keep) next.state_.a = next.balancing_acceleration();
  require(keep || next.state_.a.allFinite(), "the state is so far from rest that its forces are not finite");
  if (!flight_ && !grip_.handles.empty()) next.hold(next.dynamics_, grip_);
  next.coupled_h_ = 0.0;
  *this = std::move(next);
}

void WarpedMotion::set_velocity(const Vector3& velocity, const Vector3& angular) {
  require(flight_.has_value(), "the body is held, so that it cannot be thrown");
  TreeState state = state_;
  state.v.setZero();
  state.root.angular_velocity = angular;
  state.root.velocity = velocity + angular.cross(state.root.position - flight_->momentum().center);
  set_state(state, Accelerations::balance);
}

void WarpedMotion::reset() {
  TreeState rest;
  rest.q = rest.v = rest.a = Vector::Zero(state_.q.size());
  set_state(rest, Accelerations::keep);
  report_ = {};
}

/// What a flight has beside its modes; and for which steps its handles are held.
void WarpedMotion::save_flight(StateWriter& out) const {
  const FlightState& now = flight_->state();
  const FrameState& root = state_.root;
  Vector values(20);
  values << now.center, now.rotation.coeffs(), now.linear, now.angular, root.acceleration,
      root.angular_acceleration, now.modal.slack;
  out.write(values);
  out.write(now.modal.changed);
  out.write(grip_h_);
}

void WarpedMotion::restore_flight(StateReader& in) {
  Vector values;
  bool changed = false;
  in.read(values);
  in.read(changed);
  in.read(grip_h_);
  require(values.size() == 20, "the state of a flight has {} numbers, expected 20", values.size());
  require(std::isfinite(grip_h_) && grip_h_ >= 0.0, "the state is of handles held for steps of {} s",
          grip_h_);
  FlightState state{.modal = dynamics_.state(), .center = values.head<3>()};
  state.rotation.coeffs() = values.segment<4>(3);
  state.linear = values.segment<3>(7);
  state.angular = values.segment<3>(10);
  state.modal.slack = values(19);
  state.modal.changed = changed;
  use_springs();
  flight_->set_state(state);  // with its slack: the loads are those that it had
  state_.root.acceleration = values.segment<3>(13);
  state_.root.angular_acceleration = values.segment<3>(16);
  read_frame();
}

/// Loads and the motion of the support are written by the time that they were of.
void WarpedMotion::save(StateWriter& out) const {
  const bool held = !flight_ && !grip_.handles.empty();
  out.write(static_cast<std::int64_t>(dynamics_.options().integrator));
  dynamics_.save(out);
  out.write(state_.a);
  out.write(Vector(to_frame_.coeffs()));
  out.write(Vector(wind_push_));
  out.write(acting_.from);
  out.write(acting_.to);
  out.write(report_.met);
  out.write(report_.position_error);
  out.write(report_.orientation_error);
  out.write(held);
  if (setup_.coupled) out.write(coupled_h_);
  if (held) dynamics_.constraints().save(out);
  if (flight_) save_flight(out);
}

void WarpedMotion::restore(StateReader& in) {
  WarpedMotion next = *this;
  std::int64_t integrator = 0;
  in.read(integrator);
  next.take_integrator(checked_integrator(integrator));
  next.dynamics_.restore(in);
  Vector to_frame, wind_push;
  LoadTime acting;
  bool held = false;
  in.read(next.state_.a);
  in.read(to_frame);
  in.read(wind_push);
  in.read(acting.from);
  in.read(acting.to);
  in.read(next.report_.met);
  in.read(next.report_.position_error);
  in.read(next.report_.orientation_error);
  in.read(held);
  if (setup_.coupled) in.read(next.coupled_h_);
  require(std::isfinite(next.coupled_h_) && next.coupled_h_ >= 0.0, "the state is of a step of {} s",
          next.coupled_h_);
  require(next.state_.a.size() == state_.a.size() && to_frame.size() == 4 && wind_push.size() == 3,
          "the state has {} accelerations, a rotation of {} numbers and a push of {}, expected {}, 4 and 3",
          next.state_.a.size(), to_frame.size(), wind_push.size(), state_.a.size());
  require(std::isfinite(acting.from) && std::isfinite(acting.to) && acting.from <= acting.to,
          "the state has loads from {} s to {} s, expected ascending times", acting.from, acting.to);
  require(flight_ || held == !grip_.handles.empty(), "the state is of a body {} handles, this one is {}",
          held ? "with" : "without", held ? "without" : "with");
  require(!flight_ || !held, "the state is of a body that is held by ideal constraints, this one flies");
  const Eigen::Quaterniond turned(to_frame(3), to_frame(0), to_frame(1), to_frame(2));
  require(is_unit(turned) && wind_push.allFinite(),
          "the state has a rotation that is not of unit length, or a push that is not finite");
  next.read_modes();
  next.wind_push_ = wind_push;
  const WarpedState modal = next.dynamics_.state();
  if (!flight_) next.aim(pose_at(modal.time));
  next.act(acting, turned);
  if (!flight_) next.dynamics_.set_frame_motion(next.frame_motion());
  next.dynamics_.set_state(modal);  // with its slack: the loads are those that it had
  if (held) next.dynamics_.constraints().restore(in);
  if (flight_) next.restore_flight(in);
  *this = std::move(next);
}

double WarpedMotion::load_energy() const {
  if (coupled_h_ > 0.0) return in_middle().load_energy();
  if (flight_) return flight_->load_energy() - surface_energy();
  Vector load;
  return dynamics_.modal_load(load) - surface_energy();
}

TreeMomentum WarpedMotion::momentum() const {
  if (flight_) return flight_->momentum();
  return momentum_of(reduced(), setup_.settings.front(), state_.q, state_.v);
}

}  // namespace limber
