#pragma once

#include "limber/base/file.hpp"
#include "limber/warp/pose.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// What moves in a file: the joints of a character that an animation drives.
struct JointAnimation {
  struct Joint {
    std::string name;  ///< as the file has it; "node 3" in glTF files where it has none
    /// in the axes and units of the file, all parents applied, scales but in positions left out.
    PoseFunction motion;
  };
  std::vector<Joint> joints;  ///< in glTF files all nodes; in the order of the file
  double duration = 0.0;      ///< s, last key of the animation

  /// Throws Error, naming the file and the nearest name, for a joint that is not there or there twice.
  [[nodiscard]] const PoseFunction& motion_of(std::string_view joint) const;
  /// The motion of a point between joints: their mean, which turns by the mean of their rotations.  weights:
  /// of the joints, at least 0; none: all alike. Throws Error as above, for no joints, and for weights that
  /// are not as many or do not add up to 1 within 1e-6.
  [[nodiscard]] PoseFunction motion_between(std::span<const std::string> joints,
                                            std::vector<double> weights) const;

  std::string where;  ///< name of the file, for messages
};

/// What to choose instead of a name that is not there; names as a message can show them.
std::string advice_for_name(std::string_view word, std::vector<std::string> names);

/// The animation in a file: glTF (.glb or .gltf, see gltf_animation.hpp), or a motion capture (.bvh, see
/// bvh_file.hpp).  animation: its name; empty for the first one.  read_from: gets the files that were read,
/// where it is given.
JointAnimation read_joint_animation(const std::filesystem::path& path, std::string_view animation = {},
                                    FileList* read_from = nullptr);

}  // namespace limber
