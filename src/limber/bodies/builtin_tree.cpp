#include "limber/bodies/builtin.hpp"
#include "limber/bodies/parameters.hpp"
#include "limber/bodies/part_tree.hpp"
#include "limber/bodies/plan_mesh.hpp"
#include "limber/bodies/tree_plans.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace limber {
namespace {

constexpr std::array<std::string_view, 3> tree_names{"oak", "station", "letters"};
constexpr std::array<std::string_view, tree_names.size()> descriptions{
    "an oak of 41 branches of 5 kinds and 1,394 leaves, all alike, held at the ground",
    "a space station of 48 pieces that flies freely: modules, trusses, panels, antennas",
    "the word FLEXIBLE in soft letters between rigid links, which flies freely"};

/// The name of a body without prefix and parameters.
std::string_view body_of(std::string_view name) {
  name.remove_prefix(builtin_prefix.size());
  return name.substr(0, name.find('?'));
}

std::size_t find_tree(std::string_view body) {
  const auto found = std::find(tree_names.begin(), tree_names.end(), body);
  require(found != tree_names.end(), "unknown built-in tree of parts '{}'; {}", body,
          suggestion(body, tree_names));
  return static_cast<std::size_t>(found - tree_names.begin());
}

}  // namespace

bool is_builtin_tree(std::string_view name) {
  return name.starts_with(builtin_prefix) &&
         std::find(tree_names.begin(), tree_names.end(), body_of(name)) != tree_names.end();
}

std::span<const std::string_view> builtin_tree_names() { return tree_names; }

std::string_view builtin_tree_description(std::string_view name) { return descriptions[find_tree(name)]; }

PartTree make_builtin_tree(std::string_view name, const Executor& executor, const Progress& progress) {
  require(name.starts_with(builtin_prefix),
          "'{}' is not the name of a built-in tree of parts; they start with '{}'", name, builtin_prefix);
  const std::string_view body = tree_names[find_tree(body_of(name))];
  const std::size_t question = name.find('?');
  const std::string_view text =
      question == std::string_view::npos ? std::string_view{} : name.substr(question + 1);
  if (body == "oak") {
    static constexpr std::array<std::string_view, 1> known{"leaves"};
    int leaves = oak_leaves;
    for (const Parameter& parameter : parse_parameters(text, known, name)) {
      leaves = parse_count(parameter, 1, oak_leaves, name);
    }
    return make_oak(leaves, executor, progress);
  }
  require(text.empty(), "{}: '{}' takes no parameters", name, body);
  return body == "station" ? make_station() : make_letters(executor, progress);
}

Part make_part(std::string name, const BodyPlan& plan, const PartMeshOptions& options) {
  const double length = (plan.solid.bounds.max - plan.solid.bounds.min).maxCoeff();
  PlanMeshOptions mesh;
  mesh.cells = static_cast<int>(std::ceil(length / options.cell));
  mesh.render_cells = static_cast<int>(std::ceil(length / options.render_cell));
  mesh.executor = options.executor;
  BuiltinBody body = mesh_plan(plan, mesh, name);
  Part part;
  part.name = std::move(name);
  part.mesh = std::move(body.mesh);
  part.render = std::move(body.render);
  part.colors = std::move(body.part_colors);
  part.materials = std::move(body.materials);
  part.fixed = std::move(body.fixed);
  return part;
}

}  // namespace limber
