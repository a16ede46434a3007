#include "limber/scene/start_check.hpp"

#include "limber/base/error.hpp"
#include "limber/base/length_text.hpp"
#include "limber/scene/body_points.hpp"

#include <algorithm>

namespace limber {
namespace {

/// Of elements. Beams of rubber that lie along each other came apart within some tenths of a second with up
/// to a fifth of one in the other, but for one of six; of those with more most were crushed for good, at ten
/// to a hundred times the cost of a step. Where corners point into each other less can be too much: of that a
/// run warns.
constexpr double largest_share = 0.2;

/// "FILE: ", where the scene is one.
std::string start_of(const Scene& scene) { return scene.source.empty() ? "" : scene.source + ": "; }

bool deforms(const StartOverlap& one) {
  return one.first.of == Touching::Of::body || one.second.of == Touching::Of::body;
}

void check_overlap(const Scene& scene, const SceneState& state, const StartOverlap& one) {
  const std::string first = name_of(scene, state, one.first), second = name_of(scene, state, one.second);
  const char* const otherwise = deforms(one) ? ", or a body 'contact': false" : "";
  require(!one.same_place,
          "{}{} and {} are at the same place, where contact cannot take them apart; give one of them "
          "another 'position'{}",
          start_of(scene), first, second, otherwise);
  require(!deforms(one) || one.share <= largest_share,
          "{}{:.0f} % of {} is inside of {} at the start, up to {} deep, expected at most {:.0f} %, beyond "
          "which contact crushes instead of taking apart; give one of them another 'position'{}",
          start_of(scene), 100.0 * one.share, first, second, small_length(one.depth), 100.0 * largest_share,
          otherwise);
}

/// Rest places of the vertices that are held for good, m.
Matrix3X held_places(const SceneBody& stated, const Body& body) {
  const BodyPoints points = points_of(stated, body);
  const std::vector<char> fixed = fixed_points(stated, points, body);
  std::vector<int> held;
  for (std::size_t v = 0; v < fixed.size(); ++v)
    if (fixed[v] != 0) held.push_back(static_cast<int>(v));
  return points.mesh->vertices(Eigen::all, held);
}

/// What holds the body keeps it there. What stands on ground with its feet held is at its surface, or nearly.
void check_held_places(const Scene& scene, const SceneState& state, Index i) {
  const SceneBody& stated = scene.bodies[static_cast<std::size_t>(i)];
  const Matrix3X held = held_places(stated, state.world.body(i));
  if (held.cols() == 0) return;
  for (Index k = 0; k < state.world.obstacle_count(); ++k) {
    const Obstacle& obstacle = state.world.obstacle(k);
    const Pose back = start_pose(obstacle).inverse();
    const bool ground = is_ground(obstacle.shape);
    double depth = 0.0;
    for (const auto& x : held.colwise()) depth = std::max(depth, depth_in(obstacle.shape, back.apply(x)));
    require(depth <= counted_depth * state.world.shell(i).size(),
            "{}{} is held up to {} deep in {}, where nothing can push it out; {}, or give the body another "
            "'position', or hold something else",
            start_of(scene), stated.name, small_length(depth), obstacle.name,
            ground ? "lower the ground" : "move the obstacle");
    if (!ground) continue;
    const StartOverlap all = find_overlap(state.world, i, k);
    require(
        all.share <= largest_share,
        "{}{:.0f} % of {} is below {} at the start, up to {} deep, where what holds it keeps it, expected "
        "at most {:.0f} %; lower the ground, or give the body another 'position', or hold nothing",
        start_of(scene), 100.0 * all.share, stated.name, obstacle.name, small_length(all.depth),
        100.0 * largest_share);
  }
}

}  // namespace

std::string name_of(const Scene& scene, const SceneState& state, const Touching& one) {
  switch (one.of) {
    case Touching::Of::body:
      return scene.bodies[static_cast<std::size_t>(one.number)].name;
    case Touching::Of::rigid:
      return state.world.rigid(one.number).name();
    case Touching::Of::host:
      return state.world.host(one.number).name();
    case Touching::Of::obstacle:
      break;
  }
  return state.world.obstacle(one.number).name;
}

void check_start_places(const Scene& scene, SceneState& state) {
  state.overlaps = find_overlaps(state.world);
  for (const StartOverlap& one : state.overlaps) check_overlap(scene, state, one);
  for (Index i = 0; i < state.world.body_count(); ++i)
    if (state.world.touches(i)) check_held_places(scene, state, i);
}

}  // namespace limber
