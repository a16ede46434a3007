#include "apps/limber/motion_recording.hpp"

#include "limber/draw/regions.hpp"
#include "limber/io/clip_file.hpp"
#include "limber/io/morph_fit.hpp"
#include "limber/scene/reduced_body.hpp"

#include <list>

namespace limber::app {
namespace {

constexpr std::size_t pose_numbers = 7;
constexpr std::size_t frame_numbers = 12;  ///< of a domain

template <class Numbers>
void append(std::string& frame, const Numbers& numbers) {
  frame.append(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::size_t>(numbers.size()) * sizeof(*numbers.data()));
}

/// Vertices of the boundary, ascending: those of boundary_surface(), in its order.
std::vector<int> boundary_vertices(const VolumeMesh& mesh) {
  std::vector<char> used(static_cast<std::size_t>(mesh.vertex_count()), 0);
  const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
  for (const int v : triangles.reshaped()) used[static_cast<std::size_t>(v)] = 1;
  std::vector<int> vertices;
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v] != 0) vertices.push_back(static_cast<int>(v));
  }
  return vertices;
}

/// The surface that a body without a model is drawn by, without targets.
ReducedSurface surface_to_draw(const SceneBody& body) {
  ReducedSurface surface;
  surface.mesh = body.render.triangle_count() > 0 ? body.render : boundary_surface(body.mesh);
  surface.mesh.vertices = surface.mesh.vertices.cast<float>().cast<double>().eval();
  surface.colors = body.render.triangle_count() > 0 ? body.render_colors : std::vector<Vector3>{};
  while (surface.colors.size() < surface.mesh.parts.size())
    surface.colors.push_back(region_color(surface.colors.size()));
  return surface;
}

double size_of(const SurfaceMesh& surface) {
  return (surface.vertices.rowwise().maxCoeff() - surface.vertices.rowwise().minCoeff()).norm();
}

Vector coordinates_now(const BodySimulation& body) {
  const auto* const modal = dynamic_cast<const ModalBody*>(&body);
  return modal != nullptr ? modal->coordinates() : dynamic_cast<const ReducedBody&>(body).q();
}

/// What viewers shall show upward, as in pictures.
Vector3 up_in(const Scene& scene) {
  return scene.gravity.isZero(0.0) ? Vector3::UnitZ() : Vector3(-scene.gravity);
}

}  // namespace

MotionRecording::MotionRecording(const Scene& scene, const SceneState& state,
                                 const std::filesystem::path& file)
    : scene_(scene), state_(state) {
  if (scene.output.animation.empty()) return;
  std::size_t offset = sizeof(double);  // the time
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    Track track;
    track.offset = offset;
    const TreeDynamics* const tree = state.bodies[i]->tree_dynamics();
    if (tree != nullptr && scene.bodies.size() == 1) {  // several bodies in one clip have morph targets each
      track.coordinates = tree->coordinate_count();
      track.domains = tree->tree().domain_count();
    } else if (state.bodies[i]->reduced_model() == nullptr) {
      if (body.render.triangle_count() == 0) track.boundary = boundary_vertices(body.mesh);
      track.surface_vertices = body.render.triangle_count() > 0 ? body.render.vertex_count()
                                                                : static_cast<Index>(track.boundary.size());
    } else {
      const auto* const modal = dynamic_cast<const ModalBody*>(state.bodies[i].get());
      track.coordinates = coordinates_now(*state.bodies[i]).size();
      track.posed = modal != nullptr && modal->on_moving_support();
    }
    offset += static_cast<std::size_t>(track.coordinates) * sizeof(double) +
              (track.posed ? pose_numbers * sizeof(double) : 0) +
              static_cast<std::size_t>(track.domains) * frame_numbers * sizeof(double) +
              static_cast<std::size_t>(track.surface_vertices) * 3 * sizeof(float);
    tracks_.push_back(std::move(track));
  }
  frames_ = std::make_unique<FrameStore>(offset, file);
}

Eigen::Matrix3Xf MotionRecording::surface_of(std::size_t body) const {
  const BodySimulation& simulation = *state_.bodies[body];
  const std::vector<int>& boundary = tracks_[body].boundary;
  if (boundary.empty()) return simulation.surface_displacement().cast<float>();
  return simulation.displacement()(Eigen::all, boundary).cast<float>();
}

void MotionRecording::add() {
  if (!frames_) return;
  frame_.clear();
  append(frame_, Eigen::Matrix<double, 1, 1>(state_.time));
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const Track& track = tracks_[i];
    if (track.surface_vertices > 0) {
      append(frame_, surface_of(i));
      continue;
    }
    if (const TreeDynamics* const tree = state_.bodies[i]->tree_dynamics()) {
      append(frame_, tree->state().q);
      for (Index d = 0; d < track.domains; ++d) {
        append(frame_, tree->frame(d).position);
        append(frame_, tree->frame(d).rotation);
      }
      continue;
    }
    append(frame_, coordinates_now(*state_.bodies[i]));
    if (!track.posed) continue;
    const Pose pose = dynamic_cast<const ModalBody&>(*state_.bodies[i]).pose();
    append(frame_, pose.position);
    append(frame_, pose.rotation.coeffs());
  }
  frames_->add(frame_);
}

Matrix MotionRecording::coordinates_of(const Track& track) const {
  Matrix coordinates(track.coordinates, frames_->count());
  for (Index t = 0; t < coordinates.cols(); ++t)
    frames_->read(t, track.offset, static_cast<std::size_t>(track.coordinates) * sizeof(double),
                  coordinates.col(t).data());
  return coordinates;
}

std::vector<Pose> MotionRecording::poses_of(const Track& track) const {
  std::vector<Pose> poses;
  if (!track.posed) return poses;
  const std::size_t offset = track.offset + static_cast<std::size_t>(track.coordinates) * sizeof(double);
  for (Index t = 0; t < frames_->count(); ++t) {
    Pose pose;
    frames_->read(t, offset, 3 * sizeof(double), pose.position.data());
    frames_->read(t, offset + 3 * sizeof(double), 4 * sizeof(double), pose.rotation.coeffs().data());
    poses.push_back(pose);
  }
  return poses;
}

std::vector<std::vector<DomainFrame>> MotionRecording::domain_frames_of(const Track& track) const {
  std::vector<std::vector<DomainFrame>> all(static_cast<std::size_t>(frames_->count()));
  const std::size_t begin = track.offset + static_cast<std::size_t>(track.coordinates) * sizeof(double);
  for (std::size_t t = 0; t < all.size(); ++t) {
    all[t].resize(static_cast<std::size_t>(track.domains));
    for (std::size_t d = 0; d < all[t].size(); ++d) {
      const std::size_t offset = begin + d * frame_numbers * sizeof(double);
      frames_->read(static_cast<Index>(t), offset, 3 * sizeof(double), all[t][d].position.data());
      frames_->read(static_cast<Index>(t), offset + 3 * sizeof(double), 9 * sizeof(double),
                    all[t][d].rotation.data());
    }
  }
  return all;
}

std::vector<double> MotionRecording::times() const {
  std::vector<double> times(static_cast<std::size_t>(frames_->count()));
  for (std::size_t t = 0; t < times.size(); ++t)
    frames_->read(static_cast<Index>(t), 0, sizeof(double), &times[t]);
  return times;
}

/// Of a tree of domains that is alone.
void MotionRecording::write_tree() const {
  TreeClipMotion motion;
  motion.tree = &state_.bodies.front()->tree_dynamics()->tree();
  motion.coordinates = coordinates_of(tracks_.front());
  motion.frames = domain_frames_of(tracks_.front());
  motion.up = up_in(scene_);
  write_tree_animation(scene_.output.animation, times(), motion);
}

/// What morph targets were fitted to: surfaces that motions point to, and how well.
struct MotionRecording::Fitted {
  std::list<ReducedSurface> surfaces;
  std::vector<AnimationFit> fits;

  void add(BodyMotion& motion, ReducedSurface surface, Index frames, const FrameShape& shape,
           double tolerance) {
    MorphFit fit = fit_morph_targets(frames, shape, tolerance);
    fits.push_back({motion.name, fit.targets.cols(), fit.largest_error, tolerance});
    surface.basis = std::move(fit.targets);
    surfaces.push_back(std::move(surface));
    motion.surface = &surfaces.back();
    motion.coordinates = std::move(fit.coordinates);
  }
};

/// Of a body without a model.
void MotionRecording::fit_surface(std::size_t body, BodyMotion& motion, Fitted& fitted) const {
  const Track& track = tracks_[body];
  const auto shape = [&](Index frame) {
    Eigen::Matrix3Xf u(3, track.surface_vertices);
    frames_->read(frame, track.offset, static_cast<std::size_t>(u.size()) * sizeof(float), u.data());
    return u;
  };
  ReducedSurface surface = surface_to_draw(scene_.bodies[body]);
  const double tolerance = scene_.output.animation_tolerance * size_of(surface.mesh);
  fitted.add(motion, std::move(surface), frames_->count(), shape, tolerance);
}

/// Of a body with a model, which gives the targets unless the body is warped.
void MotionRecording::take_coordinates(std::size_t body, BodyMotion& motion, Fitted& fitted) const {
  motion.surface = &state_.bodies[body]->reduced_model()->surface;
  motion.frame = poses_of(tracks_[body]);
  const Matrix coordinates = coordinates_of(tracks_[body]);
  motion.coordinates = coordinates;
  const auto* const modal = dynamic_cast<const ModalBody*>(state_.bodies[body].get());
  if (modal == nullptr || !modal->warped()) return;
  const auto shape = [&](Index frame) -> Eigen::Matrix3Xf {
    return modal->surface_displacement_in_frame(coordinates.col(frame)).cast<float>();
  };
  fitted.add(motion, {motion.surface->mesh, motion.surface->colors, {}}, frames_->count(), shape,
             scene_.output.animation_tolerance * modal->equations().size);
}

std::vector<AnimationFit> MotionRecording::write() const {
  if (tracks_.front().domains > 0) {
    write_tree();
    return {};
  }
  Fitted fitted;
  std::vector<BodyMotion> bodies;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    BodyMotion motion;
    motion.name = scene_.bodies[i].name;
    motion.up = up_in(scene_);
    if (tracks_[i].surface_vertices > 0) {
      fit_surface(i, motion, fitted);
    } else {
      take_coordinates(i, motion, fitted);
    }
    bodies.push_back(std::move(motion));
  }
  write_animation(scene_.output.animation, times(), bodies);
  return std::move(fitted.fits);
}

}  // namespace limber::app
