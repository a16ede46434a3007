#include "limber/io/clip_builder.hpp"

#include "limber/base/error.hpp"
#include "limber/io/gltf.hpp"
#include "limber/io/gltf_animation.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

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

/// Where a node is in each frame, or once where nothing moves it.
struct NodePath {
  Matrix3X translations;       ///< m
  Eigen::Matrix4Xd rotations;  ///< x y z w; neighbours have the signs of the shorter way
};

/// Nothing but equal columns: one says it all.
template <class Columns>
void merge_equal(Columns& columns) {
  if ((columns.colwise() - columns.col(0)).isZero(0.0)) columns.conservativeResize(Eigen::NoChange, 1);
}

NodePath make_path(std::span<const Pose> poses, const Vector3& up) {
  Pose turn;
  if (!up.isApprox(up.norm() * Vector3::UnitY())) {
    turn.rotation = rotation_between(up, Vector3::UnitY());
  }
  const auto count = static_cast<Index>(poses.size());
  NodePath path{Matrix3X(3, count), Eigen::Matrix4Xd(4, count)};
  Eigen::Vector4d before = turn.rotation.coeffs();
  for (Index f = 0; f < count; ++f) {
    const Pose pose = turn * poses[static_cast<std::size_t>(f)];
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

MorphShape make_shape(const ReducedSurface& surface, const ClipEncoding& encoding, const Matrix& samples) {
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
      fit_normals(base, surface.mesh.triangles, shape.targets.leftCols(basis.cols()), samples, rest);
  shape.weights.assign(rest.begin(), rest.end());
  shape.weights.push_back(1.0);
  for (const Index i : encoding.coordinates) shape.names.push_back(fmt::format("q{}", i + 1));
  shape.names.emplace_back("normals");
  return shape;
}

}  // namespace

ClipEncoding::ClipEncoding(const Vector& smallest, const Vector& largest) {
  const Vector low = smallest.cwiseMin(0.0), high = largest.cwiseMax(0.0);
  for (Index i = 0; i < low.size(); ++i) {
    if (high(i) > low(i)) coordinates.push_back(i);
  }
  least = low(coordinates);
  range = (high - low)(coordinates);
}

Matrix ClipEncoding::weights(const Eigen::Ref<const Matrix>& values) const {
  return (values(coordinates, Eigen::all).colwise() - least).array().colwise() / range.array();
}

void check_clip_surface(const ReducedSurface& surface, std::string_view name, std::string_view where) {
  check_surface(surface.mesh, where);
  require(surface.colors.size() == surface.mesh.parts.size(),
          "{}: {} colours for {} parts of '{}', expected one each", where, surface.colors.size(),
          surface.mesh.parts.size(), name);
  require(surface.basis.rows() == 3 * surface.mesh.vertex_count(),
          "{}: the basis of '{}' has {} rows, expected {} (3 per vertex)", where, name, surface.basis.rows(),
          3 * surface.mesh.vertex_count());
  require(surface.basis.allFinite(), "{}: the basis of '{}' has entries that are not finite", where, name);
}

void check_clip_up(const Vector3& up, std::string_view name, std::string_view where) {
  require(up.allFinite() && up.norm() > 0.0, "{}: up is ({}, {}, {}) for '{}', expected a direction", where,
          up.x(), up.y(), up.z(), name);
}

ClipBuilder::ClipBuilder(std::span<const double> times, std::string_view where)
    : where_(where), times_(clip_times(times, where)) {}

int ClipBuilder::add_mesh(const ReducedSurface& surface, const ClipEncoding& encoding, const Matrix& samples,
                          const std::string& name) {
  const MorphShape shape = make_shape(surface, encoding, samples);
  require(shape.positions.allFinite() && shape.targets.allFinite(),
          "{}: the shapes of '{}' are beyond floats", where_, name);
  const int mesh = add_morph_mesh(builder_, surface, shape, name);
  shown_.push_back(false);
  // What the weights stand for, so that q can be read from the clip.
  for (Index t = 0; t < encoding.least.size(); ++t) {
    builder_.document["meshes"].back()["extras"]["coordinateRanges"].push_back(
        {encoding.least(t), encoding.least(t) + encoding.range(t)});
  }
  return mesh;
}

int ClipBuilder::add_node(int mesh, const std::string& name) {
  json& meshes = builder_.document["meshes"];
  const auto number = static_cast<std::size_t>(mesh);
  if (shown_[number] && meshes[number]["primitives"].size() > 1 && meshes[number].contains("weights")) {
    meshes.push_back(json(meshes[number]));
    shown_.push_back(true);
    mesh = static_cast<int>(meshes.size()) - 1;
  }
  shown_[number] = true;
  return limber::add_node(builder_, mesh, name);
}

void ClipBuilder::move(int node, std::span<const Pose> poses, const Vector3& up, double scale) {
  const NodePath path = make_path(poses, up);
  place_node(builder_, node, path.translations.col(0), path.rotations.col(0), scale);
  if (path.translations.cols() > 1) add_channel(node, "translation", path.translations.cast<float>());
  if (path.rotations.cols() > 1) add_channel(node, "rotation", path.rotations.cast<float>());
}

void ClipBuilder::deform(int node, const Matrix& weights) {
  if (weights.rows() == 0) return;
  Eigen::MatrixXf output = Eigen::MatrixXf::Ones(weights.rows() + 1, weights.cols());  // the last: normals
  output.topRows(weights.rows()) = weights.cast<float>();
  add_channel(node, "weights", Eigen::Map<const Eigen::RowVectorXf>(output.data(), output.size()));
}

void ClipBuilder::add_channel(int node, std::string_view path,
                              const Eigen::Ref<const Eigen::MatrixXf>& values) {
  if (input_ < 0) input_ = builder_.add_floats(times_, false);
  animation_["name"] = "motion";
  animation_["samplers"].push_back(
      {{"input", input_}, {"output", builder_.add_floats(values, false)}, {"interpolation", "LINEAR"}});
  animation_["channels"].push_back(
      {{"sampler", animation_["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

void check_clip(std::string_view content, std::string_view where) {
  (void)parse_gltf(content, where);
  const GltfContainer container(content, where, {});
  const std::size_t accessors = container.root().at("accessors").size();
  for (std::size_t i = 0; i < accessors; ++i) {
    const nlohmann::json number = i;
    (void)container.read(JsonValue(number, fmt::format("accessor {}", i), where));
  }
  if (container.root().find("animations")) (void)parse_gltf_animation(content, where);
}

std::string ClipBuilder::encode() {
  add_scene(builder_);
  if (!animation_.empty()) builder_.document["animations"].push_back(std::move(animation_));
  return builder_.encode(where_, "write fewer frames or a coarser surface");
}

}  // namespace limber
