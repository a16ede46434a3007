#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/model_mesh.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

using nlohmann::json;

/// By which a quaternion may miss unit length.
constexpr double unit_tolerance = 1e-6;

/// Seconds since the first frame, 1 x frames.
Eigen::RowVectorXf clip_times(std::span<const double> times, std::string_view where) {
  require(!times.empty(), "{}: a clip needs at least one frame", where);
  Eigen::RowVectorXf result(static_cast<Index>(times.size()));
  for (std::size_t f = 0; f < times.size(); ++f) {
    const auto time = static_cast<float>(times[f] - times[0]);
    require(std::isfinite(time) && (f == 0 || time > result(static_cast<Index>(f) - 1)),
            "{}: frames {} and {} are at {} s and {} s, expected ascending times that differ as floats; "
            "write fewer frames",
            where, f == 0 ? 0 : f - 1, f, times[f == 0 ? 0 : f - 1], times[f]);
    result(static_cast<Index>(f)) = time;
  }
  return result;
}

/// The coordinates that leave 0 in a clip, and how weights in [0, 1] stand for them.
struct Encoding {
  std::vector<Index> coordinates;
  Vector least, range;  ///< q = least + range * weight
};

Encoding make_encoding(const Matrix& coordinates) {
  Encoding encoding;
  const Vector least = coordinates.rowwise().minCoeff().cwiseMin(0.0);
  const Vector most = coordinates.rowwise().maxCoeff().cwiseMax(0.0);
  for (Index i = 0; i < coordinates.rows(); ++i) {
    if (most(i) > least(i)) encoding.coordinates.push_back(i);
  }
  encoding.least = least(encoding.coordinates);
  encoding.range = (most - least)(encoding.coordinates);
  return encoding;
}

void check_shape(const BodyMotion& body, std::string_view where) {
  require(body.surface != nullptr, "{}: the body '{}' has no surface", where, body.name);
  const ReducedSurface& surface = *body.surface;
  check_surface(surface.mesh, where);
  require(surface.colors.size() == surface.mesh.parts.size(),
          "{}: {} colours for {} parts of '{}', expected one each", where, surface.colors.size(),
          surface.mesh.parts.size(), body.name);
  require(surface.basis.rows() == 3 * surface.mesh.vertex_count(),
          "{}: the basis of '{}' has {} rows, expected {} (3 per vertex)", where, body.name,
          surface.basis.rows(), 3 * surface.mesh.vertex_count());
  require(surface.basis.allFinite(), "{}: the basis of '{}' has entries that are not finite", where,
          body.name);
}

void check_motion(const BodyMotion& body, Index frames, std::string_view where) {
  check_shape(body, where);
  const Index rank = body.surface->basis.cols();
  require(body.coordinates.cols() == frames && body.coordinates.rows() <= rank,
          "{}: the motion of '{}' is {} x {}, expected at most {} coordinates x {} frames", where, body.name,
          body.coordinates.rows(), body.coordinates.cols(), rank, frames);
  // A range beyond floats would make weights or targets that are no numbers.
  require((body.coordinates.array().abs() < 1e30).all(),
          "{}: the motion of '{}' has coordinates that are not finite or beyond 1e30", where, body.name);
  require(body.up.allFinite() && body.up.norm() > 0.0,
          "{}: up is ({}, {}, {}) for '{}', expected a direction", where, body.up.x(), body.up.y(),
          body.up.z(), body.name);
  require(body.frame.empty() || static_cast<Index>(body.frame.size()) == frames,
          "{}: the frame of '{}' has {} poses, expected none or {}, one per frame", where, body.name,
          body.frame.size(), frames);
  for (std::size_t f = 0; f < body.frame.size(); ++f) {
    const Pose& pose = body.frame[f];
    require((pose.position.array().abs() < 1e30).all(),
            "{}: pose {} of '{}' is at ({}, {}, {}), expected finite numbers below 1e30", where, f, body.name,
            pose.position.x(), pose.position.y(), pose.position.z());
    require(std::abs(pose.rotation.norm() - 1.0) <= unit_tolerance,
            "{}: pose {} of '{}' has a quaternion of length {}, expected 1", where, f, body.name,
            pose.rotation.norm());
  }
}

/// Where the node of a body is in each frame, or once where nothing moves it: after the frame of the body comes the turn that brings
/// `up` to y.
struct NodePath {
  Matrix3X translations;       ///< m
  Eigen::Matrix4Xd rotations;  ///< x y z w; neighbours have the signs of the shorter way
};

/// Nothing but equal columns: one says it all.
template <class Columns>
void merge_equal(Columns& columns) {
  if ((columns.colwise() - columns.col(0)).isZero(0.0)) columns.conservativeResize(Eigen::NoChange, 1);
}

NodePath make_path(const BodyMotion& body) {
  Pose turn;
  if (!body.up.isApprox(body.up.norm() * Vector3::UnitY())) {
    turn.rotation = Eigen::Quaterniond::FromTwoVectors(body.up, Vector3::UnitY());
  }
  const std::vector<Pose>& frame = body.frame;
  const auto poses = static_cast<Index>(std::max<std::size_t>(frame.size(), 1));
  NodePath path{Matrix3X(3, poses), Eigen::Matrix4Xd(4, poses)};
  Eigen::Vector4d before = turn.rotation.coeffs();
  for (Index f = 0; f < poses; ++f) {
    const Pose pose = frame.empty() ? turn : turn * frame[static_cast<std::size_t>(f)];
    Eigen::Vector4d rotation = pose.rotation.coeffs().normalized();
    if (rotation.dot(before) < 0.0) rotation *= -1.0;
    before = rotation;
    path.translations.col(f) = pose.position;
    path.rotations.col(f) = rotation;
  }
  merge_equal(path.translations);
  merge_equal(path.rotations);
  return path;
}

class AnimationWriter {
 public:
  AnimationWriter(std::span<const double> times, std::string_view where)
      : where_(where), times_(clip_times(times, where)) {}

  std::string encode(std::span<const BodyMotion> bodies) {
    require(!bodies.empty(), "{}: a clip needs at least one body", where_);
    for (const BodyMotion& body : bodies) add_body(body);
    add_scene(builder_);
    if (!animation_.empty()) builder_.document["animations"].push_back(std::move(animation_));
    return builder_.encode(where_, "write fewer frames or a coarser surface");
  }

 private:
  void add_body(const BodyMotion& body) {
    check_motion(body, times_.cols(), where_);
    const Encoding encoding = make_encoding(body.coordinates);
    const Matrix weights =
        (body.coordinates(encoding.coordinates, Eigen::all).colwise() - encoding.least).array().colwise() /
        encoding.range.array();
    const MorphShape shape = make_shape(body, encoding, weights);
    require(shape.positions.allFinite() && shape.targets.allFinite(),
            "{}: the shapes of '{}' are beyond floats", where_, body.name);
    const int node =
        add_morph_node(builder_, *body.surface, shape, body.name.empty() ? std::string("body") : body.name);
    place(node, make_path(body));
    if (weights.rows() == 0) return;
    // What the weights stand for, so that q can be read from the clip.
    json& ranges = builder_.document["meshes"].back()["extras"]["coordinateRanges"];
    for (Index t = 0; t < weights.rows(); ++t) {
      ranges.push_back({encoding.least(t), encoding.least(t) + encoding.range(t)});
    }
    Eigen::MatrixXf output = Eigen::MatrixXf::Ones(weights.rows() + 1, weights.cols());  // the last: normals
    output.topRows(weights.rows()) = weights.cast<float>();
    add_channel(node, "weights", Eigen::Map<const Eigen::RowVectorXf>(output.data(), output.size()));
  }

  /// Puts a node where it is in the first frame, which programs without animations show, and moves it from there.
  void place(int node, const NodePath& path) {
    json& item = builder_.document["nodes"][static_cast<std::size_t>(node)];
    const Vector3 translation = path.translations.col(0);
    const Eigen::Vector4d rotation = path.rotations.col(0);
    if (!translation.isZero(0.0))
      item["translation"] = std::vector<double>(translation.begin(), translation.end());
    if (rotation != Eigen::Vector4d::UnitW())
      item["rotation"] = std::vector<double>(rotation.begin(), rotation.end());
    if (path.translations.cols() > 1) add_channel(node, "translation", path.translations.cast<float>());
    if (path.rotations.cols() > 1) add_channel(node, "rotation", path.rotations.cast<float>());
  }

  static MorphShape make_shape(const BodyMotion& body, const Encoding& encoding, const Matrix& weights) {
    const ReducedSurface& surface = *body.surface;
    const Matrix basis = surface.basis(Eigen::all, encoding.coordinates).cast<double>();
    const Matrix3X base =
        surface.mesh.vertices + (basis * encoding.least).reshaped(3, surface.mesh.vertex_count());
    const Vector rest = -encoding.least.cwiseQuotient(encoding.range);
    MorphShape shape;
    shape.positions = base.cast<float>();
    if (encoding.coordinates.empty()) {
      shape.normals.base = area_weighted_normals(base, surface.mesh.triangles).cast<float>();
      return shape;
    }
    shape.targets.setZero(basis.rows(), basis.cols() + 1);  // the last for the normals alone
    shape.targets.leftCols(basis.cols()) = (basis * encoding.range.asDiagonal()).cast<float>();
    shape.normals =
        fit_normals(base, surface.mesh.triangles, shape.targets.leftCols(basis.cols()), weights, rest);
    shape.weights.assign(rest.begin(), rest.end());
    shape.weights.push_back(1.0);
    for (const Index i : encoding.coordinates) shape.names.push_back(fmt::format("q{}", i + 1));
    shape.names.emplace_back("normals");
    return shape;
  }

  void add_channel(int node, std::string_view path, const Eigen::Ref<const Eigen::MatrixXf>& values) {
    if (input_ < 0) input_ = builder_.add_floats(times_, false);
    animation_["name"] = "motion";
    animation_["samplers"].push_back(
        {{"input", input_}, {"output", builder_.add_floats(values, false)}, {"interpolation", "LINEAR"}});
    animation_["channels"].push_back(
        {{"sampler", animation_["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  std::string_view where_;
  Eigen::RowVectorXf times_;
  GlbBuilder builder_;
  json animation_;  ///< null until something moves
  int input_ = -1;  ///< accessor of the times, shared by all bodies
};

}  // namespace

std::string encode_animation(std::span<const double> times, std::span<const BodyMotion> bodies,
                             std::string_view where) {
  return AnimationWriter(times, where).encode(bodies);
}

void write_animation(const std::filesystem::path& path, std::span<const double> times,
                     std::span<const BodyMotion> bodies) {
  write_file(path, encode_animation(times, bodies, path.string()));
}

}  // namespace limber
