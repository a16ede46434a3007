#pragma once

#include "limber/body/loads.hpp"
#include "limber/scene/body_points.hpp"

namespace limber {

/// The loads of a body over time, at the points that they choose. Throws Error, naming the body and the load,
/// for one that chooses none, or only vertices that are fixed, where it would do nothing.  fixed: of each
/// vertex that selections choose from.
TimedLoads timed_loads(const SceneBody& scene_body, const BodyPoints& points, const std::vector<char>& fixed);

/// Its loads on the surface: on triangles whose corners they all choose. Throws Error, naming the body and
/// the load, for one that chooses none, or only such as cannot move.
std::vector<SurfaceLoad> surface_loads(const SceneBody& scene_body, const Body& body);

}  // namespace limber
