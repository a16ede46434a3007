#pragma once

#include "limber/io/gltf_container.hpp"
#include "limber/reduced/reduced_model.hpp"
#include "limber/warp/pose.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// Motions as glTF files that any viewer plays.

/// A body in a clip, or a domain of one: frame * scale * (x + basis * coordinates).
struct ClipNode {
  const ReducedSurface* surface = nullptr;  ///< a part's, or one with the targets of fit_morph_targets()
  std::string name;
  Matrix coordinates;             ///< r' x frames, r' <= columns of the basis
  std::vector<Pose> frame;        ///< one per frame of the clip; none: it stays where it is
  Vector3 up = Vector3::UnitY();  ///< which viewers shall show upward; for them that is y
  double scale = 1.0;
  std::string shape;  ///< name of the surface, which nodes may share; none: that of the first node with it
};

/// A clip for stock viewers: the surfaces with an ordinary animation of morph weights, without the physics.
/// Nodes with the same surface, or with equal ones, share a mesh. Each coordinate that ever leaves 0 is
/// encoded over its range in all of them, 0 included, because some programs clamp weights to [0, 1]: base
/// positions x + sum_i min_i U_i, targets (max_i - min_i) U_i, weights (q_i - min_i) / (max_i - min_i),
/// default weights at the rest shape. Normals are fitted to the motion (model_normals.hpp), to 200 of all
/// shapes at most. A moving frame is an animation of the node; what stays where it is has no channel. Copies
/// of a vertex in several domains are not averaged: a morph target cannot see another node.
/// times: frames, s, ascending; the clip starts with the first. Throws Error for times that floats cannot
/// tell apart.
void write_animation(const std::filesystem::path& path, std::span<const double> times,
                     std::span<const ClipNode> nodes);
std::string encode_animation(std::span<const double> times, std::span<const ClipNode> nodes,
                             std::string_view where);

/// What is in a clip.
struct ClipContents {
  /// A body, or a domain of one.
  struct Shown {
    std::string name;
    Index vertices = 0, triangles = 0;
  };
  std::vector<Shown> nodes;     ///< what is drawn, the ground among it
  Index frames = 0;             ///< most of a channel; what stays as it is has none
  double from = 0.0, to = 0.0;  ///< s, of these frames
};

/// Throws Error for what is no clip, and for damaged files.  where: names it in messages.  load: finds the
/// files that it names, none if empty.
ClipContents describe_clip(std::string_view content, std::string_view where, const FileLoader& load = {});

/// Whether the content is a glTF file with an animation, of whatever program; false for a damaged one.
/// load: finds the files that it names, none if empty.
bool looks_like_clip(std::string_view content, const FileLoader& load = {});

/// Throws Error for a clip, of whatever program, that cannot be played: damaged, without triangles, with data
/// in other files, compressed, or with channels whose times do not ascend or whose values do not fit.
void check_playable(std::string_view content, std::string_view where);

}  // namespace limber
