#include "limber/live/warped_body.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {

bool is_finite(const ConstraintReport& report) {
  return std::isfinite(report.position_error) && std::isfinite(report.orientation_error);
}

WarpedBody::WarpedBody(const ReducedModel& model, WarpedEquations equations, const Matrix& mass)
    : model_(&model), amplitudes_(equations.shapes.transpose() * mass), dynamics_(std::move(equations)) {}

std::vector<SiteForce> WarpedBody::site_forces(const std::vector<VertexForce>& forces) const {
  std::vector<SiteForce> result;
  result.reserve(forces.size());
  for (const auto& [vertex, force] : forces) {
    result.push_back({surface_site(*model_, dynamics_.equations(), vertex), force});
  }
  return result;
}

void WarpedBody::hold(WarpedDynamics& dynamics, std::span<const Handle> handles,
                      ConstraintPriority priority) const {
  dynamics.set_constraints(handle_sites(*model_, dynamics.equations(), handles, priority));
  set_targets(dynamics.constraints(), handles);
}

void WarpedBody::set_gravity(const Vector3& acceleration) {
  dynamics_.set_gravity(acceleration);
  gravity_ = acceleration;
}

void WarpedBody::set_forces(const std::vector<VertexForce>& forces) {
  std::vector<VertexForce> copy = forces;
  dynamics_.set_forces(site_forces(copy));
  forces_ = std::move(copy);
}

void WarpedBody::set_frame_motion(const FrameMotion& motion) {
  dynamics_.set_frame_motion(motion);
  frame_ = motion;
}

void WarpedBody::set_handles(std::span<const Handle> handles, ConstraintPriority priority) {
  check_handles(handles, model_->surface.mesh.vertex_count());
  if (priority == priority_ && same_grip(handles_, handles)) {
    set_targets(dynamics_.constraints(), handles);
    std::copy(handles.begin(), handles.end(), handles_.begin());
    return;
  }
  std::vector<Handle> copy(handles.begin(), handles.end());
  WarpedDynamics next = dynamics_;
  hold(next, copy, priority);
  dynamics_ = std::move(next);
  handles_ = std::move(copy);
  priority_ = priority;
}

void WarpedBody::set_state(const DynamicState& state) {
  WarpedDynamics next = dynamics_;
  next.set_state({state.time, amplitudes_ * state.u, amplitudes_ * state.v, state.slack, state.changed});
  if (!handles_.empty()) hold(next, handles_, priority_);
  dynamics_ = std::move(next);
}

double WarpedBody::load_energy() const {
  Vector load;
  return dynamics_.modal_load(load);
}

void WarpedBody::balance(DynamicState& state) const {
  const WarpedEquations& equations = dynamics_.equations();
  Vector load;
  dynamics_.modal_load(load);
  const WarpedState& modal = dynamics_.state();
  state.a = equations.shapes *
            (load - equations.damping.cwiseProduct(modal.v) - equations.stiffness.cwiseProduct(modal.q));
}

/// Dynamics do not change theirs: new ones go on from where these are.
void WarpedBody::take_integrator(ModalIntegrator integrator) {
  WarpedOptions options = dynamics_.options();
  if (options.integrator == integrator) return;
  options.integrator = integrator;
  WarpedDynamics next(dynamics_.equations(), options);
  next.set_state(dynamics_.state());
  next.set_gravity(gravity_);
  next.set_frame_motion(frame_);
  next.set_forces(site_forces(forces_));
  if (!handles_.empty()) hold(next, handles_, priority_);
  dynamics_ = std::move(next);
}

ConstraintReport WarpedBody::step(double h, ModalIntegrator integrator, DynamicState& state) {
  take_integrator(integrator);
  const ConstraintReport report = dynamics_.step(h);
  if (!is_finite(report)) return report;
  const Matrix& shapes = dynamics_.equations().shapes;
  const WarpedState& modal = dynamics_.state();
  state.a = -state.v / h;
  state.time = modal.time;
  state.u.noalias() = shapes * modal.q;
  state.v.noalias() = shapes * modal.v;
  state.slack = modal.slack;
  state.changed = modal.changed;
  state.a += state.v / h;
  return report;
}

}  // namespace limber
