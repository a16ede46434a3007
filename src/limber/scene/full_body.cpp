#include "limber/scene/full_body.hpp"

#include "limber/scene/load.hpp"
#include "limber/scene/scene.hpp"

#include <Eigen/Geometry>

namespace limber {
namespace {

FullModel make_full_model(const Body& body, const Executor& executor) {
  const std::vector<int> fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
  return {body.mesh, body.materials, fixed, FullModelOptions{body.mass, executor}};
}

/// Forces of one load on the unknowns.
Vector load_vector(const FullModel& model, const Body& body, std::size_t load) {
  Vector force = Vector::Zero(model.dof_count());
  for (const int v : loaded_vertices(model.mesh(), body, load)) {
    if (const int f = model.dofs().free_index(v); f >= 0)
      force.segment<3>(3 * Index{f}) += body.loads[load].force;
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

}  // namespace

FullBody::FullBody(const Scene& scene, const Body& body, const Executor& executor)
    : model_(make_full_model(body, executor)),
      u_(Vector::Zero(model_.dof_count())),
      surface_vertices_(body.render.vertices) {
  Vector gravity = model_.gravity_force(scene.gravity);
  std::vector<Vector> forces;
  for (std::size_t i = 0; i < body.loads.size(); ++i) forces.push_back(load_vector(model_, body, i));
  if (scene.solver.type == SimulationType::statics) {
    static_load_ = gravity;
    for (const Vector& force : forces) static_load_ += force;
    StaticOptions options = scene.solver.statics;
    options.solver = scene.solver.linear_solver;
    statics_ = std::make_unique<StaticSolver>(model_, options);
    return;
  }
  if (scene.solver.integrator == Integrator::central_differences) {
    check_explicit_timestep(body, scene.solver.timestep, critical_timestep(model_, body.damping));
  }
  DynamicsOptions options;
  options.integrator = scene.solver.integrator;
  options.newmark = scene.solver.newmark;
  options.damping = body.damping;
  options.solver = scene.solver.linear_solver;
  dynamics_ = std::make_unique<FullDynamics>(model_, make_load_function(body, gravity, std::move(forces)), u_,
                                             start_velocity(model_, body), options);
}

StepReport FullBody::solve(const Progress& progress) {
  const StaticReport solved = statics_->solve(static_load_, u_, progress);
  return {{solved.status, solved.iterations, solved.residual},
          solved.energy,
          solved.smallest_volume_ratio,
          solved.load_steps};
}

StepReport FullBody::advance(double timestep) {
  const SolveReport solved = dynamics_->step(timestep);
  u_ = dynamics_->state().u;
  return {solved, dynamics_->energy(), 1.0, 0};
}

void FullBody::remember() {
  remembered_u_ = u_;
  if (dynamics_) remembered_ = dynamics_->state();
}

void FullBody::go_back() {
  u_ = remembered_u_;
  if (dynamics_) dynamics_->restore(remembered_);
}

Matrix3X FullBody::surface_displacement() const {
  if (surface_vertices_.cols() == 0) return Matrix3X(3, 0);
  if (!embedding_) {
    embedding_ =
        std::make_unique<Embedding>(embed_points(model_.mesh(), surface_vertices_, model_.executor()));
  }
  return interpolate(*embedding_, displacement());
}

}  // namespace limber
