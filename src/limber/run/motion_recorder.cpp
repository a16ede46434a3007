#include "limber/run/motion_recorder.hpp"

#include "limber/base/error.hpp"
#include "limber/draw/regions.hpp"
#include "limber/io/morph_fit.hpp"
#include "limber/run/solids.hpp"
#include "limber/warp/nodal_rotations.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <utility>

namespace limber {
namespace {

constexpr std::size_t pose_numbers = 7;  ///< position and quaternion (x, y, z, w)

template <class Numbers>
void append_numbers(std::string& frame, const Numbers& numbers) {
  frame.append(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::size_t>(numbers.size()) * sizeof(*numbers.data()));
}

void append_pose(std::string& frame, const Pose& pose) {
  append_numbers(frame, pose.position);
  append_numbers(frame, pose.rotation.coeffs());
}

/// Zeros stand for coordinates that are not in use.
void append_coordinates(std::string& frame, const Body& body) {
  const Model& model = body.model();
  Vector all = Vector::Zero(model.coordinate_count());
  Index read = 0, written = 0;
  for (Index d = 0; d < model.domain_count(); ++d) {
    const Index part = model.domains[static_cast<std::size_t>(d)].part;
    const Index used = model.domain_count() == 1 ? body.q().size() : body.rank(part);
    all.segment(written, used) = body.q().segment(read, used);
    read += used;
    written += model.rank(d);
  }
  append_numbers(frame, all);
}

/// Displacements of the surface, seen from a pose that carries it.
Eigen::Matrix3Xf displacement_in(const Pose& pose, const Body& body) {
  const Matrix3X u = body.surface_displacement();
  if (same_pose(pose, Pose())) return u.cast<float>();
  const Matrix3X& rest = body.surface().mesh().vertices;
  const Pose back = pose.inverse();
  const Matrix3X there = (back.rotation.toRotationMatrix() * (rest + u)).colwise() + back.position;
  return (there - rest).cast<float>();
}

/// A surface with a colour for each of its parts, without targets.
ReducedSurface surface_to_draw(const BodySurface& surface) {
  ReducedSurface drawn;
  drawn.mesh = surface.mesh();
  drawn.mesh.vertices = drawn.mesh.vertices.cast<float>().cast<double>().eval();
  drawn.colors = surface.colors();
  while (drawn.colors.size() < drawn.mesh.parts.size())
    drawn.colors.push_back(region_color(drawn.colors.size()));
  return drawn;
}

double size_of(const SurfaceMesh& surface) {
  return (surface.vertices.rowwise().maxCoeff() - surface.vertices.rowwise().minCoeff()).norm();
}

}  // namespace

MotionRecorder::Track MotionRecorder::make_track(const Body& body) {
  Track track;
  track.method = body.method();
  if (body.has_model()) {
    track.kind = body.method() == Method::warped ? TrackKind::warped : TrackKind::domains;
    track.coordinates = body.model().coordinate_count();
    track.poses = body.model().domain_count();
  } else {
    track.vertices = body.surface().mesh().vertex_count();
    track.poses = 1;
  }
  return track;
}

std::size_t MotionRecorder::byte_count(const Track& track) {
  return (static_cast<std::size_t>(track.coordinates) +
          static_cast<std::size_t>(track.poses) * pose_numbers) *
             sizeof(double) +
         static_cast<std::size_t>(track.vertices) * 3 * sizeof(float);
}

MotionRecorder::MotionRecorder(const World& world, MotionRecorderOptions options)
    : world_(world), options_(std::move(options)) {
  const auto count = static_cast<std::size_t>(world.body_count());
  require(count > 0, "a recording needs at least one body; add some to the world first");
  require(options_.names.empty() || options_.names.size() == count,
          "{} names for the recording of {} bodies, expected none or one each", options_.names.size(), count);
  std::size_t offset = sizeof(double);  // the time
  for (std::size_t i = 0; i < count; ++i) {
    tracks_.push_back(make_track(body(i)));
    tracks_.back().offset = offset;
    offset += byte_count(tracks_.back());
  }
  for (Index i = 0; i < world.rigid_count() + world.obstacle_count(); ++i) {
    solids_.push_back({.kind = TrackKind::solid, .offset = offset, .poses = 1});
    offset += byte_count(solids_.back());
  }
  frames_ = std::make_unique<FrameStore>(offset, options_.frames);
}

std::string MotionRecorder::name(std::size_t i) const {
  return options_.names.empty() ? body(i).name() : options_.names[i];
}

void MotionRecorder::append_track(const Body& body, const Track& track) {
  if (track.kind == TrackKind::surface) {
    const Pose pose = body.frame();
    append_pose(frame_, pose);
    append_numbers(frame_, displacement_in(pose, body));
    return;
  }
  append_coordinates(frame_, body);
  for (Index domain = 0; domain < track.poses; ++domain) append_pose(frame_, body.frame(domain));
}

void MotionRecorder::add(double time) {
  require(world_.body_count() == static_cast<Index>(tracks_.size()),
          "the world has {} bodies, the recording was begun with {}; begin another", world_.body_count(),
          tracks_.size());
  const std::vector<Pose> solids = solid_poses(world_);
  require(solids.size() == solids_.size(),
          "the world has {} rigid bodies and obstacles, the recording was begun with {}; begin another",
          solids.size(), solids_.size());
  frame_.clear();
  append_numbers(frame_, Eigen::Matrix<double, 1, 1>(time));
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    require(body(i).method() == tracks_[i].method,
            "{}: its method was '{}' when the recording began and is '{}' now; begin another", name(i),
            name_of(tracks_[i].method), name_of(body(i).method()));
    append_track(body(i), tracks_[i]);
  }
  for (const Pose& pose : solids) append_pose(frame_, pose);
  frames_->add(frame_);
}

std::vector<double> MotionRecorder::times() const {
  std::vector<double> times(static_cast<std::size_t>(frames_->count()));
  for (std::size_t t = 0; t < times.size(); ++t)
    frames_->read(static_cast<Index>(t), 0, sizeof(double), &times[t]);
  return times;
}

Matrix MotionRecorder::coordinates_of(const Track& track) const {
  Matrix coordinates(track.coordinates, frames_->count());
  for (Index t = 0; t < coordinates.cols(); ++t)
    frames_->read(t, track.offset, static_cast<std::size_t>(track.coordinates) * sizeof(double),
                  coordinates.col(t).data());
  return coordinates;
}

Pose MotionRecorder::pose_of(const Track& track, Index frame, Index number) const {
  const std::size_t before =
      static_cast<std::size_t>(track.coordinates) + static_cast<std::size_t>(number) * pose_numbers;
  const std::size_t offset = track.offset + before * sizeof(double);
  Pose pose;
  frames_->read(frame, offset, 3 * sizeof(double), pose.position.data());
  frames_->read(frame, offset + 3 * sizeof(double), 4 * sizeof(double), pose.rotation.coeffs().data());
  return pose;
}

std::vector<Pose> MotionRecorder::poses_of(const Track& track, Index number) const {
  std::vector<Pose> poses;
  for (Index t = 0; t < frames_->count(); ++t) poses.push_back(pose_of(track, t, number));
  return poses;
}

Vector3 MotionRecorder::up() const {
  if (options_.up) return *options_.up;
  const Vector3& gravity = body(0).loads().gravity;
  if (!gravity.isZero(0.0)) return -gravity;
  return body(0).has_model() ? direction_of(body(0).model().up) : Vector3::UnitZ();
}

/// What morph targets were fitted to: surfaces that nodes point to, and how well.
struct MotionRecorder::Fitted {
  std::list<ReducedSurface> surfaces;
  std::vector<AnimationFit> fits;

  /// tolerance: as a share of the size of the surface.
  void add(ClipNode& node, ReducedSurface surface, Index frames, const FrameShape& shape, double tolerance) {
    const double length = tolerance * size_of(surface.mesh);
    MorphFit fit = fit_morph_targets(frames, shape, length);
    fits.push_back({node.name, fit.targets.cols(), fit.largest_error, length});
    surface.basis = std::move(fit.targets);
    surfaces.push_back(std::move(surface));
    node.surface = &surfaces.back();
    node.coordinates = std::move(fit.coordinates);
  }
};

void MotionRecorder::add_domains(std::size_t i, std::vector<ClipNode>& nodes) const {
  const Track& track = tracks_[i];
  const Model& model = body(i).model();
  const Matrix coordinates = coordinates_of(track);
  Index first = 0;
  for (Index d = 0; d < model.domain_count(); ++d) {
    const Domain& domain = model.domains[static_cast<std::size_t>(d)];
    const ReducedModel& part = model.part(d).model;
    ClipNode& node = nodes.emplace_back();
    node.surface = &part.surface;
    node.name = model.domain_count() == 1 ? name(i)
                : tracks_.size() == 1     ? domain.name
                                          : fmt::format("{} {}", name(i), domain.name);
    node.coordinates = coordinates.middleRows(first, part.rank);
    node.frame = poses_of(track, d);
    node.up = up();
    node.scale = domain.scale;
    if (model.domain_count() > 1) node.shape = part.name;
    first += part.rank;
  }
}

ClipNode MotionRecorder::fitted_node(std::size_t i, Fitted& fitted) const {
  const Track& track = tracks_[i];
  ClipNode node;
  node.name = name(i);
  node.up = up();
  node.frame = poses_of(track, 0);
  if (track.kind == TrackKind::surface) {
    const std::size_t offset = track.offset + pose_numbers * sizeof(double);
    const auto shape = [&](Index frame) {
      Eigen::Matrix3Xf u(3, track.vertices);
      frames_->read(frame, offset, static_cast<std::size_t>(u.size()) * sizeof(float), u.data());
      return u;
    };
    fitted.add(node, surface_to_draw(body(i).surface()), frames_->count(), shape, options_.tolerance);
    return node;
  }
  const ReducedModel& model = body(i).model().part(0).model;
  const Matrix coordinates = coordinates_of(track);
  const auto shape = [&](Index frame) -> Eigen::Matrix3Xf {
    return warped_field(model.surface.basis, model.warp->surface_rotations, coordinates.col(frame))
        .cast<float>();
  };
  fitted.add(node, {model.surface.mesh, model.surface.colors, {}}, frames_->count(), shape,
             options_.tolerance);
  return node;
}

/// Rigid bodies and obstacles, behind the nodes of all bodies.
void MotionRecorder::add_solids(std::vector<ClipNode>& nodes, Fitted& fitted) const {
  if (solids_.empty()) return;
  BoundingBox seen{Vector3::Constant(std::numeric_limits<double>::infinity()),
                   Vector3::Constant(-std::numeric_limits<double>::infinity())};
  for (const ClipNode& node : nodes) {
    const Vector3 center = node.scale * node.surface->mesh.vertices.rowwise().mean();
    const Vector3 around = Vector3::Constant(0.5 * node.scale * size_of(node.surface->mesh));
    for (const Pose& pose : node.frame) {
      seen.min = seen.min.cwiseMin(pose.apply(center) - around);
      seen.max = seen.max.cwiseMax(pose.apply(center) + around);
    }
  }
  std::vector<DrawnSolid> solids = drawn_solids(world_, seen);
  for (std::size_t i = 0; i < solids.size(); ++i) {
    const Index rows = 3 * solids[i].surface.vertex_count();
    fitted.surfaces.push_back(surface_to_draw(BodySurface(std::move(solids[i].surface), {solids[i].color})));
    fitted.surfaces.back().basis.resize(rows, 0);
    ClipNode& node = nodes.emplace_back();
    node.surface = &fitted.surfaces.back();
    node.name = solids[i].name;
    node.up = up();
    node.coordinates.resize(0, frames_->count());
    node.frame = poses_of(solids_[i], 0);
  }
}

std::vector<AnimationFit> MotionRecorder::write(const std::filesystem::path& path) const {
  require(frames_->count() > 0, "{}: nothing was recorded", path.string());
  Fitted fitted;
  std::vector<ClipNode> nodes;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].kind == TrackKind::domains) {
      add_domains(i, nodes);
    } else {
      nodes.push_back(fitted_node(i, fitted));
    }
  }
  add_solids(nodes, fitted);
  write_animation(path, times(), nodes);
  return std::move(fitted.fits);
}

}  // namespace limber
