#pragma once

#include "limber/scene/modal_body.hpp"
#include "limber/scene/scene.hpp"

#include <span>
#include <string>
#include <vector>

namespace limber::app {

/// How morph targets follow a warped body in an animation.
struct AnimationFit {
  std::string body;
  Index targets = 0;
  double largest_error = 0.0;  ///< of a vertex in a frame, before rounding to floats in the file, m
  double tolerance = 0.0;      ///< m
};

/// The motion of all bodies of a scene, for an animated .glb: their coordinates, and the poses of moving supports. The shapes of
/// warped bodies are made when it is written. Records nothing for a scene that asks for no animation.
class MotionRecording {
 public:
  explicit MotionRecording(const Scene& scene) : scene_(scene), tracks_(scene.bodies.size()) {}

  /// The present state as a further frame.
  void add(const SceneState& state);

  /// Writes the animation that the scene asks for. Returns one entry per warped body.
  [[nodiscard]] std::vector<AnimationFit> write(const SceneState& state) const;

 private:
  struct Track {
    std::vector<Vector> coordinates;  ///< of the model
    std::vector<Pose> frame;          ///< of a body on a moving support
  };

  const Scene& scene_;
  std::vector<double> times_;
  std::vector<Track> tracks_;  ///< of each body
};

}  // namespace limber::app
