#include "limber/body/warped_motion.hpp"

#include "limber/base/error.hpp"
#include "limber/body/handles.hpp"
#include "limber/body/reduced_motion.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

bool is_finite(const ConstraintReport& report) {
  return std::isfinite(report.position_error) && std::isfinite(report.orientation_error);
}

WarpedEquations equations_of(const MotionSetup& setup, const RayleighDamping& damping) {
  const PartSettings& settings = setup.settings.front();
  WarpedEquations equations =
      make_warped_equations(setup.model->parts.front().model, settings.materials, {.rank = settings.rank});
  equations.stiffness *= setup.stiffness.front();
  equations.damping = (damping.mass + damping.stiffness * equations.stiffness.array()).matrix();
  return equations;
}

Matrix mass_of(const MotionSetup& setup) {
  const PartSettings& settings = setup.settings.front();
  return make_equations(setup.model->parts.front().model, settings.materials, settings.rank).mass;
}

}  // namespace

WarpedMotion::WarpedMotion(MotionSetup setup)
    : setup_(std::move(setup)), dynamics_(equations_of(setup_, setup_.damping)) {
  const ReducedModel& model = reduced();
  amplitudes_ = dynamics_.equations().shapes.transpose() * mass_of(setup_);
  warped_surface_ =
      WarpedSurface(setup_.surface->part(0).rest, model.surface.basis, model.warp->surface_rotations);
  const Index rank = setup_.settings.front().rank;
  state_.q = state_.v = state_.a = Vector::Zero(rank);
}

std::unique_ptr<Motion> WarpedMotion::copy() const { return std::make_unique<WarpedMotion>(*this); }

/// In the axes of the frame.
std::vector<SiteForce> WarpedMotion::site_forces() const {
  std::vector<SiteForce> result;
  result.reserve(forces_.size());
  for (const auto& [vertex, force] : forces_)
    result.push_back({surface_site(reduced(), dynamics_.equations(), vertex), to_frame_ * force});
  return result;
}

/// In the frame where it is at the end of the step.
std::vector<SiteSpring> WarpedMotion::site_springs() const {
  const Pose to_frame = pose_.inverse();
  std::vector<SiteSpring> result;
  result.reserve(springs_.size());
  for (const auto& [vertex, target, stiffness] : springs_) {
    if (stiffness > 0.0)
      result.push_back(
          {surface_site(reduced(), dynamics_.equations(), vertex), to_frame.apply(target), stiffness});
  }
  return result;
}

void WarpedMotion::hold(WarpedDynamics& dynamics, std::span<const Handle> handles,
                        ConstraintPriority priority) const {
  dynamics.set_constraints(handle_sites(reduced(), dynamics.equations(), handles, priority));
  set_targets(dynamics.constraints(), handles, pose_.inverse());
}

/// Dynamics do not change theirs: new ones go on from where these are.
void WarpedMotion::take_options(WarpedEquations equations, const WarpedOptions& options) {
  WarpedDynamics next(std::move(equations), options);
  next.set_state(dynamics_.state());
  next.set_gravity(to_frame_ * gravity_);
  next.set_forces(site_forces());
  next.set_springs(site_springs());
  if (!handles_.empty()) hold(next, handles_, priority_);
  dynamics_ = std::move(next);
}

void WarpedMotion::set_damping(const RayleighDamping& damping) {
  take_options(equations_of(setup_, damping), dynamics_.options());
  setup_.damping = damping;
}

void WarpedMotion::take_integrator(ModalIntegrator integrator) {
  WarpedOptions options = dynamics_.options();
  if (options.integrator == integrator) return;
  options.integrator = integrator;
  take_options(dynamics_.equations(), options);
}

void WarpedMotion::set_gravity(const Vector3& acceleration) {
  if (acceleration == gravity_) return;
  dynamics_.set_gravity(to_frame_ * acceleration);
  gravity_ = acceleration;
}

void WarpedMotion::set_forces(std::span<const VertexForce> forces) {
  if (std::equal(forces.begin(), forces.end(), forces_.begin(), forces_.end())) return;
  forces_.assign(forces.begin(), forces.end());
  dynamics_.set_forces(site_forces());
}

void WarpedMotion::set_springs(std::span<const Spring> springs) {
  if (std::equal(springs.begin(), springs.end(), springs_.begin(), springs_.end())) return;
  springs_.assign(springs.begin(), springs.end());
  dynamics_.set_springs(site_springs());
}

void WarpedMotion::set_handles(std::span<const Handle> handles, ConstraintPriority priority) {
  check_handles(handles, reduced().surface.mesh.vertex_count());
  if (priority == priority_ && same_grip(handles_, handles)) {
    set_targets(dynamics_.constraints(), handles, pose_.inverse());
    std::copy(handles.begin(), handles.end(), handles_.begin());
    return;
  }
  std::vector<Handle> copy(handles.begin(), handles.end());
  WarpedDynamics next = dynamics_;
  hold(next, copy, priority);
  dynamics_ = std::move(next);
  handles_ = std::move(copy);
  priority_ = priority;
  if (handles_.empty()) report_ = {};
}

void WarpedMotion::set_support(const PoseFunction& motion) {
  if (!motion && !support_) return;
  PoseFunction next = motion ? checked_poses(from_time_zero(motion)) : PoseFunction();
  const Pose pose = next ? next(state_.time) : Pose();
  support_ = std::move(next);
  dynamics_.set_frame_motion({});
  aim(pose, pose.rotation.conjugate());
}

/// Where the frame will be, and the axes that loads of the world are turned to.
void WarpedMotion::aim(const Pose& pose, const Eigen::Quaterniond& to_frame) {
  pose_ = pose;
  const Pose into = pose_.inverse();
  if (!handles_.empty()) set_targets(dynamics_.constraints(), handles_, into);
  Index pulling = 0;
  for (const auto& [vertex, target, stiffness] : springs_) {
    if (stiffness > 0.0) dynamics_.set_spring_target(pulling++, into.apply(target));
  }
  if (to_frame.coeffs() == to_frame_.coeffs()) return;
  to_frame_ = to_frame;
  dynamics_.set_gravity(to_frame_ * gravity_);
  for (std::size_t i = 0; i < forces_.size(); ++i)
    dynamics_.set_force(static_cast<Index>(i), to_frame_ * forces_[i].force);
}

/// Inertia of the support's motion in the next step. All that may throw comes first.
void WarpedMotion::follow_support(double h) {
  const double start = state_.time;
  const FrameMotion motion = support_motion(support_, start, start + h);
  const Pose middle = support_(start + 0.5 * h), end = support_(start + h);
  dynamics_.set_frame_motion(motion);
  aim(end, middle.rotation.conjugate());
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

SolveReport WarpedMotion::step(double h, const ReducedStepOptions& options) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
  take_integrator(options.newmark.max_iterations > 1 ? ModalIntegrator::exact : ModalIntegrator::newmark);
  const Pose before = pose_;
  if (support_) follow_support(h);
  const ConstraintReport report = dynamics_.step(h);
  report_ = report;
  if (!is_finite(report)) {
    if (support_) aim(before, before.rotation.conjugate());
    return {SolveStatus::not_finite, report.iterations, 0.0, report.rescued};
  }
  state_.a = -state_.v / h;
  read_modes();
  state_.a += state_.v / h;
  return {SolveStatus::converged, report.iterations, 0.0, report.rescued};
}

void WarpedMotion::set_state(const TreeState& state, Accelerations accelerations) {
  const bool keep = accelerations == Accelerations::keep;
  const Pose pose = support_ ? support_(state.time) : Pose();
  WarpedDynamics next = dynamics_;
  next.set_state({state.time, amplitudes_ * state.q, amplitudes_ * state.v,
                  keep ? std::min(state.slack, 0.0) : 0.0, true});
  TreeState moved = state;
  if (!keep) {
    const WarpedEquations& equations = next.equations();
    Vector load;
    next.modal_load(load);
    const WarpedState& modal = next.state();
    moved.a = equations.shapes *
              (load - equations.damping.cwiseProduct(modal.v) - equations.stiffness.cwiseProduct(modal.q));
    require(moved.a.allFinite(), "the state is so far from rest that its forces are not finite");
  }
  dynamics_ = std::move(next);
  state_ = std::move(moved);
  aim(pose, pose.rotation.conjugate());
  if (!handles_.empty()) hold(dynamics_, handles_, priority_);
}

void WarpedMotion::reset() {
  TreeState rest;
  rest.q = rest.v = rest.a = Vector::Zero(state_.q.size());
  set_state(rest, Accelerations::keep);
  report_ = {};
}

void WarpedMotion::save(StateWriter& out) const {
  dynamics_.save(out);
  out.write(state_.a);
  out.write(Vector(to_frame_.coeffs()));
  out.write(report_.met);
  out.write(report_.position_error);
  out.write(report_.orientation_error);
  out.write(!handles_.empty());
  if (!handles_.empty()) dynamics_.constraints().save(out);
}

void WarpedMotion::restore(StateReader& in) {
  WarpedMotion next = *this;
  next.dynamics_.restore(in);
  Vector to_frame;
  bool held = false;
  in.read(next.state_.a);
  in.read(to_frame);
  in.read(next.report_.met);
  in.read(next.report_.position_error);
  in.read(next.report_.orientation_error);
  in.read(held);
  require(next.state_.a.size() == state_.a.size() && to_frame.size() == 4,
          "the state has {} accelerations and a rotation of {} numbers, expected {} and 4",
          next.state_.a.size(), to_frame.size(), state_.a.size());
  require(held == !handles_.empty(), "the state is of a body {} handles, this one is {}",
          held ? "with" : "without", held ? "without" : "with");
  next.read_modes();
  const Eigen::Quaterniond turned(to_frame(3), to_frame(0), to_frame(1), to_frame(2));
  require(is_unit(turned), "the state has a rotation that is not of unit length");
  const WarpedState modal = next.dynamics_.state();
  next.aim(support_ ? support_(next.state_.time) : Pose(), turned);
  next.dynamics_.set_state(modal);  // with its slack: the loads are those that it had
  if (held) next.dynamics_.constraints().restore(in);
  *this = std::move(next);
}

double WarpedMotion::load_energy() const {
  Vector load;
  return dynamics_.modal_load(load);
}

TreeMomentum WarpedMotion::momentum() const {
  return momentum_of(reduced(), setup_.settings.front(), state_.q, state_.v);
}

Vector3 WarpedMotion::rotation(int vertex) const {
  return product_at(reduced().warp->surface_rotations, vertex, state_.q);
}

Vector3 WarpedMotion::position(int vertex) const {
  const Vector3 u = product_at(reduced().surface.basis, vertex, state_.q);
  const Vector3 rest = reduced().surface.mesh.vertices.col(vertex);
  return pose_.apply(rest + mean_rotation(rotation(vertex)) * u);
}

Vector3 WarpedMotion::velocity(int vertex) const {
  const WarpSite site = surface_site(reduced(), dynamics_.equations(), vertex);
  const WarpedState& modal = dynamics_.state();
  const Vector3 in_frame = pose_.rotation * (site.derivative(modal.q) * modal.v);
  if (!support_) return in_frame;
  constexpr double h = 1e-4;  // s: of the support's own motion
  const Vector3 place = pose_.inverse().apply(position(vertex));
  const Vector3 carried =
      (support_(state_.time + h).apply(place) - support_(state_.time - h).apply(place)) / (2.0 * h);
  return carried + in_frame;
}

Eigen::Quaterniond WarpedMotion::orientation(int vertex) const {
  const Vector3 half = 0.5 * rotation(vertex);
  const Vector3 axis = rotation_factors(half.squaredNorm()).sine * half;
  return pose_.rotation * Eigen::Quaterniond(std::cos(half.norm()), axis.x(), axis.y(), axis.z());
}

void WarpedMotion::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const {
  coordinates_ = state_.q.cast<float>();
  warped_surface_.positions(coordinates_, x);
  if (!support_) return;
  const Eigen::Matrix3f turn = pose_.rotation.toRotationMatrix().cast<float>();
  const Eigen::Vector3f shift = pose_.position.cast<float>();
  for (Index v = 0; v < x.cols(); ++v) x.col(v) = turn * Eigen::Vector3f(x.col(v)) + shift;
}

}  // namespace limber
