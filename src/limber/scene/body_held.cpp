#include "limber/scene/body_held.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/full_model.hpp"

#include <algorithm>
#include <string>

namespace limber {
namespace {

/// Throws the Error about a body that something holds, or nothing, but not enough of it.
[[noreturn]] void refuse_loose(const Scene& scene, const SceneBody& body) {
  const std::string_view how = body.model ? " and reduce it again" : "";
  if (scene.solver.type == SimulationType::dynamics)
    throw Error(
        "{}: its fixed vertices let it turn, or leave a part of it loose, which the method '{}' does not "
        "take; "
        "fix at least three of each part that are not on one line{}, or none, or choose 'full' or 'online'",
        body.name, name_of(body.method), how);
  throw Error(
      "{}: nothing holds it, or a part of it: fix at least three of its vertices that are not on one line{}, "
      "or simulate it dynamically",
      body.name, how);
}

}  // namespace

void check_held(const Scene& scene, const SceneBody& body, std::span<const int> held) {
  const std::vector<char> used = used_vertices(body.mesh);
  const auto fixed =
      std::count_if(held.begin(), held.end(), [&](int v) { return used[static_cast<std::size_t>(v)] != 0; });
  require(fixed < std::count(used.begin(), used.end(), 1),
          "{}: every vertex is fixed, so nothing can move; fix fewer vertices", body.name);
  const bool flies =
      scene.solver.type == SimulationType::dynamics && (held.empty() || uses_mesh(body.method));
  if (!flies && !unheld_parts(body.mesh, held).empty()) refuse_loose(scene, body);
}

void check_held(const Scene& scene, const SceneBody& body, const Model& model) {
  const bool flies = scene.solver.type == SimulationType::dynamics && model.free;
  if (!flies && !is_held(model)) refuse_loose(scene, body);
}

bool is_held(const Model& model) {
  if (model.free) return false;
  const std::optional<SimulationMesh>& simulation = model.part(0).model.simulation;
  const bool known = model.domain_count() == 1 && model.rank(0) > 0 && simulation;
  return !known || unheld_parts(simulation->mesh, simulation->fixed).empty();
}

}  // namespace limber
