#pragma once

#include "limber/io/gltf_container.hpp"
#include "limber/io/joint_animation.hpp"

#include <string_view>

namespace limber {

/// The first animation of a glTF file (.glb or .gltf), or the one of that name: translation, rotation and
/// scale of its nodes with the interpolations STEP, LINEAR and CUBICSPLINE. Morph weights are passed over.
/// Throws Error for a file without animations, for one that is damaged, and for times that do not ascend;
/// nodes that are their own parents are refused.
JointAnimation parse_gltf_animation(std::string_view content, std::string_view where,
                                    std::string_view animation = {}, const FileLoader& load = {});

}  // namespace limber
