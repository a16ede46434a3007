#pragma once

#include "limber/reduced/reduced_model.hpp"
#include "limber/warp/pose.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace limber {

// A reduced model is a valid binary glTF 2.0 file: the surface is an ordinary mesh whose morph target i is
// column i of the basis, so that it opens, and can be moved, in any viewer. The physics is in the extension
// LIMBER_reduced_model, in doubles (docs/model_file.md).

inline constexpr std::string_view model_extension = "LIMBER_reduced_model";
inline constexpr int model_version = 3;  ///< of the extension, as it is written; 1 and 2 are read too

/// The model in a .glb file, checked in full. Where it has no warp data they are made from its simulation
/// mesh, if it has one. Throws Error, naming the file and what is wrong, for anything else.
ReducedModel read_model(const std::filesystem::path& path);
ReducedModel parse_model(std::string_view content, std::string_view where);

/// Whether the content is a glTF file with a reduced model; false for a damaged one.
bool looks_like_model(std::string_view content);

/// Reads back to the same bits. Throws Error for what check_model refuses, names that are not UTF-8 and more
/// than 4 GB. The file is read back before it takes the place of an older one.
void write_model(const std::filesystem::path& path, const ReducedModel& model);
std::string encode_model(const ReducedModel& model, std::string_view where);

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

}  // namespace limber
