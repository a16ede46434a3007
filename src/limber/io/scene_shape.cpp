#include "limber/io/scene_shape.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/length_unit.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_domains.hpp"
#include "limber/io/scene_uses.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/mesher.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/scene/placing.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

/// A surface is filled as `limber reduce` fills it, and drawn itself.
void fill_surface(const json& value, const std::filesystem::path& path, SceneFiles& files, int threads,
                  const std::string& where, SceneBody& body) {
  body.render = read_surface(path, {}, &files.inputs);
  body.render.vertices *= unit_of(value);
  MesherOptions options;
  options.target_elements = usual_elements;
  options.executor = Executor(threads);
  const std::array surfaces{RegionSurface{body.render, path.stem().string()}};
  MeshedSurfaces meshed = mesh_surfaces(surfaces, options);
  body.mesh = std::move(meshed.mesh);
  for (const std::string& warning : meshed.report.warnings)
    files.warnings.push_back(fmt::format("{}.mesh: {}", where, warning));
}

/// Most files do not say what their numbers are.
void ask_for_unit(const json& stated, const std::string& where, const SceneBody& body, SceneFiles& files) {
  const BoundingBox box = bounding_box(body.mesh);
  const double largest = (box.max - box.min).maxCoeff();
  if (stated.contains("unit") || largest <= largest_usual_size) return;
  files.warnings.push_back(fmt::format(
      "{}.mesh: it is {:.3g} m across if its numbers are metres: \"unit\": \"mm\" (or cm, in) says that they "
      "are not, \"m\" that they are",
      where, largest));
}

void load_mesh_file(const json& value, const json& stated, SceneFiles& files, int threads,
                    const std::string& where, SceneBody& body) {
  const std::filesystem::path path = files.path(value, "mesh");
  const std::string place_of_key = where + ".mesh";
  const bool surface = is_surface_file(path) && !looks_like_model(read_file(path));
  if (surface) {
    read_at(place_of_key, [&] { fill_surface(value, path, files, threads, where, body); });
    ask_for_unit(stated, where, body, files);
  } else {
    body.mesh = read_at(place_of_key, [&] { return read_mesh(path, &files.inputs); });
    body.mesh.vertices *= unit_of(value);
  }
  place(body.pose, where, body.mesh);
  place(body.pose, body.render);
}

void load_mesh(const json& value, const json& stated, SceneFiles& files, int threads,
               const std::string& where, SceneBody& body) {
  const std::string name = value["mesh"].get<std::string>();
  if (!is_builtin(name)) return load_mesh_file(value, stated, files, threads, where, body);
  if (stated.contains("unit")) refuse_unused(where + ".unit", "a body made by code, which is in metres,");
  BuiltinBody builtin = read_at(where + ".mesh", [&] { return make_builtin(name, Executor(threads)); });
  body.mesh = std::move(builtin.mesh);
  body.render = std::move(builtin.render);
  body.render_colors = std::move(builtin.part_colors);
  body.fixed.vertices = std::move(builtin.fixed);
  body.materials = std::move(builtin.materials);
  place(body.pose, where, body.mesh);
  place(body.pose, body.render);
}

/// The shape that a model with one domain was made from.
void take_single(const std::shared_ptr<const Model>& model, SceneBody& body) {
  body.mesh = {};
  body.fixed = {};
  take_tree(model, body);
  const Domain& domain = model->domains.front();
  const ReducedModel& reduced = model->part(0).model;
  body.materials = reduced.materials();
  if (!reduced.simulation) return;
  body.fixed.vertices = reduced.simulation->fixed;
  if (domain.vertices.empty()) return;
  for (int& vertex : body.fixed.vertices) vertex = domain.vertices[static_cast<std::size_t>(vertex)];
}

}  // namespace

bool load_shape(const json& value, const json& stated, SceneFiles& files, const std::string& where,
                const ScenePlan& plan, int threads, SceneBody& body) {
  body.pose = plan.pose;
  if (names_tree(value) && stated.contains("unit"))
    refuse_unused(where + ".unit", "a body made by code, which is in metres,");
  if (plan.tree && load_tree(value, stated, files, where, plan, threads, body)) return true;
  if (value.contains("mesh")) load_mesh(value, stated, files, threads, where, body);
  body.model = plan.model;
  if (!plan.model || (value.contains("mesh") && plan.needs_mesh())) return false;
  take_single(plan.model, body);
  require(body.mesh.element_count() > 0 || !plan.needs_mesh(),
          "{}.model: it was kept without its mesh; give 'mesh' too for the methods 'full' and 'online'",
          where);
  return false;
}

}  // namespace limber
