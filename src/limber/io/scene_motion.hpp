#pragma once

#include "limber/io/gltf_animation.hpp"
#include "limber/scene/scene.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace limber {

/// The animations that a scene follows: each is read once, however many joints of it are followed.
class FollowedAnimations {
 public:
  /// animation: its name; empty for the first of the file.
  const GltfAnimation& find(const std::filesystem::path& file, const std::string& animation);

 private:
  std::map<std::pair<std::filesystem::path, std::string>, GltfAnimation> read_;
};

/// The constraints and the moving support of a body of a scene file, with the files that they follow.
/// value: the body, checked by the schema.  where: names it in messages. Throws Error, at the key, for orders and solvers that have
/// neither, motions given twice or not at all, quaternions that are not of unit length to 1e-6, and keys whose times do not ascend.
void read_motion(const nlohmann::json& value, const std::filesystem::path& folder, const std::string& where,
                 const SolverSettings& solver, FollowedAnimations& animations, Body& body);

/// The files that its motions are read from.
std::vector<std::filesystem::path> motion_files(const nlohmann::json& value,
                                                const std::filesystem::path& folder);

}  // namespace limber
