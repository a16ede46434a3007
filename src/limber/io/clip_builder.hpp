#pragma once

#include "limber/io/model_mesh.hpp"
#include "limber/warp/pose.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// What clips are made of (clip_file.hpp).

/// The coordinates that leave 0 in a clip, and how weights in [0, 1] stand for them.
struct ClipEncoding {
  std::vector<Index> coordinates;
  Vector least, range;  ///< q = least + range * weight

  /// least, most: of all coordinates in the clip.
  ClipEncoding(const Vector& least, const Vector& most);
  /// coordinates: all of them x frames. Returns those of the encoding x frames.
  [[nodiscard]] Matrix weights(const Eigen::Ref<const Matrix>& coordinates) const;
};

/// Coordinates beyond this, or places, would make weights or targets that are no floats.
inline constexpr double largest_clip_number = 1e30;

/// Throws Error, naming the body, unless the surface can be drawn, with colours and a finite basis.
void check_clip_surface(const ReducedSurface& surface, std::string_view name, std::string_view where);
/// Throws Error unless `up` is a direction.
void check_clip_up(const Vector3& up, std::string_view name, std::string_view where);

/// Throws Error unless what a clip was encoded to can be read: its surfaces, its animation, and every number
/// in it, all finite.
void check_clip(std::string_view content, std::string_view where);

class ClipBuilder {
 public:
  /// times: of the frames, s; the clip starts with the first. Throws Error unless floats can tell them apart.
  ClipBuilder(std::span<const double> times, std::string_view where);

  [[nodiscard]] Index frame_count() const { return times_.cols(); }

  /// Adds a surface with a target per coordinate of the encoding and, where there are any, one more for
  /// normals, which are fitted to samples of the motion (encoded coordinates x samples). Returns the number
  /// of the mesh.
  int add_mesh(const ReducedSurface& surface, const ClipEncoding& encoding, const Matrix& samples,
               const std::string& name);
  /// Adds a node of its own to show a mesh that others show as well. three.js takes animations of weights for
  /// those of all nodes of a mesh with several primitives, so that these get a mesh of their own, with the
  /// same data. Returns the number of the node.
  int add_node(int mesh, const std::string& name);

  /// Moves a node along a path, one pose per frame or a single one where it stays, and turns `up` towards y
  /// after that. It starts at the first pose, which programs without animations show.
  void move(int node, std::span<const Pose> path, const Vector3& up, double scale = 1.0);
  /// Moves its shape. weights: as of ClipEncoding; none for a mesh without targets.
  void deform(int node, const Matrix& weights);

  [[nodiscard]] std::string encode();

 private:
  void add_channel(int node, std::string_view path, const Eigen::Ref<const Eigen::MatrixXf>& values);

  std::string_view where_;
  Eigen::RowVectorXf times_;
  GlbBuilder builder_;
  nlohmann::json animation_;  ///< null until something moves
  int input_ = -1;            ///< accessor of the times, which all channels share
  std::vector<bool> shown_;   ///< whether a node shows the mesh already
};

}  // namespace limber
