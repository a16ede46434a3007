#include "limber/io/clip_file.hpp"

#include "limber/io/gltf_container.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/io/model_support.hpp"

#include <gmock/gmock.h>
#include <numeric>

namespace limber::clip_file_test {
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

Clip make_clip(const std::vector<double>& times, const std::vector<ClipNode>& bodies) {
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

TEST(ClipFile, ReproducesTheMotion) {
  const ReducedModel model = test::sample_model();
  const ClipNode body{&model.surface, "a", test::random_matrix(3, 4, 2.0, 9)};
  const Clip clip = make_clip(four_times, {body});
  const Matrix weights = clip.weights(0);
  for (Index f = 0; f < 4; ++f) {
    const double error =
        relative_error(clip.positions(0, weights.col(f)), moved(model, body.coordinates.col(f)));
    EXPECT_LT(error, float_error) << "frame " << f;
  }
}

TEST(ClipFile, SaysWhatIsInIt) {
  const ReducedModel model = test::sample_model();
  const ClipNode body{&model.surface, "a", test::random_matrix(3, 4, 2.0, 9)};
  const ClipNode still{&model.surface, "b", Matrix::Zero(3, 4)};
  const ClipContents found =
      describe_clip(encode_animation(four_times, std::vector{body, still}, "clip.glb"), "clip.glb");
  EXPECT_EQ(found.frames, 4);
  EXPECT_NEAR(found.to - found.from, 1.0, 1e-6);
  ASSERT_EQ(found.nodes.size(), 2U);
  EXPECT_EQ(found.nodes[1].name, "b");
  EXPECT_EQ(found.nodes[0].vertices, model.surface.mesh.vertex_count());
  EXPECT_EQ(found.nodes[0].triangles, model.surface.mesh.triangle_count());
}

/// A clip of another program: a strip and points, which one mesh of two nodes shows.
json foreign_clip() {
  return json::parse(R"({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 108, "uri": "a.bin"}],
    "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 8},
                    {"buffer": 0, "byteLength": 24}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 8},
                  {"bufferView": 1, "componentType": 5126, "type": "SCALAR", "count": 2},
                  {"bufferView": 2, "componentType": 5126, "type": "VEC3", "count": 2}],
    "meshes": [{"primitives": [{"mode": 5, "attributes": {"POSITION": 0}}, {"mode": 0, "attributes": {"POSITION": 0}}]}],
    "nodes": [{"mesh": 0}, {"mesh": 0, "name": "b"}],
    "animations": [{"samplers": [{"input": 1, "output": 2}],
                    "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}]})");
}

/// 26 floats, the times 0 and 0.5 at the end, in a file of 108 bytes.
std::string foreign_data(const std::string& /*name*/) {
  std::vector<float> numbers(27, 1.0F);
  numbers[24] = 0.0F;
  numbers[25] = 0.5F;
  return std::string(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
}

TEST(ClipFile, CountsWhatIsInThoseOfOtherPrograms) {
  const std::string text = foreign_clip().dump();
  EXPECT_TRUE(looks_like_clip(text, foreign_data));
  const ClipContents found = describe_clip(text, "a.gltf", foreign_data);
  EXPECT_EQ(found.frames, 2);
  EXPECT_EQ(found.to, 0.5);
  ASSERT_EQ(found.nodes.size(), 2U);
  EXPECT_EQ(found.nodes[0].name, "node 0");
  EXPECT_EQ(found.nodes[1].name, "b");
  EXPECT_EQ(found.nodes[0].vertices, 8);
  EXPECT_EQ(found.nodes[0].triangles, 6);
}

TEST(ClipFile, ThoseThatAreDamagedAreNotPacked) {
  json damaged = foreign_clip();
  damaged["buffers"].push_back(damaged["buffers"][0]);
  damaged["bufferViews"][2]["byteOffset"] = 100;
  const std::string text = damaged.dump();
  const GltfContainer file(text, "a.gltf", foreign_data);
  EXPECT_EQ(test::error_text([&] { (void)GlbBuilder(file); }),
            "a.gltf: bufferViews[2]: bytes 100 to 124, but buffer 0 has 108");
}

TEST(ClipFile, SamplersThatFillTheMemoryAreRefused) {
  constexpr std::size_t keys = 1000;
  json huge = foreign_clip();
  huge["buffers"][0]["byteLength"] = 96 + 4 * keys;
  huge["bufferViews"][1]["byteLength"] = 4 * keys;
  huge["accessors"][1]["count"] = keys;
  const auto data = [](const std::string& /*name*/) {
    std::vector<float> numbers(24 + keys);
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    return std::string(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
  };
  EXPECT_EQ(describe_clip(huge.dump(), "a.gltf", data).frames, static_cast<Index>(keys));
  for (int i = 0; i < 200; ++i) {  // each of them the same numbers again
    huge["accessors"].push_back(huge["accessors"][1]);
    huge["animations"][0]["samplers"].push_back({{"input", 3 + i}, {"output", 2}});
  }
  EXPECT_THAT(test::error_text([&] { (void)describe_clip(huge.dump(), "a.gltf", data); }),
              HasSubstr("more numbers than the file has bytes"));
}

TEST(ClipFile, AFileThatManyBuffersNameIsReadOnce) {
  int loads = 0;
  json many = foreign_clip();
  for (int i = 0; i < 100; ++i) many["buffers"].push_back(many["buffers"][0]);
  const std::string text = many.dump();
  const GltfContainer container(text, "a.gltf", [&](const std::string& name) {
    ++loads;
    return foreign_data(name);
  });
  EXPECT_EQ(container.buffers().size(), 101U);
  EXPECT_EQ(loads, 1);
}

TEST(ClipFile, TurnsWhatIsUpTowardsY) {
  const ReducedModel model = test::sample_model();
  ClipNode body{&model.surface, "a", test::random_matrix(3, 4, 2.0, 9)};
  EXPECT_FALSE(make_clip(four_times, {body}).container.root().at("nodes").at(0).find("rotation").has_value());
  body.up = Vector3(0.0, 0.0, 9.81);
  const Clip clip = make_clip(four_times, {body});
  const auto q = clip.container.root().at("nodes").at(0).at("rotation").json().get<std::vector<double>>();
  const Vector3 up = Eigen::Quaterniond(q.at(3), q[0], q[1], q[2]) * Vector3::UnitZ();
  EXPECT_LT((up - Vector3::UnitY()).norm(), 1e-12);
}

/// Two turns about a slanted axis on a circle: rotations beyond 180 degrees, so that quaternions change their
/// signs.
std::vector<Pose> four_poses() {
  std::vector<Pose> poses;
  for (int f = 0; f < 4; ++f) {
    const double angle = 2.5 * f;
    Eigen::Quaterniond turn(Eigen::AngleAxisd(angle, Vector3(0.6, 0.0, 0.8)));
    if (f % 2 == 1) turn.coeffs() *= -1.0;
    poses.push_back({Vector3(std::cos(angle), 3.0, std::sin(angle)), turn});
  }
  return poses;
}

/// The output of the channel of a node that animates `path`.
Matrix channel(const Clip& clip, int node, std::string_view path) {
  const JsonValue animation = clip.container.root().at("animations").at(0);
  const JsonValue channels = animation.at("channels");
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const JsonValue target = channels.at(c).at("target");
    if (target.at("node").integer(0, 100) != node || target.at("path").text() != path) continue;
    const auto sampler = static_cast<std::size_t>(channels.at(c).at("sampler").integer(0, 100));
    return clip.container.read(animation.at("samplers").at(sampler).at("output"));
  }
  return {};
}

TEST(ClipFile, MovesTheNodeWithItsFrame) {
  const ReducedModel model = test::sample_model();
  const Vector3 up(0.0, 0.0, 2.0);
  const ClipNode body{&model.surface, "a", Matrix::Zero(3, 4), four_poses(), up};
  const Clip clip = make_clip(four_times, {body});
  const Matrix translations = channel(clip, 0, "translation");
  const Matrix rotations = channel(clip, 0, "rotation");
  ASSERT_EQ(translations.cols(), 4);
  ASSERT_EQ(rotations.cols(), 4);
  const auto turn = rotation_between(up, Vector3::UnitY());
  const Vector3 x(0.3, -0.2, 0.7);
  for (Index f = 0; f < 4; ++f) {
    const Eigen::Quaterniond rotation(Eigen::Vector4d(rotations.col(f)));
    const Vector3 expected = turn * body.frame[static_cast<std::size_t>(f)].apply(x);
    EXPECT_LT((rotation * x + translations.col(f) - expected).norm(), float_error) << "frame " << f;
  }
}

TEST(ClipFile, TurnsTheNodeTheShortWay) {
  const ReducedModel model = test::sample_model();
  const Clip clip = make_clip(four_times, {{&model.surface, "a", Matrix::Zero(3, 4), four_poses()}});
  const Matrix rotations = channel(clip, 0, "rotation");
  ASSERT_EQ(rotations.cols(), 4);
  for (Index f = 1; f < 4; ++f) EXPECT_GT(rotations.col(f).dot(rotations.col(f - 1)), 0.0) << f;
}

TEST(ClipFile, StartsTheNodeWhereItsFrameDoes) {
  const ReducedModel model = test::sample_model();
  const Clip clip = make_clip(four_times, {{&model.surface, "a", Matrix::Zero(3, 4), four_poses()}});
  EXPECT_EQ(clip.document()["nodes"][0]["translation"], json({1.0, 3.0, 0.0}));
  EXPECT_FALSE(clip.document()["nodes"][0].contains("rotation")) << "none at first";
}

TEST(ClipFile, HasNoChannelsForAFrameThatStaysWhereItIs) {
  const ReducedModel model = test::sample_model();
  const Pose pose = four_poses()[2];
  const Clip clip =
      make_clip(four_times, {{&model.surface, "a", Matrix::Zero(3, 4), std::vector<Pose>(4, pose)}});
  EXPECT_FALSE(clip.document().contains("animations"));
  const auto q = clip.document()["nodes"][0]["rotation"].get<std::vector<double>>();
  EXPECT_LT(Eigen::Quaterniond(q.at(3), q[0], q[1], q[2]).angularDistance(pose.rotation), 1e-7);
  const auto t = clip.document()["nodes"][0]["translation"].get<std::vector<double>>();
  EXPECT_EQ(Vector3(t.at(0), t.at(1), t.at(2)), pose.position);
}

TEST(ClipFile, MovesShapeAndFrameAtOnce) {
  const ReducedModel model = test::sample_model();
  const Matrix q = test::random_matrix(3, 4, 2.0, 9);
  const Clip clip = make_clip(four_times, {{&model.surface, "a", q, four_poses()}});
  const Matrix values = channel(clip, 0, "weights");
  ASSERT_EQ(values.size(), 16);
  const Matrix weights = values.reshaped(4, 4);
  EXPECT_EQ(channel(clip, 0, "rotation").cols(), 4);
  EXPECT_LT(relative_error(clip.positions(0, weights.col(2)), moved(model, q.col(2))), float_error);
}

TEST(ClipFile, MovesASurfaceWithoutTargets) {
  const ReducedModel model = test::sample_model();
  ReducedSurface rigid = model.surface;
  rigid.basis.resize(rigid.basis.rows(), 0);
  const Clip clip = make_clip(four_times, {{&rigid, "a", Matrix(0, 4), four_poses()}});
  EXPECT_FALSE(clip.document()["meshes"][0]["primitives"][0].contains("targets"));
  EXPECT_EQ(channel(clip, 0, "translation").cols(), 4);
}

TEST(ClipFile, KeepsWeightsBetween0And1) {
  const ReducedModel model = test::sample_model();
  const Clip clip = make_clip(four_times, {{&model.surface, "a", test::random_matrix(3, 4, 2.0, 9)}});
  const Matrix weights = clip.weights(0);
  EXPECT_GE(weights.minCoeff(), 0.0);
  EXPECT_LE(weights.maxCoeff(), 1.0);
  EXPECT_GE(clip.default_weights(0).minCoeff(), 0.0);
  EXPECT_LE(clip.default_weights(0).maxCoeff(), 1.0);
}

TEST(ClipFile, ShowsTheRestShapeByDefault) {
  const ReducedModel model = test::sample_model();
  // Coordinates that never come near 0, on either side, and one that stays where it is.
  Matrix q(3, 4);
  q << 1.0, 2.0, 3.0, 1.5, -4.0, -3.0, -2.0, -2.5, 0.5, 0.5, 0.5, 0.5;
  const Clip clip = make_clip(four_times, {{&model.surface, "a", q}});
  const double error =
      relative_error(clip.positions(0, clip.default_weights(0)), model.surface.mesh.vertices);
  EXPECT_LT(error, float_error);
  EXPECT_LE(clip.default_weights(0).maxCoeff(), 1.0);
}

TEST(ClipFile, HasNoTargetForCoordinatesThatStayZero) {
  const ReducedModel model = test::sample_model();
  Matrix q = test::random_matrix(3, 4, 1.0, 2);
  q.row(1).setZero();
  const Clip clip = make_clip(four_times, {{&model.surface, "a", q}});
  EXPECT_EQ(clip.mesh(0).at("extras").at("targetNames").json(), json({"q1", "q3", "normals"}));
  EXPECT_EQ(clip.mesh(0).at("primitives").at(0).at("targets").size(), 3U);
}

TEST(ClipFile, SaysWhatItsWeightsStandFor) {
  const ReducedModel model = test::sample_model();
  const Matrix q = test::random_matrix(2, 4, 1.0, 2);  // fewer than the rank
  const Clip clip = make_clip(four_times, {{&model.surface, "a", q}});
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

TEST(ClipFile, MovesNothingButNormalsByItsLastTarget) {
  const ReducedModel model = test::sample_model();
  const Clip clip = make_clip(four_times, {{&model.surface, "a", test::random_matrix(3, 4, 1.0, 2)}});
  const JsonValue target = clip.mesh(0).at("primitives").at(0).at("targets").at(3);
  EXPECT_EQ(clip.container.read(target.at("POSITION")).norm(), 0.0);
  EXPECT_GT(clip.container.read(target.at("NORMAL")).norm(), 0.0);
  EXPECT_EQ(clip.weights(0).row(3), Eigen::RowVector4d::Ones());
}

TEST(ClipFile, StartsAtTimeZero) {
  const ReducedModel model = test::small_model();
  const Clip clip = make_clip(four_times, {{&model.surface, "a", test::random_matrix(2, 4, 1.0, 2)}});
  const JsonValue sampler = clip.container.root().at("animations").at(0).at("samplers").at(0);
  EXPECT_EQ(clip.container.read(sampler.at("input")), Eigen::RowVector4d(0.0, 0.25, 0.5, 1.0));
  EXPECT_EQ(sampler.at("interpolation").text(), "LINEAR");
}

TEST(ClipFile, MovesSeveralBodiesInOneAnimation) {
  const ReducedModel first = test::sample_model();
  const ReducedModel second = test::small_model();
  const Matrix a = test::random_matrix(3, 4, 1.0, 2);
  const Matrix b = test::random_matrix(2, 4, 1.0, 3);
  const Clip clip = make_clip(
      four_times,
      {{&first.surface, "a", a}, {&second.surface, "still", Matrix::Zero(2, 4)}, {&second.surface, "", b}});
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
  EXPECT_EQ(document["nodes"][1]["mesh"], document["nodes"][2]["mesh"]) << "one surface";
  EXPECT_LT(relative_error(clip.positions(1, clip.weights(1).col(2)), moved(second, b.col(2))), float_error);
}

TEST(ClipFile, IsNoneWhereNothingMoves) {
  const ReducedModel model = test::small_model();
  const json document = make_clip({0.0}, {{&model.surface, "a", Matrix::Zero(2, 1)}}).document();
  EXPECT_FALSE(document.contains("animations"));
  EXPECT_FALSE(document["meshes"][0]["primitives"][0].contains("targets"));
}

TEST(ClipFile, HoldsOneFrame) {
  const ReducedModel model = test::small_model();
  const Clip clip = make_clip({0.5}, {{&model.surface, "a", Eigen::Vector2d(0.3, -0.2)}});
  EXPECT_LT(
      relative_error(clip.positions(0, clip.weights(0).col(0)), moved(model, Eigen::Vector2d(0.3, -0.2))),
      float_error);
}

TEST(ClipFile, HoldsTheSmallestMotions) {
  const ReducedModel model = test::small_model();
  const Clip clip =
      make_clip({0.0, 1.0}, {{&model.surface, "a", Eigen::RowVector2d(0.0, 5e-324).replicate(2, 1)}});
  EXPECT_LT(relative_error(clip.positions(0, clip.weights(0).col(1)), model.surface.mesh.vertices),
            float_error);
}

TEST(ClipFile, RefusesMotionsThatMakeNoClip) {
  const ReducedModel model = test::small_model();
  const auto refusal = [](const std::vector<double>& times, const std::vector<ClipNode>& bodies) {
    return test::error_text([&] { (void)encode_animation(times, bodies, "clip.glb"); });
  };
  const ClipNode good{&model.surface, "a", Matrix::Ones(2, 2)};
  EXPECT_THAT(refusal({}, {good}), HasSubstr("clip.glb: a clip needs at least one frame"));
  EXPECT_THAT(refusal({0.0, 1.0}, {}), HasSubstr("at least one body"));
  EXPECT_THAT(refusal({0.0, 0.0}, {good}),
              HasSubstr("frames 0 and 1 are at 0 s and 0 s, expected ascending"));
  EXPECT_THAT(refusal({1.0, 0.0}, {good}), HasSubstr("ascending"));
  EXPECT_THAT(refusal({0.0, 1e5, 1e5 + 1e-4}, {{&model.surface, "a", Matrix::Ones(2, 3)}}),
              HasSubstr("differ as floats"));
  EXPECT_THAT(refusal({0.0, 1.0}, {{nullptr, "a", Matrix::Ones(2, 2)}}),
              HasSubstr("the body 'a' has no surface"));
  EXPECT_THAT(refusal({0.0, 1.0}, {{&model.surface, "a", Matrix::Ones(3, 2)}}),
              HasSubstr("the motion of 'a' is 3 x 2, expected at most 2 coordinates x 2 frames"));
  EXPECT_THAT(refusal({0.0, 1.0}, {{&model.surface, "a", Matrix::Ones(2, 3)}}), HasSubstr("x 2 frames"));
  Matrix bad = Matrix::Ones(2, 2);
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal({0.0, 1.0}, {{&model.surface, "a", bad}}), HasSubstr("not finite"));
  ClipNode flat = good;
  flat.scale = 0.0;
  EXPECT_THAT(refusal({0.0, 1.0}, {flat}), HasSubstr("the scale of 'a' is 0, expected a positive number"));
}

TEST(ClipFile, RefusesFramesThatAreNone) {
  const ReducedModel model = test::small_model();
  const auto refusal = [&](const std::vector<Pose>& frame, const Vector3& up) {
    const ClipNode body{&model.surface, "a", Matrix::Ones(2, 2), frame, up};
    return test::error_text([&] {
      (void)encode_animation(std::vector<double>{0.0, 1.0}, std::span(&body, 1), "clip.glb");
    });
  };
  const Vector3 y = Vector3::UnitY();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(std::vector<Pose>(3), y),
              HasSubstr("clip.glb: the frame of 'a' has 3 poses, expected none or 2, one per frame"));
  std::vector<Pose> frame(2);
  frame[1].position.z() = nan;
  EXPECT_THAT(refusal(frame, y), HasSubstr("pose 1 of 'a' is at (0, 0, nan)"));
  frame[1] = {Vector3::Zero(), Eigen::Quaterniond(0.0, 0.0, 0.0, 0.0)};
  EXPECT_THAT(refusal(frame, y), HasSubstr("pose 1 of 'a' has a quaternion of length 0, expected 1"));
  frame[1].rotation = Eigen::Quaterniond(1.001, 0.0, 0.0, 0.0);
  EXPECT_THAT(refusal(frame, y), HasSubstr("pose 1 of 'a' has a quaternion of length 1.001, expected 1"));
  EXPECT_THAT(refusal({}, Vector3::Zero()), HasSubstr("up is (0, 0, 0) for 'a', expected a direction"));
}

TEST(ClipFile, RefusesSurfacesThatAreNone) {
  const ReducedModel model = test::small_model();
  const auto refusal = [](const ReducedSurface& surface) {
    const ClipNode body{&surface, "a", Matrix::Ones(1, 2)};
    return test::error_text([&] {
      (void)encode_animation(std::vector<double>{0.0, 1.0}, std::span(&body, 1), "clip.glb");
    });
  };
  ReducedSurface surface = model.surface;
  surface.basis.conservativeResize(9, 2);
  EXPECT_THAT(refusal(surface), HasSubstr("the basis of 'a' has 9 rows, expected 12 (3 per vertex)"));
  surface = model.surface;
  surface.basis(3, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal(surface), HasSubstr("the basis of 'a' has entries that are not finite"));
  surface = model.surface;
  surface.colors.clear();
  EXPECT_THAT(refusal(surface), HasSubstr("0 colours for 1 parts of 'a'"));
}

}  // namespace
}  // namespace limber::clip_file_test
