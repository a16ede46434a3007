#include "apps/limber/motion_recording.hpp"

#include "limber/io/model_file.hpp"
#include "limber/io/morph_fit.hpp"
#include "limber/scene/reduced_body.hpp"

#include <list>

namespace limber::app {
namespace {

Matrix joined(const std::vector<Vector>& columns) {
  Matrix matrix(columns.front().size(), static_cast<Index>(columns.size()));
  for (std::size_t t = 0; t < columns.size(); ++t) matrix.col(static_cast<Index>(t)) = columns[t];
  return matrix;
}

}  // namespace

void MotionRecording::add(const SceneState& state) {
  if (scene_.output.animation.empty()) return;
  times_.push_back(state.time);
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const auto* const modal = dynamic_cast<const ModalBody*>(state.bodies[i].get());
    if (modal == nullptr) {
      tracks_[i].coordinates.push_back(dynamic_cast<const ReducedBody&>(*state.bodies[i]).q());
      continue;
    }
    tracks_[i].coordinates.push_back(modal->coordinates());
    if (modal->on_moving_support()) tracks_[i].frame.push_back(modal->pose());
  }
}

std::vector<AnimationFit> MotionRecording::write(const SceneState& state) const {
  std::vector<AnimationFit> fits;
  std::vector<BodyMotion> bodies;
  std::list<ReducedSurface> fitted;  // which the motions point to
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const Track& track = tracks_[i];
    BodyMotion motion;
    motion.surface = &state.bodies[i]->reduced_model()->surface;
    motion.name = scene_.bodies[i].name;
    motion.frame = track.frame;
    motion.up = scene_.gravity.isZero(0.0) ? Vector3::UnitZ() : Vector3(-scene_.gravity);  // as in pictures
    motion.coordinates = joined(track.coordinates);
    const auto* const modal = dynamic_cast<const ModalBody*>(state.bodies[i].get());
    if (modal != nullptr && modal->warped()) {
      const double tolerance = scene_.output.animation_tolerance * modal->equations().size;
      const auto shape = [&](Index frame) -> Eigen::Matrix3Xf {
        return modal->surface_displacement_in_frame(motion.coordinates.col(frame)).cast<float>();
      };
      MorphFit fit = fit_morph_targets(motion.coordinates.cols(), shape, tolerance);
      fits.push_back({motion.name, fit.targets.cols(), fit.largest_error, tolerance});
      fitted.push_back({motion.surface->mesh, motion.surface->colors, std::move(fit.targets)});
      motion.surface = &fitted.back();
      motion.coordinates = std::move(fit.coordinates);
    }
    bodies.push_back(std::move(motion));
  }
  write_animation(scene_.output.animation, times_, bodies);
  return fits;
}

}  // namespace limber::app
