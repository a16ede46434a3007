#include "limber/scene/scene.hpp"

#include "limber/base/error.hpp"

#include <Eigen/Geometry>

#include <algorithm>

namespace limber {
namespace {

/// Share of the time from t0 to t1 in which a load acts.
double active_share(const PointLoad& load, double t0, double t1) {
  if (t1 <= t0) return t0 >= load.from && t0 < load.to ? 1.0 : 0.0;
  return std::clamp((std::min(t1, load.to) - std::max(t0, load.from)) / (t1 - t0), 0.0, 1.0);
}

/// Forces of one load on the unknowns.
Vector load_vector(const FullModel& model, const PointLoad& load, std::string_view context) {
  require(!load.where.empty(), "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'",
          context);
  Vector force = Vector::Zero(model.dof_count());
  for (const int v : select_vertices(model.mesh(), load.where, context)) {
    if (const int f = model.dofs().free_index(v); f >= 0) force.segment<3>(3 * Index{f}) += load.force;
  }
  return force;
}

Vector start_velocity(const FullModel& model, const Body& body) {
  const Vector3 centre = model.mesh().vertices * model.vertex_masses() / model.vertex_masses().sum();
  Matrix3X velocity(3, model.mesh().vertex_count());
  for (Index v = 0; v < velocity.cols(); ++v) {
    velocity.col(v) = body.velocity + body.angular_velocity.cross(model.mesh().vertices.col(v) - centre);
  }
  return model.dofs().restrict(velocity);
}

/// The load of a body as a function of time.
LoadFunction make_load_function(const Body& body, Vector gravity, std::vector<Vector> forces) {
  return [loads = body.loads, gravity = std::move(gravity), forces = std::move(forces)](double t0, double t1,
                                                                                        Vector& f) {
    f = gravity;
    for (std::size_t i = 0; i < loads.size(); ++i) f += active_share(loads[i], t0, t1) * forces[i];
  };
}

void check_explicit_timestep(const FullModel& model, const Body& body, double timestep) {
  const double critical = critical_timestep(model, body.damping);
  require(timestep < critical,
          "solver.timestep is {} s, but central differences are stable only below {:.3g} s for {}; use that "
          "or the "
          "integrator 'newmark'",
          timestep, critical, body.name);
}

BodyState make_body_state(const Scene& scene, const Body& body, const Executor& executor) {
  BodyState state;
  const std::vector<int> fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
  state.model =
      std::make_unique<FullModel>(body.mesh, body.materials, fixed, FullModelOptions{body.mass, executor});
  state.u = Vector::Zero(state.model->dof_count());

  Vector gravity = state.model->gravity_force(scene.gravity);
  std::vector<Vector> forces;
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    forces.push_back(load_vector(*state.model, body.loads[i], fmt::format("{}: loads[{}]", body.name, i)));
  }
  if (scene.solver.type == SimulationType::statics) {
    state.static_load = gravity;
    for (const Vector& force : forces) state.static_load += force;
    StaticOptions options = scene.solver.statics;
    options.solver = scene.solver.linear_solver;
    state.statics = std::make_unique<StaticSolver>(*state.model, options);
    return state;
  }
  if (scene.solver.integrator == Integrator::central_differences) {
    check_explicit_timestep(*state.model, body, scene.solver.timestep);
  }
  DynamicsOptions options;
  options.integrator = scene.solver.integrator;
  options.newmark = scene.solver.newmark;
  options.damping = body.damping;
  options.solver = scene.solver.linear_solver;
  state.dynamics =
      std::make_unique<FullDynamics>(*state.model, make_load_function(body, gravity, std::move(forces)),
                                     state.u, start_velocity(*state.model, body), options);
  return state;
}

StepReport solve_body(BodyState& body, const Progress& progress) {
  const StaticReport solved = body.statics->solve(body.static_load, body.u, progress);
  return {{solved.status, solved.iterations, solved.residual},
          solved.energy,
          solved.smallest_volume_ratio,
          solved.load_steps};
}

StepReport advance_body(const Scene& scene, BodyState& body) {
  const SolveReport solved = body.dynamics->step(scene.solver.timestep);
  body.u = body.dynamics->state().u;
  return {solved, body.dynamics->energy(), 1.0, 0};
}

}  // namespace

SceneState make_state(const Scene& scene) {
  require(!scene.bodies.empty(), "the scene has no bodies");
  const Executor executor(scene.solver.threads);
  SceneState state;
  for (const Body& body : scene.bodies) state.bodies.push_back(make_body_state(scene, body, executor));
  return state;
}

int step_count(const Scene& scene) {
  return scene.solver.type == SimulationType::statics ? 1 : scene.solver.steps;
}

StepReport step(const Scene& scene, SceneState& state, const Progress& progress) {
  const bool statics = scene.solver.type == SimulationType::statics;
  std::vector<Vector> start_u;
  std::vector<DynamicState> start;
  for (const BodyState& body : state.bodies) {
    start_u.push_back(body.u);
    start.push_back(statics ? DynamicState{} : body.dynamics->state());
  }

  StepReport total;
  for (BodyState& body : state.bodies) {
    const StepReport one = statics ? solve_body(body, progress) : advance_body(scene, body);
    total.status = one.status;
    total.iterations += one.iterations;
    total.residual = std::max(total.residual, one.residual);
    total.energy += one.energy;
    total.smallest_volume_ratio = std::min(total.smallest_volume_ratio, one.smallest_volume_ratio);
    total.load_steps = std::max(total.load_steps, one.load_steps);
    if (!total.ok()) break;
  }

  if (total.ok()) {
    ++state.step;
    if (!statics) state.time = state.step * scene.solver.timestep;
    return total;
  }
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    state.bodies[i].u = start_u[i];
    if (!statics) state.bodies[i].dynamics->restore(start[i]);
  }
  return total;
}

}  // namespace limber
