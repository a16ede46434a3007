#include "limber/io/scene_plan.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/bodies/part_tree.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/scene/placing.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace limber {
namespace {

using nlohmann::json;

/// Throws Error for a type of solver that does not take the method of a body.
void check_type(Method method, SimulationType type, const std::string& where) {
  require(type != SimulationType::quasistatic || can(method, Ability::quasistatics),
          "{}.method is '{}', but a quasistatic solver takes {}", where, name_of(method),
          methods_with(Ability::quasistatics));
  require(type != SimulationType::statics || method != Method::online,
          "{}.method is 'online', which learns from steps, but a static solution is one solve; take 'full', "
          "or the solver.type 'dynamic' or 'quasistatic'",
          where);
}

/// All ways that a body is run in, its own first, each once.
std::vector<RunWay> find_ways(const RunWay& own, const SceneUse& use) {
  std::vector<RunWay> ways{own};
  const auto add = [&](const RunWay& way) {
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
  };
  for (const Method method : use.methods) add({method, false});
  if (use.domains) add({Method::reduced, true});
  return ways;
}

/// Throws Error unless a body comes from somewhere, and from one place where it is run in one way only.
void check_sources(const json& value, Method method, const SceneUse& use, const std::string& where) {
  const bool mesh = value.contains("mesh"), model = value.contains("model"),
             assembly = value.contains("assembly");
  require(mesh || model || assembly, "{}: 'mesh', 'model' or 'assembly' is missing", where);
  require(!assembly || (!mesh && !model), "{}: 'mesh', 'model' and 'assembly' exclude each other", where);
  if (!mesh || !model || find_ways({method, false}, use).size() > 1) return;
  const bool with_mesh = uses_mesh(method);
  refuse_unused(
      fmt::format("{}.{}", where, with_mesh ? "model" : "mesh"),
      fmt::format("a body with '{}' and the method '{}'", with_mesh ? "mesh" : "model", name_of(method)));
}

std::shared_ptr<const Model> read_named_model(const json& value, SceneFiles& files,
                                              const std::string& where) {
  if (!value.contains("model")) return nullptr;
  const std::filesystem::path path = files.input(value, "model");
  return read_at(where + ".model",
                 [&] { return std::make_shared<const Model>(parse_model(read_file(path), path.string())); });
}

/// Throws Error for a tree that the method of a body does not move.  key: of what makes it one.
void require_tree_method(Method method, const std::string& where, std::string_view key,
                         std::string_view instead = "") {
  require(can(method, Ability::several_domains),
          "{}.{}: it makes the body a tree of domains, which the method '{}' does not move; choose {}{}",
          where, key, name_of(method), methods_with(Ability::several_domains), instead);
}

/// Whether a body moves as a tree of domains. Throws Error where its method cannot.
bool moves_as_tree(const json& value, const ScenePlan& plan, const SceneUse& use, const std::string& where) {
  const bool several = plan.model && plan.model->domain_count() > 1;
  if (several && !(uses_mesh(plan.method) && value.contains("mesh"))) {
    require_tree_method(plan.method, where, "model",
                        uses_mesh(plan.method) ? ", or give 'mesh' in its place" : "");
    return true;
  }
  if (value.contains("assembly") || names_tree(value)) {
    require_tree_method(plan.method, where, value.contains("assembly") ? "assembly" : "mesh");
    return true;
  }
  if (!value.contains("domains")) return false;
  const bool of_others = plan.model || !can(plan.method, Ability::several_domains);
  if (use.domains && of_others) return false;  // a tree in that way alone
  require_tree_method(plan.method, where, "domains", ", or leave it out");
  if (plan.model) refuse_unused(where + ".domains", "a reduced model, which is one domain,");
  return true;
}

}  // namespace

bool ScenePlan::needs_mesh() const {
  return std::any_of(ways.begin(), ways.end(), [](const RunWay& way) { return uses_mesh(way.method); });
}

bool ScenePlan::runs_by(Method one) const {
  return std::find(ways.begin(), ways.end(), RunWay{one, false}) != ways.end();
}

bool names_tree(const json& body) {
  return body.contains("mesh") && is_builtin_tree(body["mesh"].get<std::string>());
}

ScenePlan plan_body(const json& value, SimulationType type, const SceneUse& use, SceneFiles& files,
                    const std::string& where) {
  ScenePlan plan;
  plan.method = find_method(value["method"].get<std::string>()).value();  // the schema lists all of them
  check_type(plan.method, type, where);
  check_sources(value, plan.method, use, where);
  plan.pose = to_pose(value, where);
  require(
      !value.contains("model") || plan.method != Method::warped || moves_nothing(plan.pose),
      "{}.{}: the method 'warped' moves a model where it was made; name its 'mesh' in place of 'model', or "
      "choose 'reduced' or 'linear'",
      where, plan.pose.position.isZero(0.0) ? "rotation" : "position");
  plan.model = placed(read_named_model(value, files, where), plan.pose, where);
  if (plan.model) {
    plan.up = plan.model->up;
  } else if (value.contains("mesh") && !is_builtin(value["mesh"].get<std::string>()) && !names_tree(value)) {
    plan.up = usual_up(files.path(value, "mesh"));
  }
  plan.tree = moves_as_tree(value, plan, use, where);
  plan.ways = find_ways({plan.method, plan.tree}, use);
  return plan;
}

}  // namespace limber
