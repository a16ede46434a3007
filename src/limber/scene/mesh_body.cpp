#include "limber/scene/mesh_body.hpp"

#include "limber/scene/scene.hpp"

#include <Eigen/Geometry>

namespace limber {

MeshBody::MeshBody(const Scene& scene, const SceneBody& body, const Executor& executor)
    : model_(make_full_model(scene, body, executor)),
      drive_(scene, body, model_),
      surface_vertices_(body.render.vertices) {}

LoadFunction MeshBody::load_function() const {
  return [this](double t0, double t1, Vector& f) { drive_.load(t0, t1, f); };
}

std::function<VertexMaps(double)> MeshBody::map_function() const {
  return [this](double t) { return drive_.maps(t); };
}

Vector MeshBody::start_velocity(const SceneBody& body) const {
  const Vector3 centre = model_.mesh().vertices * model_.vertex_masses() / model_.vertex_masses().sum();
  Matrix3X velocity(3, model_.mesh().vertex_count());
  for (Index v = 0; v < velocity.cols(); ++v) {
    velocity.col(v) = body.velocity + body.angular_velocity.cross(model_.mesh().vertices.col(v) - centre);
  }
  return model_.dofs().restrict(velocity);
}

Matrix3X MeshBody::surface_displacement() const {
  if (surface_vertices_.cols() == 0) return Matrix3X(3, 0);
  if (!embedding_) {
    embedding_ =
        std::make_unique<Embedding>(embed_points(model_.mesh(), surface_vertices_, model_.executor()));
  }
  return interpolate(*embedding_, displacement());
}

StaticOptions static_options(const Scene& scene) {
  StaticOptions options = scene.solver.statics;
  options.solver = scene.solver.linear_solver;
  if (scene.solver.type == SimulationType::quasistatic) options.load_steps = 0;
  return options;
}

DynamicsOptions dynamics_options(const Scene& scene, const SceneBody& body) {
  DynamicsOptions options;
  options.integrator = scene.solver.integrator;
  options.newmark = scene.solver.newmark;
  options.damping = body.damping;
  options.solver = scene.solver.linear_solver;
  return options;
}

StepReport to_step_report(const StaticReport& solved) {
  return {
      {solved.status, solved.iterations, solved.residual}, solved.smallest_volume_ratio, solved.load_steps};
}

}  // namespace limber
