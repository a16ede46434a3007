#include "limber/body/online_motion.hpp"

#include "limber/integrators/saved_state.hpp"

#include <cstdint>
#include <utility>

namespace limber {
namespace {

bool same_newmark(const NewmarkOptions& a, const NewmarkOptions& b) {
  return a.beta == b.beta && a.gamma == b.gamma && a.alpha_m == b.alpha_m && a.alpha_f == b.alpha_f &&
         a.tolerance == b.tolerance && a.max_iterations == b.max_iterations && a.guarded == b.guarded;
}

/// But for damping and solver, whose change is seen to elsewhere.
bool same_steps(const DynamicsOptions& a, const DynamicsOptions& b) {
  return a.integrator == b.integrator && same_newmark(a.newmark, b.newmark) &&
         a.max_halvings == b.max_halvings && a.last_resort == b.last_resort;
}

void save_steps(const DynamicsOptions& options, StateWriter& out) {
  const NewmarkOptions& newmark = options.newmark;
  for (const double value :
       {newmark.beta, newmark.gamma, newmark.alpha_m, newmark.alpha_f, newmark.tolerance})
    out.write(value);
  for (const int value : {newmark.max_iterations, options.max_halvings}) out.write(std::int64_t{value});
  for (const bool value : {newmark.guarded, options.last_resort}) out.write(value);
}

void restore_steps(StateReader& in, DynamicsOptions& options) {
  NewmarkOptions& newmark = options.newmark;
  options.integrator = Integrator::newmark;
  for (double* value :
       {&newmark.beta, &newmark.gamma, &newmark.alpha_m, &newmark.alpha_f, &newmark.tolerance})
    in.read(*value);
  for (int* value : {&newmark.max_iterations, &options.max_halvings}) {
    std::int64_t read = 0;
    in.read(read);
    *value = static_cast<int>(read);
  }
  for (bool* value : {&newmark.guarded, &options.last_resort}) in.read(*value);
}

}  // namespace

OnlineMotion::OnlineMotion(std::shared_ptr<const MeshBodySetup> setup, const OnlineSettings& settings,
                           double duration)
    : MeshMotion(setup, setup->materials), settings_(settings), duration_(duration) {
  state_ = state_at_rest(0.0, Vector::Zero(model_->dof_count()));
  if (quasistatic()) quasistatics_ = make_quasistatics();
}

std::unique_ptr<Motion> OnlineMotion::copy() const {
  auto next = std::make_unique<OnlineMotion>(setup_, settings_, duration_);
  next->points_ = points_;
  next->damping_ = damping_;
  hand_loads_to(*next);
  StateWriter out;
  save(out);
  StateReader in(out.bytes(), "state");
  next->restore(in);
  return next;
}

std::unique_ptr<OnlineQuasistatics> OnlineMotion::make_quasistatics() const {
  return naming(name(), [&] {
    return std::make_unique<OnlineQuasistatics>(*model_, map_function(), load_function(),
                                                quasistatic_options(), settings_);
  });
}

std::unique_ptr<OnlineDynamics> OnlineMotion::make_dynamics(const DynamicsOptions& options) const {
  auto next = naming(name(), [&] {
    return std::make_unique<OnlineDynamics>(*model_, load_function(), state_.u, state_.v, options, settings_,
                                            duration_);
  });
  next->resume(state_, started_);
  return next;
}

void OnlineMotion::use_options(const DynamicsOptions& options) {
  if (dynamics_ && !same_steps(options, options_)) forget_dynamics();
  if (!dynamics_) dynamics_ = make_dynamics(options);
  options_ = options;
}

/// The state stays.
void OnlineMotion::forget_dynamics() {
  if (!dynamics_) return;
  state_ = dynamics_->state();
  started_ = dynamics_->started();
  note_change(state_);
  dynamics_.reset();
}

void OnlineMotion::loads_changed() {
  if (dynamics_) dynamics_->note_change();
  if (!dynamics_ && started_) note_change(state_);
}

void OnlineMotion::set_damping(const RayleighDamping& damping) {
  forget_dynamics();
  damping_ = damping;
}

StepReport OnlineMotion::step(double h, const ReducedStepOptions& options) {
  check_step(h);
  if (!quasistatic()) {
    use_options(dynamics_options(options));
    return {dynamics_->step(h)};
  }
  StepClock clock = clock_;
  clock.aim(h);
  const StaticReport solved = quasistatics_->step(clock.begin(), clock.end());
  if (solved.ok()) {
    clock.advance();
    clock_ = clock;
  }
  return step_report_of(solved);
}

StepReport OnlineMotion::solve_static(const EquilibriumOptions& /*options*/) {
  throw Error(
      "{}: the method 'online' learns from steps and statics has one; use the method 'full', or the type "
      "'quasistatic' or 'dynamic'",
      name());
}

double OnlineMotion::time() const {
  if (quasistatic()) return clock_.time();
  return dynamics_ ? dynamics_->time() : state_.time;
}

DynamicState OnlineMotion::dynamic_state() const {
  if (quasistatic()) return state_at_rest(clock_.time(), quasistatics_->displacement());
  return dynamics_ ? dynamics_->state() : state_;
}

const Vector& OnlineMotion::q() const {
  if (quasistatic()) return quasistatics_->displacement();
  if (!dynamics_) return state_.u;
  q_now_ = dynamics_->displacement();
  return q_now_;
}

const Vector& OnlineMotion::v() const {
  if (!dynamics_) return state_.v;  // none where it is quasistatic
  v_now_ = dynamics_->state().v;
  return v_now_;
}

void OnlineMotion::go_on(DynamicState state, bool started) {
  if (dynamics_) {
    dynamics_->resume(std::move(state), started);
  } else {
    state_ = std::move(state);
    started_ = started;
  }
}

void OnlineMotion::set_state(const TreeState& state, Accelerations accelerations) {
  if (!quasistatic()) return go_on(taken_state(state, accelerations), accelerations == Accelerations::keep);
  quasistatics_->resume(state.q, state.time);
  clock_.set(state.time);
}

void OnlineMotion::take_velocities(Vector v) {
  const DynamicState now = dynamic_state();
  go_on({now.time, now.u, std::move(v), Vector::Zero(now.u.size())}, false);
}

/// What was learned is forgotten with all else: the body is as it was made.
void OnlineMotion::reset() {
  dynamics_.reset();
  state_ = state_at_rest(0.0, Vector::Zero(model_->dof_count()));
  started_ = false;
  clock_ = {};
  if (quasistatic()) {
    model_->set_supports(Matrix3X::Zero(3, mesh_vertex_count()));
    quasistatics_ = make_quasistatics();
  }
}

void OnlineMotion::save(StateWriter& out) const {
  if (quasistatic()) {
    clock_.save(out);
    return quasistatics_->save(out);
  }
  out.write(dynamics_ != nullptr);
  if (dynamics_) {
    save_steps(options_, out);
    return dynamics_->save(out);
  }
  out.write(started_);
  save_state(state_, out);
}

void OnlineMotion::restore(StateReader& in) {
  if (quasistatic()) return restore_quasistatic(in);
  bool made = false;
  in.read(made);
  if (!made) {
    bool started = false;
    in.read(started);
    DynamicState state = restore_state(in, model_->dof_count());
    dynamics_.reset();
    state_ = std::move(state);
    started_ = started;
    return;
  }
  DynamicsOptions options = dynamics_options({});
  restore_steps(in, options);
  std::unique_ptr<OnlineDynamics> next = make_dynamics(options);
  next->restore(in);
  dynamics_ = std::move(next);
  options_ = options;
}

void OnlineMotion::restore_quasistatic(StateReader& in) {
  StepClock clock;
  clock.restore(in);
  quasistatics_->restore(in, clock.time());
  clock_ = clock;
}

void OnlineMotion::remember() {
  remembered_clock_ = clock_;
  remembered_dynamics_ = dynamics_ != nullptr;
  remembered_state_ = state_;
  if (dynamics_) dynamics_->remember();
  if (quasistatics_) quasistatics_->remember();
}

void OnlineMotion::go_back() {
  require(quasistatics_ || !remembered_dynamics_ || dynamics_,
          "what was remembered is of a motion that is not learned from any more");
  clock_ = remembered_clock_;
  if (remembered_dynamics_ && dynamics_) dynamics_->go_back();
  if (!remembered_dynamics_) {
    dynamics_.reset();
    state_ = remembered_state_;
  }
  if (quasistatics_) quasistatics_->go_back(clock_.time());
}

const OnlineReport* OnlineMotion::online_report() const {
  if (quasistatics_) return &quasistatics_->report();
  return dynamics_ ? &dynamics_->report() : &nothing_;
}

Vector OnlineMotion::world_displacement() const {
  return quasistatic() ? quasistatics_->maps().to_world(model_->dofs(), q()) : q();
}

Matrix3X OnlineMotion::mesh_displacement() const {
  if (quasistatic()) return quasistatics_->maps().displacement(model_->dofs(), q());
  return model_->dofs().expand(q());
}

Vector3 OnlineMotion::vertex_displacement(int vertex) const {
  if (quasistatic()) return mesh_displacement().col(vertex);
  const int f = model_->dofs().free_index(vertex);
  return f >= 0 ? Vector3(q().segment<3>(3 * Index{f})) : Vector3::Zero();
}

double OnlineMotion::kinetic_energy() const {
  return dynamics_ ? dynamics_->kinetic_energy() : 0.5 * state_.v.dot(model_->mass() * state_.v);
}

}  // namespace limber
