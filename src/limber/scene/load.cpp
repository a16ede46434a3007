#include "limber/scene/load.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <utility>

namespace limber {
namespace {

TimedForce to_force(const SceneLoad& load, const BodyPoints& points, const std::vector<char>& fixed,
                    const std::string& where) {
  require(!load.where.empty(), "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'",
          where);
  TimedForce force{{}, load.force, load.from, load.to};
  Index moving = 0;
  for (const int v : select_vertices(*points.mesh, load.where, where)) {
    const bool moves = fixed[static_cast<std::size_t>(v)] == 0;
    if (moves) ++moving;
    if (moves || !load.total) force.points.push_back(points.point(v));
  }
  require(moving > 0,
          "{}: all of its vertices are held, so that it does nothing; choose others, or leave it out", where);
  if (load.total) force.force /= static_cast<double>(moving);
  return force;
}

/// For each vertex of the surface whether it is chosen.
std::vector<char> chosen_on_surface(const VertexSelection& selection, const Body& body,
                                    const std::string& where) {
  const auto count = static_cast<std::size_t>(body.surface().mesh().vertex_count());
  if (selection.empty()) return std::vector<char>(count, 1);
  std::vector<char> chosen(count, 0);
  for (const int v : select_vertices(*surface_points_of(body).mesh, selection, where))
    chosen[static_cast<std::size_t>(v)] = 1;
  return chosen;
}

bool can_move(const Body& body, int vertex) {
  PointRows rows;
  body.point_rows(vertex, rows);
  return !rows.rows.isZero(0.0);
}

std::vector<int> select_triangles(const VertexSelection& selection, const Body& body,
                                  const std::string& where) {
  const Eigen::Matrix3Xi& all = body.surface().mesh().triangles;
  const std::vector<char> chosen = chosen_on_surface(selection, body, where);
  std::vector<int> triangles;
  bool moves = false;
  for (Index t = 0; t < all.cols(); ++t) {
    const Eigen::Vector3i corners = all.col(t);
    if (std::any_of(corners.begin(), corners.end(),
                    [&](int v) { return chosen[static_cast<std::size_t>(v)] == 0; }))
      continue;
    triangles.push_back(static_cast<int>(t));
    moves = moves || std::any_of(corners.begin(), corners.end(), [&](int v) { return can_move(body, v); });
  }
  require(!triangles.empty(),
          "{}: no triangle of the surface has all of its corners in the selection; choose a larger piece",
          where);
  require(moves,
          "{}: all of its triangles are fixed, so that it does nothing; choose others, or leave it out",
          where);
  return triangles;
}

}  // namespace

std::vector<SurfaceLoad> surface_loads(const SceneBody& scene_body, const Body& body) {
  std::vector<SurfaceLoad> loads;
  for (const SceneSurfaceLoad& load : scene_body.surface_loads) {
    const std::string where = fmt::format("{}: loads[{}]", scene_body.name, load.number);
    loads.push_back(
        {select_triangles(load.where, body, where), load.pressure, load.traction, load.from, load.to});
  }
  return loads;
}

TimedLoads timed_loads(const SceneBody& scene_body, const BodyPoints& points,
                       const std::vector<char>& fixed) {
  TimedLoads loads;
  loads.accelerations = scene_body.accelerations;
  for (const SceneLoad& load : scene_body.loads) {
    const std::string where = fmt::format("{}: loads[{}]", scene_body.name, load.number);
    loads.forces.push_back(to_force(load, points, fixed, where));
  }
  return loads;
}

}  // namespace limber
