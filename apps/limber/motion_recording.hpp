#pragma once

#include "apps/limber/frame_store.hpp"
#include "limber/io/clip_file.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/scene/modal_body.hpp"
#include "limber/scene/scene.hpp"

#include <memory>
#include <string>
#include <vector>

namespace limber::app {

/// How morph targets follow a body in an animation whose motion is no linear blend of the shapes of a model.
struct AnimationFit {
  std::string body;
  Index targets = 0;
  double largest_error = 0.0;  ///< of a vertex in a frame, before rounding to floats in the file, m
  double tolerance = 0.0;      ///< m
};

/// The motion of all bodies of a scene, for an animated .glb: the coordinates of those that move in a
/// subspace, with the poses of moving supports, the coordinates and frames of a tree of domains that is
/// alone, and the displacements of the surface of all others, as floats. Morph targets are fitted when it is
/// written. Records nothing for a scene that asks for no animation.
class MotionRecording {
 public:
  /// Keeps references to both. file: where frames go when they fill the memory or are saved; empty: nowhere.
  MotionRecording(const Scene& scene, const SceneState& state, const std::filesystem::path& file);

  /// The present state as a further frame.
  void add();

  /// The frames so far; null for a scene without an animation.
  [[nodiscard]] FrameStore* frames() const { return frames_.get(); }

  /// Writes the animation that the scene asks for. Returns one entry per body whose motion had to be fitted.
  [[nodiscard]] std::vector<AnimationFit> write() const;

 private:
  /// Where the numbers of a body are in a frame, behind the time, and how many: doubles, or floats of a
  /// surface.
  struct Track {
    std::size_t offset = 0;
    Index coordinates = 0;       ///< of its model, or of all domains
    Index domains = 0;           ///< then follow position and rotation, by columns, of the frame of each
    bool posed = false;          ///< then follow position and quaternion (x, y, z, w) of its frame
    Index surface_vertices = 0;  ///< of a body without a model
    std::vector<int> boundary;   ///< of the mesh, where that is the surface
  };

  struct Fitted;

  [[nodiscard]] Eigen::Matrix3Xf surface_of(std::size_t body) const;
  void fit_surface(std::size_t body, BodyMotion& motion, Fitted& fitted) const;
  void take_coordinates(std::size_t body, BodyMotion& motion, Fitted& fitted) const;
  [[nodiscard]] Matrix coordinates_of(const Track& track) const;
  [[nodiscard]] std::vector<Pose> poses_of(const Track& track) const;
  [[nodiscard]] std::vector<std::vector<DomainFrame>> domain_frames_of(const Track& track) const;
  [[nodiscard]] std::vector<double> times() const;
  void write_tree() const;

  const Scene& scene_;
  const SceneState& state_;
  std::vector<Track> tracks_;  ///< of each body
  std::unique_ptr<FrameStore> frames_;
  std::string frame_;  ///< memory of add()
};

}  // namespace limber::app
