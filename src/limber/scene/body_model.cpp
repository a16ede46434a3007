#include "limber/scene/body_model.hpp"

#include "limber/base/error.hpp"

namespace limber {
namespace {

/// A scene that says what is fixed must agree with the model, which cannot forget what held it.
void check_fixed(const ReducedModel& model, const SceneBody& body) {
  if (!body.fixed_stated) return;
  require(model.simulation.has_value(),
          "{}: the reduced model was kept without its mesh and is held as it was made; leave out 'fixed'",
          body.name);
  const VolumeMesh& mesh = model.simulation->mesh;
  const std::vector<char> used = used_vertices(mesh);
  std::vector<int> chosen = select_vertices(mesh, body.fixed, body.name + ": fixed");
  std::erase_if(chosen, [&](int v) { return !used[static_cast<std::size_t>(v)]; });
  require(
      chosen == model.simulation->fixed,
      "{}: the scene fixes {} vertices, the reduced model was made with {} (others); leave out 'fixed' or "
      "reduce the body again",
      body.name, chosen.size(), model.simulation->fixed.size());
}

}  // namespace

std::shared_ptr<const ReducedModel> find_model(const SceneBody& body, const std::vector<Material>& materials,
                                               ReduceOptions options, const Executor& executor,
                                               const Progress& progress) {
  require(body.velocity.isZero(0.0) && body.angular_velocity.isZero(0.0),
          "{}: a reduced body starts at rest: its model holds no rigid motion; leave out 'velocity' and "
          "'angular_velocity'",
          body.name);
  if (body.model) {
    check_fixed(*body.model, body);
    return body.model;
  }
  const std::vector<int> fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
  const FullModel full(body.mesh, materials, fixed, {body.mass, executor});
  ReduceReport report;
  options.progress = progress;
  return std::make_shared<ReducedModel>(reduce(full, body.render, body.render_colors, options, report));
}

std::vector<Material> region_materials(const SceneBody& body, const ReducedModel& model) {
  if (body.materials.empty()) return model.materials();
  require(body.materials.size() == model.regions.size(),
          "{}: {} materials given, the reduced model has {} regions", body.name, body.materials.size(),
          model.regions.size());
  return body.materials;
}

double total_mass(const ReducedModel& model, const std::vector<Material>& materials) {
  double mass = 0.0;
  for (std::size_t r = 0; r < materials.size(); ++r) mass += materials[r].density * model.regions[r].volume;
  return mass;
}

VolumeMesh vertices_to_choose(const ReducedModel& model) {
  if (model.simulation) return model.simulation->mesh;
  VolumeMesh points;
  points.vertices = model.surface.mesh.vertices;
  // An element for each vertex: whatever no element uses cannot be chosen.
  points.elements = Eigen::RowVectorXi::LinSpaced(static_cast<int>(points.vertices.cols()), 0,
                                                  static_cast<int>(points.vertices.cols()) - 1)
                        .replicate(4, 1);
  return points;
}

void require_held(const SceneBody& body, const ReducedModel& model) {
  require(!model.simulation || unheld_parts(model.simulation->mesh, model.simulation->fixed).empty(),
          "{}: nothing holds the reduced body, so no load on it can be balanced; fix some vertices and "
          "reduce it again",
          body.name);
}

}  // namespace limber
