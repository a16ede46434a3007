#pragma once

#include "limber/body/loads.hpp"
#include "limber/scene/body_points.hpp"

namespace limber {

/// The loads of a body over time, at the points that they choose. Throws Error, naming the body and the load,
/// for one that chooses none.
TimedLoads timed_loads(const SceneBody& scene_body, const BodyPoints& points);

}  // namespace limber
