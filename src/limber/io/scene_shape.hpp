#pragma once

#include "limber/io/scene_plan.hpp"
#include "limber/io/scene_values.hpp"
#include "limber/scene/scene.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace limber {

/// Where a body of a scene file comes from: fills mesh, surface, supports and materials with what that
/// brings, and model or parts, whose own these then are. Returns whether its parts bring all that, so that
/// the body has no say. value: the body, checked by the schema, with all defaults.  stated: the same without
/// them. where: names it in messages.  threads: as the solver says.
bool load_shape(const nlohmann::json& value, const nlohmann::json& stated, SceneFiles& files,
                const std::string& where, const ScenePlan& plan, int threads, SceneBody& body);

}  // namespace limber
