#include "limber/scene/body_model.hpp"

#include "limber/base/error.hpp"
#include "limber/scene/body_held.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/scene/placing.hpp"

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
    options.basis.rank = std::max(options.basis.modes, 1) + options.basis.contact;
  options.forces = ForceKind::exact;
  return options;
}

/// A scene that says what is fixed must agree with the model, which cannot forget what held it.
void check_fixed(const ReducedModel& model, const SceneBody& body) {
  if (!body.fixed_stated) return;
  require(model.simulation.has_value(),
          "{}: the reduced model was kept without its mesh and is held as it was made; leave out 'fixed'",
          body.name);
  VolumeMesh mesh = model.simulation->mesh;
  place(body.pose, body.name, mesh);  // vertices are chosen where it stands
  const std::vector<char> used = used_vertices(mesh);
  std::vector<int> chosen = select_vertices(mesh, body.fixed, body.name + ": fixed");
  std::erase_if(chosen, [&](int v) { return !used[static_cast<std::size_t>(v)]; });
  require(
      chosen == model.simulation->fixed,
      "{}: the scene fixes {} vertices, the reduced model was made with {} (others); leave out 'fixed' or "
      "reduce the body again",
      body.name, chosen.size(), model.simulation->fixed.size());
}

/// From the mesh of the body.
Model make_single(const SceneBody& body, const std::vector<int>& fixed, const Executor& executor,
                  const Progress& progress) {
  const bool modal = is_modal(body.method);
  const FullModel full(body.mesh, modal ? as_stvk(body.materials) : body.materials, fixed,
                       {body.mass, executor});
  ReduceOptions options = modal ? linear_modes_only(body.reduction) : body.reduction;
  options.progress = progress;
  ReduceReport report;
  ReducedModel reduced = reduce(full, body.render, body.render_colors, options, report);
  reduced.name = body.name;
  Model model = make_model(std::move(reduced), fixed.empty());
  model.up = body.up;
  return model;
}

std::shared_ptr<const Model> make_any_model(const Scene& scene, const SceneBody& body,
                                            const Executor& executor, const Progress& progress) {
  std::vector<int> fixed;
  if (body.parts.placements.empty()) {
    fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
    check_held(scene, body, fixed);
  }
  if (!body.is_tree()) return std::make_shared<const Model>(make_single(body, fixed, executor, progress));
  TreeReduceReport report;
  return find_tree(body, executor, progress, report);
}

}  // namespace

std::shared_ptr<const Model> find_model(const Scene& scene, const SceneBody& body, const Executor& executor,
                                        const Progress& progress) {
  if (body.model && !body.is_tree()) check_fixed(single_domain(*body.model, body.name), body);
  std::shared_ptr<const Model> model =
      body.model ? body.model : make_any_model(scene, body, executor, progress);
  check_held(scene, body, *model);
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

}  // namespace limber
