#pragma once

#include "limber/base/file.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/warp/pose.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// What moves in a glTF file: the joints (or any nodes) of a character that an animation drives.
struct GltfAnimation {
  struct Joint {
    std::string name;  ///< of the node; "node 3" where it has none
    /// in the axes and units of the file's scene, all parents applied, scales but in positions left out.
    PoseFunction motion;
  };
  std::vector<Joint> joints;  ///< all nodes, in the order of the file
  double duration = 0.0;      ///< s, last key of the animation

  /// Throws Error, naming the file and the nearest name, for a joint that is not there or there twice.
  [[nodiscard]] const PoseFunction& motion_of(std::string_view joint) const;

  std::string where;  ///< name of the file, for messages
};

/// The first animation of a glTF file (.glb or .gltf), or the one of that name: translation, rotation and
/// scale of its nodes with the interpolations STEP, LINEAR and CUBICSPLINE. Morph weights are passed over.
/// Throws Error for a file without animations, for one that is damaged, and for times that do not ascend;
/// nodes that are their own parents are refused.
/// read_from: gets the files that were read, where it is given.
GltfAnimation read_gltf_animation(const std::filesystem::path& path, std::string_view animation = {},
                                  FileList* read_from = nullptr);
GltfAnimation parse_gltf_animation(std::string_view content, std::string_view where,
                                   std::string_view animation = {}, const FileLoader& load = {});

}  // namespace limber
