#include "limber/scene/load.hpp"

#include "limber/base/error.hpp"

#include <utility>

namespace limber {
namespace {

TimedForce to_force(const SceneLoad& load, const BodyPoints& points, const std::string& where) {
  require(!load.where.empty(), "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'",
          where);
  TimedForce force{{}, load.force, load.from, load.to};
  for (const int v : select_vertices(*points.mesh, load.where, where))
    force.points.push_back(points.point(v));
  return force;
}

}  // namespace

TimedLoads timed_loads(const SceneBody& scene_body, const BodyPoints& points) {
  TimedLoads loads;
  loads.accelerations = scene_body.accelerations;
  for (std::size_t i = 0; i < scene_body.loads.size(); ++i) {
    loads.forces.push_back(
        to_force(scene_body.loads[i], points, fmt::format("{}: loads[{}]", scene_body.name, i)));
  }
  return loads;
}

}  // namespace limber
