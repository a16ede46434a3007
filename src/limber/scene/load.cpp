#include "limber/scene/load.hpp"

#include "limber/base/error.hpp"

#include <algorithm>

namespace limber {

double active_share(const PointLoad& load, double t0, double t1) {
  if (t1 <= t0) return t0 >= load.from && t0 < load.to ? 1.0 : 0.0;
  return std::clamp((std::min(t1, load.to) - std::max(t0, load.from)) / (t1 - t0), 0.0, 1.0);
}

LoadFunction make_load_function(const Body& body, Vector constant, std::vector<Vector> forces) {
  return [loads = body.loads, constant = std::move(constant), forces = std::move(forces)](
             double t0, double t1, Vector& f) {
    f = constant;
    for (std::size_t i = 0; i < loads.size(); ++i) f += active_share(loads[i], t0, t1) * forces[i];
  };
}

std::vector<int> loaded_vertices(const VolumeMesh& mesh, const Body& body, std::size_t load) {
  const std::string context = fmt::format("{}: loads[{}]", body.name, load);
  const VertexSelection& where = body.loads[load].where;
  require(!where.empty(), "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'",
          context);
  return select_vertices(mesh, where, context);
}

void check_explicit_timestep(const Body& body, double timestep, double critical) {
  require(timestep < critical,
          "solver.timestep is {} s, but central differences are stable only below {:.3g} s for {}; use that "
          "or the "
          "integrator 'newmark'",
          timestep, critical, body.name);
}

}  // namespace limber
