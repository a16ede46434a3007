#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/model_mesh.hpp"

#include <Eigen/Geometry>

#include <cmath>

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

void check_motion(const BodyMotion& body, Index frames, std::string_view where) {
  require(body.model != nullptr, "{}: the body '{}' has no model", where, body.name);
  check_model(*body.model, where);
  require(body.coordinates.cols() == frames && body.coordinates.rows() <= body.model->rank,
          "{}: the motion of '{}' is {} x {}, expected at most {} coordinates x {} frames", where, body.name,
          body.coordinates.rows(), body.coordinates.cols(), body.model->rank, frames);
  // A range beyond floats would make weights or targets that are no numbers.
  require((body.coordinates.array().abs() < 1e30).all(),
          "{}: the motion of '{}' has coordinates that are not finite or beyond 1e30", where, body.name);
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
    const ReducedSurface& surface = body.model->surface;
    const Encoding encoding = make_encoding(body.coordinates);
    const Matrix weights =
        (body.coordinates(encoding.coordinates, Eigen::all).colwise() - encoding.least).array().colwise() /
        encoding.range.array();
    const MorphShape shape = make_shape(body, encoding, weights);
    require(shape.positions.allFinite() && shape.targets.allFinite(),
            "{}: the shapes of '{}' are beyond floats", where_, body.name);
    const int node = add_morph_node(builder_, surface, shape, title_of(body));
    if (!body.up.isApprox(Vector3::UnitY())) {
      const auto turn = Eigen::Quaterniond::FromTwoVectors(body.up, Vector3::UnitY());
      builder_.document["nodes"][static_cast<std::size_t>(node)]["rotation"] = {turn.x(), turn.y(), turn.z(),
                                                                                turn.w()};
    }
    if (weights.rows() == 0) return;
    // What the weights stand for, so that q can be read from the clip.
    json& ranges = builder_.document["meshes"].back()["extras"]["coordinateRanges"];
    for (Index t = 0; t < weights.rows(); ++t) {
      ranges.push_back({encoding.least(t), encoding.least(t) + encoding.range(t)});
    }
    add_channel(node, weights);
  }

  static std::string title_of(const BodyMotion& body) {
    if (!body.name.empty()) return body.name;
    return body.model->name.empty() ? "body" : body.model->name;
  }

  static MorphShape make_shape(const BodyMotion& body, const Encoding& encoding, const Matrix& weights) {
    const ReducedSurface& surface = body.model->surface;
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

  void add_channel(int node, const Matrix& weights) {
    if (input_ < 0) input_ = builder_.add_floats(times_, false);
    Eigen::MatrixXf output = Eigen::MatrixXf::Ones(weights.rows() + 1, weights.cols());
    output.topRows(weights.rows()) = weights.cast<float>();
    const Eigen::Map<const Eigen::RowVectorXf> values(output.data(), output.size());
    animation_["name"] = "motion";
    animation_["samplers"].push_back(
        {{"input", input_}, {"output", builder_.add_floats(values, false)}, {"interpolation", "LINEAR"}});
    animation_["channels"].push_back(
        {{"sampler", animation_["samplers"].size() - 1}, {"target", {{"node", node}, {"path", "weights"}}}});
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
