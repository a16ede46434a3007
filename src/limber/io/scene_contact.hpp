#pragma once

#include "limber/io/scene_values.hpp"
#include "limber/scene/scene.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace limber {

/// The key contact of a body of a scene file.  value: the body, checked by the schema, with all defaults.
void read_contact(const nlohmann::json& value, SceneBody& body);

/// What bodies of a scene file meet: its ground, obstacles and rigid bodies.  value: the scene, checked by
/// the schema, with all defaults.  scene: with its gravity.  where: names the scene in messages. Throws
/// Error, at the key, for shapes that lack a length, heights in rows of different lengths, surfaces that are
/// not closed, quaternions that are not of unit length, and keys whose times do not ascend.
void read_surroundings(const nlohmann::json& value, SceneFiles& files, std::string_view where, Scene& scene);

/// Throws Error where two of bodies, rigid bodies, obstacles and the ground have one name.  value, where: as
/// above.
void check_distinct_names(const nlohmann::json& value, const Scene& scene, std::string_view where);

/// Throws Error for bodies that could touch nothing, for ground and obstacles that nothing could touch, and
/// for keys of steps that no body takes.  stated: the scene without the defaults of the schema.
void check_contact(const nlohmann::json& stated, const Scene& scene, std::string_view where);

}  // namespace limber
