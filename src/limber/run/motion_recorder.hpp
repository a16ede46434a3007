#pragma once

#include "limber/body/world.hpp"
#include "limber/io/clip_file.hpp"
#include "limber/run/frame_store.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace limber {

/// How morph targets follow a body in an animation whose motion is no linear blend of the shapes of a model.
struct AnimationFit {
  std::string body;
  Index targets = 0;
  double largest_error = 0.0;  ///< of a vertex in a frame, before rounding to floats in the file, m
  double tolerance = 0.0;      ///< m
};

struct MotionRecorderOptions {
  std::vector<std::string> names;  ///< of the bodies in the file; none: their own
  /// Which viewers shall show upward; none: against the gravity of the first body, as that
  /// stands where it has none.
  std::optional<Vector3> up;
  double tolerance = 1e-4;  ///< of motions that are fitted: largest error of a vertex, as a share of the body
  std::filesystem::path frames;  ///< where frames go when they fill the memory or are saved; empty: nowhere
};

/// The motion of all bodies of a world, rigid ones and obstacles included, for an animated .glb that any
/// glTF viewer plays:
///
///   MotionRecorder recorder(world);
///   recorder.add(0.0);
///   for (int i = 1; i <= 100; ++i) {
///     if (!world.step(h).ok()) break;
///     recorder.add(i * h);
///   }
///   recorder.write("motion.glb");
///
/// It keeps the coordinates of bodies that move in a subspace, with the poses of the frames of their domains,
/// each of which is a node of the file, and the displacements of the surfaces of all others, as floats, to
/// which morph targets are fitted when the file is written.
class MotionRecorder {
 public:
  /// Keeps a reference to the world. Throws Error for a world without bodies and another number of names.
  explicit MotionRecorder(const World& world, MotionRecorderOptions options = {});

  /// The present state as a further frame, at a time (s) later than that of the last one. Throws Error where
  /// bodies or obstacles were added to the world, or one has another method, since the recording began.
  void add(double time);

  [[nodiscard]] FrameStore& frames() { return *frames_; }  ///< so far

  /// Writes the animation. Returns one entry per body whose motion had to be fitted. Throws Error where there
  /// are no frames and where the file cannot be written.
  std::vector<AnimationFit> write(const std::filesystem::path& path) const;

 private:
  enum class TrackKind {
    domains,  ///< coordinates of all domains, then the pose of the frame of each
    warped,   ///< the same, of one domain with warped modes, which are fitted
    solid,    ///< a pose
    surface,  ///< the pose of the frame of the whole, then the displacements of the surface in it, as floats
  };
  /// Where the numbers of a body are in a frame, behind the time, and how many.
  struct Track {
    TrackKind kind = TrackKind::surface;
    Method method = Method::full;
    std::size_t offset = 0;
    Index coordinates = 0;  ///< doubles: of all domains
    Index poses = 0;        ///< seven doubles each
    Index vertices = 0;     ///< three floats each
  };
  struct Fitted;

  [[nodiscard]] static Track make_track(const Body& body);
  [[nodiscard]] static std::size_t byte_count(const Track& track);
  void append_track(const Body& body, const Track& track);
  [[nodiscard]] const Body& body(std::size_t i) const { return world_.body(static_cast<Index>(i)); }
  [[nodiscard]] std::string name(std::size_t i) const;
  [[nodiscard]] Vector3 up() const;
  [[nodiscard]] std::vector<double> times() const;
  [[nodiscard]] Matrix coordinates_of(const Track& track) const;
  [[nodiscard]] Pose pose_of(const Track& track, Index frame, Index number) const;
  [[nodiscard]] std::vector<Pose> poses_of(const Track& track, Index number) const;
  void add_domains(std::size_t i, std::vector<ClipNode>& nodes) const;
  [[nodiscard]] ClipNode fitted_node(std::size_t i, Fitted& fitted) const;
  void add_solids(std::vector<ClipNode>& nodes, Fitted& fitted) const;

  const World& world_;
  MotionRecorderOptions options_;
  std::vector<Track> tracks_;  ///< of each body
  std::vector<Track> solids_;  ///< of each rigid body, then of each obstacle: a pose
  std::unique_ptr<FrameStore> frames_;
  std::string frame_;  ///< memory of add()
};

}  // namespace limber
