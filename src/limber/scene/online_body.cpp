#include "limber/scene/online_body.hpp"

#include "limber/base/error.hpp"
#include "limber/scene/scene.hpp"

#include <cstdint>

namespace limber {

OnlineBody::OnlineBody(const Scene& scene, const SceneBody& body, const Executor& executor)
    : MeshBody(scene, body, executor) {
  const SolverSettings& solver = scene.solver;
  require(solver.type != SimulationType::statics,
          "{}: the order 'online' learns from steps and statics has one; use the order 'full', or the type "
          "'quasistatic' or 'dynamic'",
          body.name);
  if (solver.type == SimulationType::quasistatic) {
    quasistatics_ = std::make_unique<OnlineQuasistatics>(model_, map_function(), load_function(),
                                                         static_options(scene), solver.online);
    return;
  }
  dynamics_ = std::make_unique<OnlineDynamics>(model_, load_function(), Vector::Zero(model_.dof_count()),
                                               start_velocity(body), dynamics_options(scene, body),
                                               solver.online, solver.timestep * solver.steps);
}

StepReport OnlineBody::solve(const Progress& /*progress*/) {
  return {{SolveStatus::not_converged, 0, 0.0}};  // the constructor refuses statics
}

StepReport OnlineBody::advance(double timestep) {
  if (dynamics_) {
    const SolveReport solved = dynamics_->step(timestep);
    return {solved};
  }
  const StaticReport solved = quasistatics_->step(step_ * timestep, (step_ + 1) * timestep);
  if (solved.ok()) time_ = ++step_ * timestep;
  return to_step_report(solved);
}

void OnlineBody::remember() {
  remembered_step_ = step_;
  remembered_time_ = time_;
  if (dynamics_) dynamics_->remember();
  if (quasistatics_) quasistatics_->remember();
}

void OnlineBody::go_back() {
  step_ = remembered_step_;
  time_ = remembered_time_;
  if (dynamics_) dynamics_->go_back();
  if (quasistatics_) quasistatics_->go_back(time_);
}

void OnlineBody::save(StateWriter& out) const {
  if (dynamics_) return dynamics_->save(out);
  out.write(std::int64_t{step_});
  out.write(time_);
  quasistatics_->save(out);
}

void OnlineBody::restore(StateReader& in) {
  if (dynamics_) return dynamics_->restore(in);
  std::int64_t step = 0;
  in.read(step);
  in.read(time_);
  step_ = static_cast<int>(step);
  quasistatics_->restore(in, time_);
}

Matrix3X OnlineBody::displacement() const {
  if (dynamics_) return model_.dofs().expand(dynamics_->displacement());
  return quasistatics_->maps().displacement(model_.dofs(), quasistatics_->displacement());
}

double OnlineBody::energy() const {
  if (dynamics_) return dynamics_->energy();
  return model_.energy(quasistatics_->maps().to_world(model_.dofs(), quasistatics_->displacement()));
}

double OnlineBody::smallest_volume_ratio() const {
  if (dynamics_) return model_.smallest_volume_ratio(dynamics_->displacement());
  return model_.smallest_volume_ratio(
      quasistatics_->maps().to_world(model_.dofs(), quasistatics_->displacement()));
}

}  // namespace limber
