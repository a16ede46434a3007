#include "limber/body/online_motion.hpp"

#include "limber/integrators/saved_state.hpp"

#include <cmath>
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

OnlineMotion::OnlineMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials,
                           const OnlineSettings& settings, double duration)
    : MeshMotion(std::move(setup), std::move(materials)), settings_(settings), duration_(duration) {
  start_.state = state_at_rest(0.0, Vector::Zero(model_->dof_count()));
  if (quasistatic()) adopt(make_quasistatics());
}

std::unique_ptr<Motion> OnlineMotion::copy() const {
  auto next = std::make_unique<OnlineMotion>(setup_, model_->materials(), settings_, duration_);
  next->points_ = points_;
  next->damping_ = damping_;
  hand_loads_to(*next);
  StateWriter out;
  save(out);
  StateReader in(out.bytes(), "state");
  next->restore(in);
  next->remembered_ = remembered_;
  if (next->remembered_) next->remembered_->made = 0;  // by none that the copy has
  return next;
}

std::unique_ptr<OnlineQuasistatics> OnlineMotion::make_quasistatics() const {
  return naming(name(), [&] {
    return std::make_unique<OnlineQuasistatics>(*model_, map_function(), load_function(),
                                                quasistatic_options(), settings_);
  });
}

std::unique_ptr<OnlineDynamics> OnlineMotion::make_dynamics(const DynamicsOptions& options) {
  const AtRest at_rest(*this);
  auto next = naming(name(), [&] {
    return std::make_unique<OnlineDynamics>(*model_, load_function(), start_.state.u, start_.state.v, options,
                                            settings_, duration_);
  });
  burden(*next, start_.state, start_.started, start_.memory);
  return next;
}

void OnlineMotion::adopt(std::unique_ptr<OnlineDynamics> next) {
  dynamics_ = std::move(next);
  ++made_;
}

void OnlineMotion::adopt(std::unique_ptr<OnlineQuasistatics> next) {
  quasistatics_ = std::move(next);
  ++made_;
}

void OnlineMotion::use_options(const DynamicsOptions& options) {
  if (dynamics_ && !same_steps(options, options_)) forget_dynamics();
  if (!dynamics_) adopt(make_dynamics(options));
  options_ = options;
}

OnlineMotion::Start OnlineMotion::start_now() const {
  return dynamics_ ? Start{dynamics_->state(), dynamics_->started(), dynamics_->memory()} : start_;
}

/// The state stays.
void OnlineMotion::forget_dynamics() {
  if (!dynamics_) return;
  start_ = start_now();
  note_change(start_.state);
  dynamics_.reset();
}

void OnlineMotion::loads_changed() {
  if (dynamics_) dynamics_->note_change();
  if (!dynamics_ && start_.started) note_change(start_.state);
}

void OnlineMotion::springs_changed() {
  if (!dynamics_) return loads_changed();
  dynamics_->set_springs(full_springs());
}

void OnlineMotion::handles_changed(bool led) {
  if (dynamics_) {
    dynamics_->set_handles(full_handles());
  } else if (!led) {
    loads_changed();
  }
}

void OnlineMotion::air_changed() {
  if (!dynamics_) return loads_changed();
  dynamics_->set_air(air());
}

void OnlineMotion::support_changed(const Eigen::Isometry3d& way) {
  Start next = start_now();
  next.state = carried(way, model_->dofs().restrict(setup_->mesh.vertices), std::move(next.state));
  next.memory = {.wake = {turned(way, next.memory.wake.drag), turned(way, next.memory.wake.velocity)}};
  if (dynamics_) dynamics_->set_support(support_);
  go_on(std::move(next), support_ ? support_->pose() : Eigen::Isometry3d::Identity());
  loads_changed();
}

void OnlineMotion::set_damping(const RayleighDamping& damping) {
  forget_dynamics();
  damping_ = damping;
}

/// The body learns anew: nothing that it knew holds.
void OnlineMotion::set_material(Index region, const Material& material) {
  std::unique_ptr<FullModel> next = model_with(region, material);
  forget_dynamics();
  loads_changed();
  const Vector u = quasistatic() ? quasistatics_->displacement() : Vector();
  quasistatics_.reset();
  adopt_model(std::move(next));
  if (!quasistatic()) return;
  adopt(make_quasistatics());
  quasistatics_->resume(u, clock_.time());
}

StepReport OnlineMotion::step(double h, const ReducedStepOptions& options) {
  check_step(h);
  if (!quasistatic()) {
    use_options(dynamics_options(options));
    const SolveReport solved = dynamics_->step(h);
    if (!solved.ok()) return {solved};
    support_h_ = h;
    if (has_handles()) look_at_handles();
    return {solved};
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

void OnlineMotion::rest_at(Vector u) {
  if (quasistatic()) return quasistatics_->resume(std::move(u), clock_.time());
  go_on({state_at_rest(time(), std::move(u))});
}

double OnlineMotion::time() const {
  if (quasistatic()) return clock_.time();
  return dynamics_ ? dynamics_->time() : start_.state.time;
}

DynamicState OnlineMotion::dynamic_state() const {
  if (quasistatic()) return state_at_rest(clock_.time(), quasistatics_->displacement());
  return dynamics_ ? dynamics_->state() : start_.state;
}

const Vector& OnlineMotion::q() const {
  if (quasistatic()) return quasistatics_->displacement();
  if (!dynamics_) return start_.state.u;
  q_now_ = dynamics_->displacement();
  return q_now_;
}

const Vector& OnlineMotion::v() const {
  if (!dynamics_) return start_.state.v;  // none where it is quasistatic
  v_now_ = dynamics_->state().v;
  return v_now_;
}

void OnlineMotion::go_on(Start next) {
  const Eigen::Isometry3d pose = support_pose_at(next.state.time);  // may throw: before all else
  go_on(std::move(next), pose);
}

void OnlineMotion::go_on(Start next, const Eigen::Isometry3d& pose) {
  if (dynamics_) {
    dynamics_->set_memory(std::move(next.memory));
    dynamics_->resume(std::move(next.state), next.started);
  } else {
    start_ = std::move(next);
  }
  if (support_) support_->place(pose);
}

void OnlineMotion::set_state(const TreeState& state, Accelerations accelerations) {
  if (!quasistatic()) return go_on({taken_state(state, accelerations), accelerations == Accelerations::keep});
  quasistatics_->resume(state.q, state.time);
  clock_.set(state.time);
}

void OnlineMotion::take_velocities(Vector v) {
  Start next = start_now();
  next.state = {next.state.time, next.state.u, std::move(v), Vector::Zero(model_->dof_count())};
  next.started = false;
  next.memory.wake = {};
  go_on(std::move(next));
}

/// What was learned is forgotten with all else: the body is as it was made.
void OnlineMotion::reset() {
  const Eigen::Isometry3d pose = support_pose_at(0.0);
  const DynamicState rest = state_at_rest(0.0, Vector::Zero(model_->dof_count()));
  dynamics_.reset();
  start_ = {carried(pose, model_->dofs().restrict(setup_->mesh.vertices), rest)};
  if (support_) support_->place(pose);
  clock_ = {};
  report_ = {};
  support_h_ = usual_support_h;
  if (quasistatic()) {
    model_->set_supports(Matrix3X::Zero(3, mesh_vertex_count()));
    adopt(make_quasistatics());
  }
}

void OnlineMotion::save(StateWriter& out) const {
  if (quasistatic()) {
    clock_.save(out);
    return quasistatics_->save(out);
  }
  out.write(report_.met);
  out.write(report_.position_error);
  out.write(support_h_);
  out.write(dynamics_ != nullptr);
  if (dynamics_) {
    save_steps(options_, out);
    return dynamics_->save(out);
  }
  out.write(start_.started);
  save_state(start_.state, out);
  start_.memory.save(out);
}

void OnlineMotion::restore(StateReader& in) {
  if (quasistatic()) return restore_quasistatic(in);
  ConstraintReport report;
  double support_h = 0.0;
  bool made = false;
  in.read(report.met);
  in.read(report.position_error);
  in.read(support_h);
  in.read(made);
  require(std::isfinite(report.position_error) && std::isfinite(support_h) && support_h > 0.0,
          "the state has numbers that are not finite, or a step that is none");
  if (made) {
    restore_dynamics(in);
  } else {
    restore_start(in);
  }
  report_ = report;
  support_h_ = support_h;
}

void OnlineMotion::restore_dynamics(StateReader& in) {
  DynamicsOptions options = dynamics_options({});
  restore_steps(in, options);
  std::unique_ptr<OnlineDynamics> next;
  Eigen::Isometry3d pose;
  {
    const AtRest at_rest(*this);  // it looks at the model
    next = make_dynamics(options);
    next->restore(in);
    pose = support_pose_at(next->time());
  }
  adopt(std::move(next));
  options_ = options;
  if (support_) support_->place(pose);
}

void OnlineMotion::restore_start(StateReader& in) {
  Start next;
  in.read(next.started);
  next.state = restore_state(in, model_->dof_count());
  next.memory = FullDynamics::Memory::restored(in, model_->dof_count());
  const Eigen::Isometry3d pose = support_pose_at(next.state.time);
  dynamics_.reset();
  start_ = std::move(next);
  if (support_) support_->place(pose);
}

void OnlineMotion::restore_quasistatic(StateReader& in) {
  StepClock clock;
  clock.restore(in);
  quasistatics_->restore(in, clock.time());
  clock_ = clock;
}

void OnlineMotion::remember() {
  const bool moving = quasistatic() || dynamics_ != nullptr;
  remembered_ = Remembered{
      quasistatic() ? Start{dynamic_state()} : start_now(), made_, moving, clock_, report_, support_h_};
  if (dynamics_) dynamics_->remember();
  if (quasistatics_) quasistatics_->remember();
}

/// Those that were made since know what they have learned, and go on from the same state.
void OnlineMotion::go_back() {
  require(remembered_.has_value(), "there is nothing remembered to go back to");
  const Remembered& to = *remembered_;
  const double time = quasistatic() ? to.clock.time() : to.start.state.time;
  const Eigen::Isometry3d pose = support_pose_at(time);  // may throw: before all else
  const bool same = to.made == made_;
  if (quasistatics_) {
    if (same) {
      quasistatics_->go_back(time);
    } else {
      quasistatics_->resume(to.start.state.u, time);
    }
  } else if (to.moving && dynamics_ && same) {
    dynamics_->go_back();
  } else {
    if (!to.moving) dynamics_.reset();
    go_on(to.start, pose);
  }
  clock_ = to.clock;
  report_ = to.report;
  support_h_ = to.support_h;
  if (support_) support_->place(pose);
}

const OnlineReport* OnlineMotion::online_report() const {
  if (quasistatics_) return &quasistatics_->report();
  return dynamics_ ? &dynamics_->report() : &nothing_;
}

const Matrix3* OnlineMotion::vertex_map(int vertex) const {
  if (!quasistatic() || !quasistatics_->maps().carries()) return nullptr;
  return &quasistatics_->maps().linear[static_cast<std::size_t>(vertex)];
}

double OnlineMotion::moving_energy() const {
  return dynamics_ ? dynamics_->kinetic_energy() : 0.5 * start_.state.v.dot(model_->mass() * start_.state.v);
}

}  // namespace limber
