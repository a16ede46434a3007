#include "limber/scene/full_body.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/saved_state.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/scene.hpp"

#include <cstdint>
#include <utility>

namespace limber {
FullBody::FullBody(const Scene& scene, const SceneBody& body, const Executor& executor)
    : MeshBody(scene, body, executor), u_(Vector::Zero(model_.dof_count())) {
  const SolverSettings& solver = scene.solver;
  if (solver.type == SimulationType::statics) {
    drive_.load(0.0, 0.0, static_load_);
    statics_ = std::make_unique<StaticSolver>(model_, static_options(scene));
    return;
  }
  if (solver.type == SimulationType::quasistatic) {
    quasistatics_ =
        std::make_unique<QuasistaticSolver>(model_, map_function(), load_function(), static_options(scene));
    return;
  }
  if (solver.integrator == Integrator::central_differences) {
    check_explicit_timestep(body, solver.timestep, critical_timestep(model_, body.damping));
  }
  dynamics_ = std::make_unique<FullDynamics>(model_, load_function(), u_, start_velocity(body),
                                             dynamics_options(scene, body));
}

StepReport FullBody::solve(const Progress& progress) {
  return to_step_report(statics_->solve(static_load_, u_, progress));
}

StepReport FullBody::advance(double timestep) {
  if (quasistatics_) {
    // The scene's time: a sum of steps would drift away from times that are multiples of them.
    const StaticReport solved = quasistatics_->step(step_ * timestep, (step_ + 1) * timestep, u_);
    if (solved.ok()) time_ = ++step_ * timestep;
    return to_step_report(solved);
  }
  const SolveReport solved = dynamics_->step(timestep);
  u_ = dynamics_->state().u;
  return {solved};
}

void FullBody::remember() {
  remembered_u_ = u_;
  remembered_step_ = step_;
  remembered_time_ = time_;
  if (dynamics_) remembered_ = dynamics_->state();
}

void FullBody::go_back() {
  u_ = remembered_u_;
  step_ = remembered_step_;
  time_ = remembered_time_;
  if (dynamics_) dynamics_->restore(remembered_);
  if (quasistatics_) quasistatics_->place(time_);
}

/// Solvers keep nothing from step to step that the state does not give back, to the bit.
void FullBody::save(StateWriter& out) const {
  if (dynamics_) {
    out.write(dynamics_->started());
    save_state(dynamics_->state(), out);
    return;
  }
  out.write(std::int64_t{step_});
  out.write(time_);
  out.write(u_);
}

void FullBody::restore(StateReader& in) {
  if (dynamics_) {
    bool started = false;
    in.read(started);
    dynamics_->resume(restore_state(in, model_.dof_count()), started);
    u_ = dynamics_->state().u;
    return;
  }
  std::int64_t step = 0;
  Vector u;
  in.read(step);
  in.read(time_);
  in.read(u);
  require(u.size() == model_.dof_count(), "the state has {} displacements, the body needs {}", u.size(),
          model_.dof_count());
  step_ = static_cast<int>(step);
  u_ = std::move(u);
  if (quasistatics_) quasistatics_->place(time_);
}

Matrix3X FullBody::displacement() const {
  return quasistatics_ ? quasistatics_->maps().displacement(model_.dofs(), u_) : model_.dofs().expand(u_);
}

Vector FullBody::world_displacement() const {
  return quasistatics_ ? quasistatics_->maps().to_world(model_.dofs(), u_) : u_;
}

double FullBody::energy() const {
  return dynamics_ ? dynamics_->energy() : model_.energy(world_displacement());
}

double FullBody::smallest_volume_ratio() const { return model_.smallest_volume_ratio(world_displacement()); }

}  // namespace limber
