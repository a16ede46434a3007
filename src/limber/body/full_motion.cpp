#include "limber/body/full_motion.hpp"

#include "limber/integrators/saved_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
FullMotion::FullMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials)
    : MeshMotion(std::move(setup), std::move(materials)) {
  moment_.state = state_at_rest(0.0, Vector::Zero(model_->dof_count()));
  if (quasistatic()) make_quasistatics();
}

std::unique_ptr<Motion> FullMotion::copy() const {
  auto next = std::make_unique<FullMotion>(setup_, model_->materials());
  next->points_ = points_;
  next->damping_ = damping_;
  hand_loads_to(*next);
  if (coupled_) next->make_coupled();
  next->adopt(moment());
  next->remembered_ = remembered_;
  return next;
}

FullMotion::Moment FullMotion::moment() const {
  Moment result = moment_;
  if (dynamics_) {
    result.state = dynamics_->state();
    result.started = dynamics_->started();
    result.memory = dynamics_->memory();
  }
  result.report = report_;
  result.support_h = support_h_;
  return result;
}

void FullMotion::adopt(Moment moment) {
  const Eigen::Isometry3d pose = support_pose_at(moment.state.time);  // may throw: before all else
  adopt(std::move(moment), pose);
}

void FullMotion::adopt(Moment moment, const Eigen::Isometry3d& pose) {
  report_ = moment.report;
  support_h_ = moment.support_h;
  if (dynamics_) {
    dynamics_->resume(moment.state, moment.started);
    dynamics_->set_memory(moment.memory);
  }
  moment_ = std::move(moment);
  if (quasistatics_) quasistatics_->place(time());
  if (support_) support_->place(pose);
}

void FullMotion::make_quasistatics() {
  quasistatics_ = naming(name(), [&] {
    return std::make_unique<QuasistaticSolver>(*model_, map_function(), load_function(),
                                               quasistatic_options());
  });
}

/// The state goes over to them as it is.
void FullMotion::make_dynamics(const DynamicsOptions& options) {
  const AtRest at_rest(*this);
  auto next =
      std::make_unique<FullDynamics>(*model_, load_function(), moment_.state.u, moment_.state.v, options);
  burden(*next, moment_.state, moment_.started, moment_.memory);
  dynamics_ = std::move(next);
}

void FullMotion::make_coupled() {
  coupled_ = std::make_unique<CoupledFull>(*model_, damping_, setup_->solver);
  coupled_->set_springs(full_springs());
}

void FullMotion::set_coupled(bool on) {
  if (on == (coupled_ != nullptr)) return;
  require_dynamic(!on, Ability::contact);
  Moment next = moment();
  next.started = false;
  next.state = {next.state.time, next.state.u, next.state.v, Vector::Zero(model_->dof_count())};
  next.memory = {};
  next.coupled = {};
  dynamics_.reset();
  coupled_.reset();
  if (on) make_coupled();
  adopt(std::move(next));
}

/// Before the first step nothing was lost that could come back.
void FullMotion::loads_changed() {
  if (coupled_) return;  // each step asks for them
  if (dynamics_ && dynamics_->started()) dynamics_->note_change();
  if (!dynamics_ && moment_.started) note_change(moment_.state);
}

void FullMotion::set_damping(const RayleighDamping& damping) {
  damping_ = damping;  // the next step takes it
  critical_ = 0.0;
  if (coupled_) coupled_->set_damping(damping);
  loads_changed();
}

void FullMotion::set_material(Index region, const Material& material) {
  std::unique_ptr<FullModel> next = model_with(region, material);
  Moment kept = moment();
  if (kept.started) note_change(kept.state);
  kept.coupled.judged = false;
  const bool coupled = coupled_ != nullptr;
  dynamics_.reset();
  quasistatics_.reset();
  coupled_.reset();
  adopt_model(std::move(next));
  critical_ = 0.0;
  if (coupled) make_coupled();
  if (quasistatic()) make_quasistatics();
  adopt(std::move(kept));
}

void FullMotion::springs_changed() {
  if (coupled_) {
    coupled_->set_springs(full_springs());
    moment_.coupled.judged = false;
  }
  if (!dynamics_) return loads_changed();
  dynamics_->set_springs(full_springs());
}

void FullMotion::handles_changed(bool led) {
  if (dynamics_) {
    dynamics_->set_handles(full_handles());
  } else if (!led) {
    loads_changed();
  }
}

void FullMotion::air_changed() {
  if (!dynamics_) return loads_changed();
  dynamics_->set_air(air());
}

void FullMotion::support_changed(const Eigen::Isometry3d& way) {
  Moment next = moment();
  next.state = carried(way, model_->dofs().restrict(setup_->mesh.vertices), std::move(next.state));
  if (next.started) note_change(next.state);
  next.memory = {.wake = {turned(way, next.memory.wake.drag), turned(way, next.memory.wake.velocity)}};
  if (dynamics_) dynamics_->set_support(support_);
  adopt(std::move(next), support_ ? support_->pose() : Eigen::Isometry3d::Identity());
}

void FullMotion::go_back() {
  require(remembered_.has_value(), "there is nothing remembered to go back to");
  adopt(*remembered_);
}

StepReport FullMotion::step(double h, const ReducedStepOptions& options) {
  check_step(h);
  if (quasistatic()) return step_quasistatic(h);
  if (coupled_) return step_coupled(h, options.max_halvings);
  check_explicit_step(h, options);
  if (dynamics_) {
    dynamics_->set_options(dynamics_options(options));
  } else {
    make_dynamics(dynamics_options(options));
  }
  const SolveReport solved = dynamics_->step(h);
  if (!solved.ok()) return {solved};
  support_h_ = h;
  if (has_handles()) look_at_handles();
  return {solved};
}

SolveReport FullMotion::begin_coupled(double h, CoupledStep& step, ElasticEnd elastic,
                                      const StepPart& /*part*/) {
  check_step(h);
  require(coupled_ != nullptr, "{}: steps in velocities are those of bodies that may touch others", name());
  Vector force;
  load(time() - lag(), time() + 0.5 * h, force);  // for as long as forces act
  using Elastic = CoupledFull::Elastic;
  const Elastic taken = elastic == ElasticEnd::mean       ? Elastic::mean
                        : elastic == ElasticEnd::implicit ? Elastic::implicit
                                                          : Elastic::rigid;
  const SolveReport begun = coupled_->begin(h, taken, force, moment_.state, moment_.coupled);
  step.h = h;
  step.elastic = elastic;
  step.hardness = 0.0;
  step.condensed = true;
  step.kick = coupled_->kick();
  step.matrix.resize(0, 0);
  step.start = coupled_->start_velocity();
  step.free = coupled_->free_velocity();
  return begun;
}

SolveReport FullMotion::condense(CondensedStep& step) {
  CoupledFull::Condensed found;
  const SolveReport report = coupled_->condense(step.unknowns, found);
  step.flies = coupled_->flies();
  step.center = coupled_->center();
  step.step.matrix = std::move(found.matrix);
  step.step.start = std::move(found.start);
  step.step.free = std::move(found.free);
  step.step.kick = coupled_->kick();
  return report;
}

SolveReport FullMotion::end_condensed(const CondensedStep& step, const Vector& impulse, bool last) {
  before_ = moment();
  return coupled_->end(step.unknowns, impulse, step.step.unearned, step.step.excess, last, moment_.state,
                       moment_.coupled);
}

void FullMotion::undo_coupled() { adopt(before_); }

/// Alone, as one that touches nothing.
StepReport FullMotion::step_coupled(double h, int halvings) {
  CoupledStep step;
  CondensedStep untouched;
  for (const ElasticEnd elastic : {ElasticEnd::mean, ElasticEnd::implicit, ElasticEnd::rigid}) {
    if (elastic == ElasticEnd::rigid && halvings > 0) break;
    const bool last = elastic == ElasticEnd::implicit && halvings == 0;
    if (const SolveReport begun = begin_coupled(h, step, elastic, {}); !begun.ok()) return {begun};
    const SolveReport ended = end_condensed(untouched, Vector::Zero(coupled_->flies() ? 6 : 0), last);
    if (ended.ok() || elastic == ElasticEnd::rigid) return {ended};
  }
  const Moment start = moment();
  StepReport total = step_coupled(0.5 * h, halvings - 1);
  if (total.ok()) add_report(step_coupled(0.5 * h, halvings - 1), total);
  if (!total.ok()) adopt(start);
  return total;
}

BodyEnergy FullMotion::energy() const {
  if (!coupled_ || moment_.coupled.h == 0.0) return MeshMotion::energy();
  return {moment_.coupled.kept(), moving_energy()};
}

StepReport FullMotion::step_quasistatic(double h) {
  StepClock clock = moment_.clock;
  clock.aim(h);
  const StaticReport solved = quasistatics_->step(clock.begin(), clock.end(), moment_.state.u);
  if (solved.ok()) {
    clock.advance();
    moment_.clock = clock;
    moment_.state.time = clock.time();
  }
  return step_report_of(solved);
}

/// Central differences leave every bound where the step is too long.
void FullMotion::check_explicit_step(double h, const ReducedStepOptions& options) {
  if (options.integrator != Integrator::central_differences) return;
  require(!has_springs() && !has_handles(), "{}: springs and handles need the integrator 'newmark'", name());
  if (critical_ == 0.0) {
    const AtRest at_rest(*this);
    critical_ = critical_timestep(*model_, damping_);
  }
  require(h < critical_,
          "the time step is {} s, but central differences are stable only below {:.3g} s for {}; use that or "
          "the integrator 'newmark'",
          h, critical_, name());
}

void FullMotion::rest_at(Vector u) {
  Moment next = moment();
  next.state = state_at_rest(next.state.time, std::move(u));
  next.started = false;
  next.memory = {};
  next.coupled = {};
  adopt(std::move(next));
}

void FullMotion::set_state(const TreeState& state, Accelerations accelerations) {
  Moment next = moment();
  if (quasistatic()) {
    require(state.q.size() == model_->dof_count(), "the state has {} displacements, the body needs {}",
            state.q.size(), model_->dof_count());
    next.state = state_at_rest(state.time, state.q);
    next.clock.set(state.time);
  } else {
    next.state = taken_state(state, accelerations);
    next.started = accelerations == Accelerations::keep;
  }
  next.memory = {};
  next.coupled = {};
  adopt(std::move(next));
}

void FullMotion::take_velocities(Vector v) {
  Moment next = moment();
  next.state = {next.state.time, next.state.u, std::move(v), Vector::Zero(model_->dof_count())};
  next.started = false;
  next.memory.wake = {};
  next.coupled = {};
  adopt(std::move(next));
}

void FullMotion::reset() {
  Moment next;
  Vector u = Vector::Zero(model_->dof_count());
  if (support_) {
    const Eigen::Isometry3d pose = support_->pose_at(0.0);
    const Matrix3X& rest = setup_->mesh.vertices;
    u = model_->dofs().restrict(((pose.linear() * rest).colwise() + pose.translation()) - rest);
  }
  next.state = state_at_rest(0.0, std::move(u));
  adopt(std::move(next));
}

/// Solvers keep nothing from step to step that this does not give back, to the bit.
void FullMotion::save(StateWriter& out) const {
  const Moment now = moment();
  out.write(now.started);
  save_state(now.state, out);
  now.clock.save(out);
  now.memory.save(out);
  if (coupled_) now.coupled.save(out);
  out.write(now.report.met);
  out.write(now.report.position_error);
  out.write(now.support_h);
}

void FullMotion::restore(StateReader& in) {
  Moment next;
  in.read(next.started);
  next.state = restore_state(in, model_->dof_count());
  next.clock.restore(in);
  next.memory = FullDynamics::Memory::restored(in, model_->dof_count());
  if (coupled_) next.coupled = CoupledFull::Memory::restored(in);
  in.read(next.report.met);
  in.read(next.report.position_error);
  in.read(next.support_h);
  require(std::isfinite(next.report.position_error) && std::isfinite(next.support_h) && next.support_h > 0.0,
          "the state has numbers that are not finite, or a step that is none");
  adopt(std::move(next));
}

const Matrix3* FullMotion::vertex_map(int vertex) const {
  if (!quasistatic() || !quasistatics_->maps().carries()) return nullptr;
  return &quasistatics_->maps().linear[static_cast<std::size_t>(vertex)];
}

}  // namespace limber
