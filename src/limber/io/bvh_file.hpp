#pragma once

#include "limber/io/joint_animation.hpp"

#include <string_view>

namespace limber {

// Motion captures in the format of Biovision (.bvh): a tree of joints with offsets from their parents, and
// for each frame the values of their channels: rotations in degrees, applied in the order in which they are
// named, the last one first, and positions, which take the place of the offset. Most files are in
// centimetres, y up. Between frames positions go on straight lines and rotations the shortest way.

/// Whether the content starts as such files do.
bool looks_like_bvh(std::string_view content);

/// The motion of all joints; the end of a chain is a joint called "NAME end" after the last one before it.
/// Throws Error, naming the file and the line, for what is not such a file, channels that are none or named
/// twice, no frames, and numbers that are missing or too many.
JointAnimation parse_bvh(std::string_view content, std::string_view where);

}  // namespace limber
