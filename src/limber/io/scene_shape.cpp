#include "limber/io/scene_shape.hpp"

#include "limber/base/error.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/scene_domains.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/scene/placing.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace limber {
namespace {

using nlohmann::json;

void load_mesh(const json& value, SceneFiles& files, int threads, const std::string& where, SceneBody& body) {
  const std::string name = value["mesh"].get<std::string>();
  if (!is_builtin(name)) {
    body.mesh = read_at(where + ".mesh", [&] { return read_mesh(files.path(value, "mesh"), &files.inputs); });
    return place(body.pose, where, body.mesh);
  }
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
  if (plan.tree && load_tree(value, stated, files, where, plan, threads, body)) return true;
  if (value.contains("mesh")) load_mesh(value, files, threads, where, body);
  body.model = plan.model;
  if (!plan.model || (value.contains("mesh") && plan.needs_mesh())) return false;
  take_single(plan.model, body);
  require(body.mesh.element_count() > 0 || !plan.needs_mesh(),
          "{}.model: it was kept without its mesh; give 'mesh' too for the methods 'full' and 'online'",
          where);
  return false;
}

}  // namespace limber
