#include "limber/io/gltf_container.hpp"
#include "limber/io/model_file.hpp"
#include "tests/io/model_support.hpp"

#include <gmock/gmock.h>

namespace limber {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A clip as viewers see it.
struct Clip {
  std::string content;
  GltfContainer container;

  explicit Clip(std::string bytes) : content(std::move(bytes)), container(content, "clip.glb", {}) {}
  Clip(const Clip&) = delete;  // the container keeps views of the content
  Clip& operator=(const Clip&) = delete;

  [[nodiscard]] json document() const { return container.root().json(); }
  [[nodiscard]] JsonValue mesh(std::size_t body) const { return container.root().at("meshes").at(body); }

  /// Output of a sampler: targets x frames.
  [[nodiscard]] Matrix weights(std::size_t sampler) const {
    const JsonValue item = container.root().at("animations").at(0).at("samplers").at(sampler);
    const Matrix values = container.read(item.at("output"));
    const Index frames = container.read(item.at("input")).cols();
    return values.reshaped(values.cols() / frames, frames);
  }
  [[nodiscard]] Vector default_weights(std::size_t body) const {
    const auto values = mesh(body).at("weights").json().get<std::vector<double>>();
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  }
  [[nodiscard]] Matrix3X positions(std::size_t body, const Vector& weights) const {
    const JsonValue primitive = mesh(body).at("primitives").at(0);
    Matrix3X sum = container.read(primitive.at("attributes").at("POSITION"));
    for (Index t = 0; t < weights.size(); ++t) {
      sum +=
          weights(t) * container.read(primitive.at("targets").at(static_cast<std::size_t>(t)).at("POSITION"));
    }
    return sum;
  }
};

Clip make_clip(const std::vector<double>& times, const std::vector<BodyMotion>& bodies) {
  return Clip(encode_animation(times, bodies, "clip.glb"));
}

const std::vector<double> four_times{5.0, 5.25, 5.5, 6.0};

Matrix3X moved(const ReducedModel& model, const Vector& q) {
  Matrix3X x = model.surface.mesh.vertices;
  x.reshaped() += model.surface.basis.leftCols(q.size()).cast<double>() * q;
  return x;
}

/// Largest distance over the largest coordinate.
double relative_error(const Matrix3X& found, const Matrix3X& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

// Floats have 24 bits, and each shape is a sum of a few of them.
constexpr double float_error = 1e-6;

TEST(ModelAnimation, ReproducesTheMotion) {
  const ReducedModel model = test::sample_model();
  const BodyMotion body{&model, "a", test::random_matrix(3, 4, 2.0, 9)};
  const Clip clip = make_clip(four_times, {body});
  const Matrix weights = clip.weights(0);
  for (Index f = 0; f < 4; ++f) {
    const double error =
        relative_error(clip.positions(0, weights.col(f)), moved(model, body.coordinates.col(f)));
    EXPECT_LT(error, float_error) << "frame " << f;
  }
}

TEST(ModelAnimation, TurnsWhatIsUpTowardsY) {
  const ReducedModel model = test::sample_model();
  BodyMotion body{&model, "a", test::random_matrix(3, 4, 2.0, 9)};
  EXPECT_FALSE(make_clip(four_times, {body}).container.root().at("nodes").at(0).find("rotation").has_value());
  body.up = Vector3(0.0, 0.0, 9.81);
  const Clip clip = make_clip(four_times, {body});
  const auto q = clip.container.root().at("nodes").at(0).at("rotation").json().get<std::vector<double>>();
  const Vector3 up = Eigen::Quaterniond(q.at(3), q[0], q[1], q[2]) * Vector3::UnitZ();
  EXPECT_LT((up - Vector3::UnitY()).norm(), 1e-12);
}

TEST(ModelAnimation, KeepsWeightsBetween0And1) {
  const ReducedModel model = test::sample_model();
  const Clip clip = make_clip(four_times, {{&model, "a", test::random_matrix(3, 4, 2.0, 9)}});
  const Matrix weights = clip.weights(0);
  EXPECT_GE(weights.minCoeff(), 0.0);
  EXPECT_LE(weights.maxCoeff(), 1.0);
  EXPECT_GE(clip.default_weights(0).minCoeff(), 0.0);
  EXPECT_LE(clip.default_weights(0).maxCoeff(), 1.0);
}

TEST(ModelAnimation, ShowsTheRestShapeByDefault) {
  const ReducedModel model = test::sample_model();
  // Coordinates that never come near 0, on either side, and one that stays where it is.
  Matrix q(3, 4);
  q << 1.0, 2.0, 3.0, 1.5, -4.0, -3.0, -2.0, -2.5, 0.5, 0.5, 0.5, 0.5;
  const Clip clip = make_clip(four_times, {{&model, "a", q}});
  const double error =
      relative_error(clip.positions(0, clip.default_weights(0)), model.surface.mesh.vertices);
  EXPECT_LT(error, float_error);
  EXPECT_LE(clip.default_weights(0).maxCoeff(), 1.0);
}

TEST(ModelAnimation, HasNoTargetForCoordinatesThatStayZero) {
  const ReducedModel model = test::sample_model();
  Matrix q = test::random_matrix(3, 4, 1.0, 2);
  q.row(1).setZero();
  const Clip clip = make_clip(four_times, {{&model, "a", q}});
  EXPECT_EQ(clip.mesh(0).at("extras").at("targetNames").json(), json({"q1", "q3", "normals"}));
  EXPECT_EQ(clip.mesh(0).at("primitives").at(0).at("targets").size(), 3U);
}

TEST(ModelAnimation, SaysWhatItsWeightsStandFor) {
  const ReducedModel model = test::sample_model();
  const Matrix q = test::random_matrix(2, 4, 1.0, 2);  // fewer than the rank
  const Clip clip = make_clip(four_times, {{&model, "a", q}});
  const json ranges = clip.mesh(0).at("extras").at("coordinateRanges").json();
  ASSERT_EQ(ranges.size(), 2U);
  const Matrix weights = clip.weights(0);
  for (Index i = 0; i < 2; ++i) {
    const double least = ranges[static_cast<std::size_t>(i)][0];
    const double most = ranges[static_cast<std::size_t>(i)][1];
    const double error =
        ((least + (most - least) * weights.row(i).array()).matrix() - q.row(i)).cwiseAbs().maxCoeff();
    EXPECT_LT(error, float_error);
  }
}

TEST(ModelAnimation, MovesNothingButNormalsByItsLastTarget) {
  const ReducedModel model = test::sample_model();
  const Clip clip = make_clip(four_times, {{&model, "a", test::random_matrix(3, 4, 1.0, 2)}});
  const JsonValue target = clip.mesh(0).at("primitives").at(0).at("targets").at(3);
  EXPECT_EQ(clip.container.read(target.at("POSITION")).norm(), 0.0);
  EXPECT_GT(clip.container.read(target.at("NORMAL")).norm(), 0.0);
  EXPECT_EQ(clip.weights(0).row(3), Eigen::RowVector4d::Ones());
}

TEST(ModelAnimation, StartsAtTimeZero) {
  const ReducedModel model = test::small_model();
  const Clip clip = make_clip(four_times, {{&model, "a", test::random_matrix(2, 4, 1.0, 2)}});
  const JsonValue sampler = clip.container.root().at("animations").at(0).at("samplers").at(0);
  EXPECT_EQ(clip.container.read(sampler.at("input")), Eigen::RowVector4d(0.0, 0.25, 0.5, 1.0));
  EXPECT_EQ(sampler.at("interpolation").text(), "LINEAR");
}

TEST(ModelAnimation, MovesSeveralBodiesInOneAnimation) {
  const ReducedModel first = test::sample_model();
  const ReducedModel second = test::small_model();
  const Matrix a = test::random_matrix(3, 4, 1.0, 2);
  const Matrix b = test::random_matrix(2, 4, 1.0, 3);
  const Clip clip =
      make_clip(four_times, {{&first, "a", a}, {&second, "still", Matrix::Zero(2, 4)}, {&second, "", b}});
  const json document = clip.document();
  ASSERT_EQ(document["nodes"].size(), 3U);
  EXPECT_EQ(document["scenes"][0]["nodes"], json({0, 1, 2}));
  EXPECT_EQ(document["nodes"][1]["name"], "still");
  EXPECT_EQ(document["nodes"][2]["name"], "body");
  ASSERT_EQ(document["animations"].size(), 1U);
  const json& channels = document["animations"][0]["channels"];
  ASSERT_EQ(channels.size(), 2U) << "a body at rest needs none";
  EXPECT_EQ(channels[1]["target"], json({{"node", 2}, {"path", "weights"}}));
  EXPECT_LT(relative_error(clip.positions(0, clip.weights(0).col(3)), moved(first, a.col(3))), float_error);
  EXPECT_LT(relative_error(clip.positions(2, clip.weights(1).col(2)), moved(second, b.col(2))), float_error);
}

TEST(ModelAnimation, IsNoneWhereNothingMoves) {
  const ReducedModel model = test::small_model();
  const json document = make_clip({0.0}, {{&model, "a", Matrix::Zero(2, 1)}}).document();
  EXPECT_FALSE(document.contains("animations"));
  EXPECT_FALSE(document["meshes"][0]["primitives"][0].contains("targets"));
}

TEST(ModelAnimation, HoldsOneFrame) {
  const ReducedModel model = test::small_model();
  const Clip clip = make_clip({0.5}, {{&model, "a", Eigen::Vector2d(0.3, -0.2)}});
  EXPECT_LT(
      relative_error(clip.positions(0, clip.weights(0).col(0)), moved(model, Eigen::Vector2d(0.3, -0.2))),
      float_error);
}

TEST(ModelAnimation, HoldsTheSmallestMotions) {
  const ReducedModel model = test::small_model();
  const Clip clip = make_clip({0.0, 1.0}, {{&model, "a", Eigen::RowVector2d(0.0, 5e-324).replicate(2, 1)}});
  EXPECT_LT(relative_error(clip.positions(0, clip.weights(0).col(1)), model.surface.mesh.vertices),
            float_error);
}

TEST(ModelAnimation, RefusesMotionsThatMakeNoClip) {
  const ReducedModel model = test::small_model();
  const auto refusal = [](const std::vector<double>& times, const std::vector<BodyMotion>& bodies) {
    return test::error_text([&] { (void)encode_animation(times, bodies, "clip.glb"); });
  };
  const BodyMotion good{&model, "a", Matrix::Ones(2, 2)};
  EXPECT_THAT(refusal({}, {good}), HasSubstr("clip.glb: a clip needs at least one frame"));
  EXPECT_THAT(refusal({0.0, 1.0}, {}), HasSubstr("at least one body"));
  EXPECT_THAT(refusal({0.0, 0.0}, {good}),
              HasSubstr("frames 0 and 1 are at 0 s and 0 s, expected ascending"));
  EXPECT_THAT(refusal({1.0, 0.0}, {good}), HasSubstr("ascending"));
  EXPECT_THAT(refusal({0.0, 1e5, 1e5 + 1e-4}, {{&model, "a", Matrix::Ones(2, 3)}}),
              HasSubstr("differ as floats"));
  EXPECT_THAT(refusal({0.0, 1.0}, {{nullptr, "a", Matrix::Ones(2, 2)}}), HasSubstr("no model"));
  EXPECT_THAT(refusal({0.0, 1.0}, {{&model, "a", Matrix::Ones(3, 2)}}),
              HasSubstr("the motion of 'a' is 3 x 2, expected at most 2 coordinates x 2 frames"));
  EXPECT_THAT(refusal({0.0, 1.0}, {{&model, "a", Matrix::Ones(2, 3)}}), HasSubstr("x 2 frames"));
  Matrix bad = Matrix::Ones(2, 2);
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal({0.0, 1.0}, {{&model, "a", bad}}), HasSubstr("not finite"));
}

}  // namespace
}  // namespace limber
