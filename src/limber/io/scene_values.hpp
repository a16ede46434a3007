#pragma once

#include "limber/scene/selection.hpp"

#include <Eigen/Geometry>
#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace limber {

// Values that several keys of a scene file hold. The schema has checked them.

/// A list of three numbers.
Vector3 to_vector(const nlohmann::json& value);

/// The unit quaternion under the key rotation of what `where` names: x, y, z, w. Throws Error unless its length is 1 to 1e-6.
Eigen::Quaterniond to_rotation(const nlohmann::json& value, const std::string& where);

/// The keys vertices, box, where and nearest of an object. where: names it in messages.
VertexSelection to_selection(const nlohmann::json& value, const std::string& where);

/// The path under a key, relative to the folder of the scene; empty where the key is not there.
std::filesystem::path resolve(const std::filesystem::path& folder, const nlohmann::json& object,
                              const char* key);

}  // namespace limber
