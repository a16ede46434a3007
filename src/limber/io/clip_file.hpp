#pragma once

#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/warp/pose.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// Motions as glTF files that any viewer plays.

/// The motion of one body: x + basis * coordinates, all of it moved by a rigid frame.
struct BodyMotion {
  const ReducedSurface* surface = nullptr;  ///< a model's, or one with the targets of fit_morph_targets()
  std::string name;
  Matrix coordinates;             ///< r' x frames, r' <= columns of the basis
  std::vector<Pose> frame;        ///< of the body, one per frame; none: it stays where it is
  Vector3 up = Vector3::UnitY();  ///< which viewers shall show upward; for them that is y
};

/// A clip for stock viewers: the surfaces with an ordinary animation of morph weights, without the physics.
/// Each coordinate that ever leaves 0 is encoded over its range in the clip, 0 included, because some
/// programs clamp weights to [0, 1]: base positions x + sum_i min_i U_i, targets (max_i - min_i) U_i, weights
/// (q_i - min_i) / (max_i - min_i), default weights at the rest shape. Normals are fitted to the motion
/// (model_normals.hpp). A moving frame is an animation of the node. times: frames, s, ascending; the clip
/// starts with the first. Throws Error for times that floats cannot tell apart.
void write_animation(const std::filesystem::path& path, std::span<const double> times,
                     std::span<const BodyMotion> bodies);
std::string encode_animation(std::span<const double> times, std::span<const BodyMotion> bodies,
                             std::string_view where);

/// The motion of a tree: a frame for each domain, and all coordinates.
struct TreeClipMotion {
  const Model* tree = nullptr;
  std::vector<std::vector<PoseMatrix>> frames;  ///< of each step, one per domain
  Matrix coordinates;                           ///< all of them x steps
  Vector3 up = Vector3::UnitY();                ///< which viewers shall show upward
};

/// A clip for stock viewers: a node per domain with an animated translation and rotation, and morph weights,
/// without the physics. Nodes of one part share a mesh: each coordinate is encoded over its range in all of
/// them, as write_animation() does for one body, and normals are fitted to 200 of all shapes at most. What
/// stays where it is has no channel. Copies of a vertex are not averaged: a morph target cannot see another
/// domain. times: frames, s, ascending; the clip starts with the first. Throws Error for times that floats
/// cannot tell apart and for motions that do not fit the tree.
void write_tree_animation(const std::filesystem::path& path, std::span<const double> times,
                          const TreeClipMotion& motion);
std::string encode_tree_animation(std::span<const double> times, const TreeClipMotion& motion,
                                  std::string_view where);

}  // namespace limber
