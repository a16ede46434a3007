#include "limber/scene/load.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <array>

namespace limber {

namespace {

double share_of(double from, double to, double t0, double t1) {
  if (t1 <= t0) return t0 >= from && t0 < to ? 1.0 : 0.0;
  return std::clamp((std::min(t1, to) - std::max(t0, from)) / (t1 - t0), 0.0, 1.0);
}

}  // namespace

double active_share(const PointLoad& load, double t0, double t1) {
  return share_of(load.from, load.to, t0, t1);
}

Vector3 mean_acceleration(const std::vector<AccelerationLoad>& loads, double t0, double t1) {
  Vector3 sum = Vector3::Zero();
  for (const AccelerationLoad& load : loads) sum += share_of(load.from, load.to, t0, t1) * load.acceleration;
  return sum;
}

LoadFunction make_load_function(const SceneBody& body, const Vector3& gravity, const WeightFunction& weight,
                                std::vector<Vector> forces) {
  // The force of an acceleration is linear in it: three vectors do for any.
  std::array<Vector, 3> along;
  if (!body.accelerations.empty()) {
    for (int axis = 0; axis < 3; ++axis) along[static_cast<std::size_t>(axis)] = weight(Vector3::Unit(axis));
  }
  return [loads = body.loads, accelerations = body.accelerations, constant = weight(gravity),
          along = std::move(along), forces = std::move(forces)](double t0, double t1, Vector& f) {
    f = constant;
    for (std::size_t i = 0; i < loads.size(); ++i) f += active_share(loads[i], t0, t1) * forces[i];
    if (accelerations.empty()) return;
    const Vector3 acceleration = mean_acceleration(accelerations, t0, t1);
    for (int axis = 0; axis < 3; ++axis) f += acceleration(axis) * along[static_cast<std::size_t>(axis)];
  };
}

std::vector<int> loaded_vertices(const VolumeMesh& mesh, const SceneBody& body, std::size_t load) {
  const std::string context = fmt::format("{}: loads[{}]", body.name, load);
  const VertexSelection& where = body.loads[load].where;
  require(!where.empty(), "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'",
          context);
  return select_vertices(mesh, where, context);
}

void check_explicit_timestep(const SceneBody& body, double timestep, double critical) {
  require(timestep < critical,
          "solver.timestep is {} s, but central differences are stable only below {:.3g} s for {}; use that "
          "or the "
          "integrator 'newmark'",
          timestep, critical, body.name);
}

}  // namespace limber
