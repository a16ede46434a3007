#include "limber/scene/body_model.hpp"

#include "limber/base/error.hpp"
#include "limber/scene/body_tree.hpp"

#include <algorithm>
#include <utility>

namespace limber {
namespace {

bool is_modal(Method method) { return method == Method::warped || method == Method::linear; }

/// The same stiffness at rest, which is all that matters to natural modes, with forces that need no training.
std::vector<Material> as_stvk(std::vector<Material> materials) {
  for (Material& material : materials) material.law = make_law("stvk", lame_of(material.law));
  return materials;
}

ReduceOptions linear_modes_only(ReduceOptions options) {
  options.basis.order = 0;
  if (options.basis.sketch.empty() && options.basis.snapshots.empty())
    options.basis.rank = std::max(options.basis.modes, 1);
  options.forces = ForceKind::exact;
  return options;
}

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

/// Whether what nothing holds moves as a whole.
bool may_fly(const Scene& scene, const SceneBody& body) {
  return scene.solver.type == SimulationType::dynamics && can(body.method, Ability::flight);
}

/// From the mesh of the body.
Model make_single(const Scene& scene, const SceneBody& body, const Executor& executor,
                  const Progress& progress) {
  const bool modal = is_modal(body.method);
  const std::vector<int> fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
  const FullModel full(body.mesh, modal ? as_stvk(body.materials) : body.materials, fixed,
                       {body.mass, executor});
  ReduceOptions options = modal ? linear_modes_only(body.reduction) : body.reduction;
  options.progress = progress;
  ReduceReport report;
  ReducedModel reduced = reduce(full, body.render, body.render_colors, options, report);
  reduced.name = body.name;
  return make_model(std::move(reduced), fixed.empty() && may_fly(scene, body));
}

std::shared_ptr<const Model> find_any_model(const Scene& scene, const SceneBody& body,
                                            const Executor& executor, const Progress& progress) {
  if (body.is_tree()) {
    TreeReduceReport report;
    return find_tree(body, executor, progress, report);
  }
  if (!body.model) return std::make_shared<const Model>(make_single(scene, body, executor, progress));
  check_fixed(single_domain(*body.model, body.name), body);
  const bool refused = scene.solver.type == SimulationType::statics;  // as one that nothing holds
  if (!body.model->free || may_fly(scene, body) || refused) return body.model;
  Model in_place = *body.model;
  in_place.free = false;
  return std::make_shared<const Model>(std::move(in_place));
}

}  // namespace

std::shared_ptr<const Model> find_model(const Scene& scene, const SceneBody& body, const Executor& executor,
                                        const Progress& progress) {
  std::shared_ptr<const Model> model = find_any_model(scene, body, executor, progress);
  require(scene.solver.type != SimulationType::statics || is_held(*model),
          "{}: nothing holds the reduced body, so no load on it can be balanced; fix some vertices and "
          "reduce it again",
          body.name);
  return model;
}

std::vector<Material> edited_materials(const SceneBody& body, const ReducedModel& model) {
  if (body.materials.empty()) return {};
  require(body.materials.size() == model.regions.size(),
          "{}: {} materials given, the reduced model has {} regions", body.name, body.materials.size(),
          model.regions.size());
  if (is_modal(body.method)) return as_stvk(body.materials);
  for (const Material& material : body.materials) {
    require(model.cubature || std::holds_alternative<Stvk>(material.law),
            "{}: the material is {}, but a reduced model with exact forces takes stvk only", body.name,
            name_of(material.law));
  }
  return body.materials;
}

bool is_held(const Model& model) {
  if (model.free) return false;
  const std::optional<SimulationMesh>& simulation = model.part(0).model.simulation;
  const bool known = model.domain_count() == 1 && model.rank(0) > 0 && simulation;
  return !known || unheld_parts(simulation->mesh, simulation->fixed).empty();
}

}  // namespace limber
