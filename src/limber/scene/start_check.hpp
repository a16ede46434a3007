#pragma once

#include "limber/scene/scene.hpp"

#include <string>

namespace limber {

/// Throws Error for what contact would crush and never take apart:
/// - two at the same place, and more than a fifth of one inside of the other, one of which is a body that
///   deforms;
/// - a body that is held below ground or in an obstacle, or of which so much is below ground while something
///   holds it.
/// Keeps the overlaps that are left in the state.
void check_start_places(const Scene& scene, SceneState& state);

/// Of one of those that touch, as messages name it.
std::string name_of(const Scene& scene, const SceneState& state, const Touching& one);

}  // namespace limber
