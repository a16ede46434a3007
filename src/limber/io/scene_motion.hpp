#pragma once

#include "limber/io/joint_animation.hpp"
#include "limber/io/scene_values.hpp"
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
  /// animation: its name; empty for the first of the file.  read_from: gets the files that were read, where
  /// it is given.
  const JointAnimation& find(const std::filesystem::path& file, const std::string& animation,
                             FileList* read_from = nullptr);

 private:
  std::map<std::pair<std::filesystem::path, std::string>, JointAnimation> read_;
};

/// The constraints, the moving support and the skin of a body of a scene file, with the files that they
/// follow. value: the body, checked by the schema.  where: names it in messages.  up: in the scene, a
/// direction.  body: with its mesh. Throws Error, at the key, for motions given twice or not at all,
/// quaternions that are not of unit length to 1e-3, keys whose times do not ascend, constraints that start
/// after the run, a priority among constraints of one kind, and files of weights that do not fit.
void read_motion(const nlohmann::json& value, const SolverSettings& solver, SceneFiles& files,
                 const std::string& where, FollowedAnimations& animations, const Vector3& up,
                 SceneBody& body);

/// The motion by the keys `keys` and `interpolation` of an object; none where it has none. Throws Error as
/// above.
PoseFunction read_keys(const nlohmann::json& value, const std::string& where);

/// Throws Error for what starts (s) when the run is over and so does nothing.  where: names it.
void check_start(double from, const SolverSettings& solver, const std::string& where);

}  // namespace limber
