#include "limber/io/clip_file.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/model_normals.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/io/tree_support.hpp"

#include <gmock/gmock.h>

namespace limber::tree_animation_test {
namespace {

using nlohmann::json;
using test::sample_tree;
using testing::HasSubstr;

const std::vector<double> four_times{5.0, 5.25, 5.5, 6.0};

/// Random coordinates and frames of all domains.
TreeClipMotion random_motion(const Model& tree, Index steps = 4) {
  TreeClipMotion motion{.tree = &tree,
                        .coordinates = test::random_matrix(tree.coordinate_count(), steps, 2.0, 9)};
  for (std::uint64_t f = 0; f < static_cast<std::uint64_t>(steps); ++f) {
    motion.frames.emplace_back();
    for (std::uint64_t d = 0; d < tree.domains.size(); ++d) {
      motion.frames.back().push_back({test::random_vector(3, 1.0, 1000 * f + d),
                                      test::random_rotation(1000 * f + d + 500).toRotationMatrix()});
    }
  }
  return motion;
}

/// p + R s (X + U q), turned so that up is y.
Matrix3X reconstructed(const TreeClipMotion& motion, Index domain, Index step) {
  const Model& tree = *motion.tree;
  const ReducedSurface& surface = tree.part(domain).model.surface;
  Index first = 0;
  for (Index d = 0; d < domain; ++d) first += tree.rank(d);
  Matrix3X x = surface.mesh.vertices;
  x.reshaped() +=
      surface.basis.cast<double>() * motion.coordinates.col(step).segment(first, tree.rank(domain));
  const PoseMatrix& frame = motion.frames[static_cast<std::size_t>(step)][static_cast<std::size_t>(domain)];
  x = frame.rotation * tree.domains[static_cast<std::size_t>(domain)].scale * x;
  x.colwise() += frame.position;
  return rotation_between(motion.up, Vector3::UnitY()).toRotationMatrix() * x;
}

/// A clip as viewers see it.
struct Clip {
  std::string content;
  GltfContainer container;

  explicit Clip(const TreeClipMotion& motion, const std::vector<double>& times = four_times)
      : content(encode_tree_animation(times, motion, "clip.glb")), container(content, "clip.glb", {}) {}
  Clip(const Clip&) = delete;  // the container keeps views of the content
  Clip& operator=(const Clip&) = delete;

  [[nodiscard]] const json& document() const { return container.root().json(); }

  /// The output of the channel of a node that animates `path`; without columns where there is none.
  [[nodiscard]] Matrix channel(Index node, std::string_view path) const {
    const std::optional<JsonValue> animations = container.root().find("animations");
    if (!animations) return {};
    const JsonValue animation = animations->at(0);
    const JsonValue channels = animation.at("channels");
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const JsonValue target = channels.at(c).at("target");
      if (target.at("node").integer(0, 100) != node || target.at("path").text() != path) continue;
      const auto sampler = static_cast<std::size_t>(channels.at(c).at("sampler").integer(0, 100));
      return container.read(animation.at("samplers").at(sampler).at("output"));
    }
    return {};
  }

  /// What a node has in a frame: from its channel, else its own, else the given.
  [[nodiscard]] Vector value(Index node, std::string_view path, Index frame, const Vector& missing) const {
    const Matrix output = channel(node, path);
    if (output.cols() > 0) return output.reshaped(missing.size(), output.size() / missing.size()).col(frame);
    const json& item = document()["nodes"][static_cast<std::size_t>(node)];
    if (!item.contains(path)) return missing;
    const auto values = item[std::string(path)].get<std::vector<double>>();
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  }

  [[nodiscard]] JsonValue mesh(Index node) const {
    return container.root()
        .at("nodes")
        .at(static_cast<std::size_t>(node))
        .at("mesh")
        .item_of(container.root(), "meshes");
  }

  [[nodiscard]] Vector weights(Index node, Index frame) const {
    const auto own = mesh(node).find("weights");
    if (!own) return {};
    const auto values = own->json().get<std::vector<double>>();
    return value(node, "weights", frame,
                 Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
  }

  /// Vertices of a node in the world, by the formulas of glTF.
  [[nodiscard]] Matrix3X positions(Index node, Index frame) const {
    const JsonValue primitive = mesh(node).at("primitives").at(0);
    Matrix3X x = container.read(primitive.at("attributes").at("POSITION"));
    const Vector w = weights(node, frame);
    for (Index t = 0; t < w.size(); ++t) {
      x += w(t) * container.read(primitive.at("targets").at(static_cast<std::size_t>(t)).at("POSITION"));
    }
    x = value(node, "scale", frame, Vector3::Ones()).asDiagonal() * x;
    const Eigen::Vector4d rotation = value(node, "rotation", frame, Eigen::Vector4d::UnitW());
    x = Eigen::Quaterniond(rotation).toRotationMatrix() * x;
    return x.colwise() + Vector3(value(node, "translation", frame, Vector3::Zero()));
  }
};

// Floats have 24 bits, and each shape is a sum of a few of them.
constexpr double float_error = 2e-6;

void expect_reproduced(const TreeClipMotion& motion, const Clip& clip) {
  for (Index d = 0; d < motion.tree->domain_count(); ++d) {
    for (Index f = 0; f < motion.coordinates.cols(); ++f) {
      const Matrix3X expected = reconstructed(motion, d, f);
      const double error = (clip.positions(d, f) - expected).cwiseAbs().maxCoeff();
      EXPECT_LT(error, float_error * expected.cwiseAbs().maxCoeff()) << "domain " << d << ", frame " << f;
    }
  }
}

TEST(TreeAnimation, ReproducesTheMotion) {
  const Model tree = sample_tree();
  const TreeClipMotion motion = random_motion(tree);
  expect_reproduced(motion, Clip(motion));
}

TEST(TreeAnimation, TurnsWhatIsUpTowardsY) {
  const Model tree = sample_tree();
  TreeClipMotion motion = random_motion(tree);
  motion.up = Vector3(0.1, 0.0, 9.81);
  expect_reproduced(motion, Clip(motion));
}

TEST(TreeAnimation, FitsNormalsToMoreFramesThanItLooksAt) {
  const Model tree = sample_tree();
  const TreeClipMotion motion = random_motion(tree, 120);
  std::vector<double> times;
  for (int f = 0; f < 120; ++f) times.push_back(f / 24.0);
  const Clip clip(motion, times);
  // Unit normals of the small part, whose vertices move far: the blend points the same way in most frames.
  const JsonValue primitive = clip.mesh(1).at("primitives").at(0);
  const Eigen::Matrix3Xi& triangles = tree.parts[1].model.surface.mesh.triangles;
  double sum = 0.0;
  for (Index f = 0; f < 120; ++f) {
    Matrix3X x = clip.container.read(primitive.at("attributes").at("POSITION"));
    Matrix3X normals = clip.container.read(primitive.at("attributes").at("NORMAL"));
    const Vector w = clip.weights(1, f);
    for (Index t = 0; t < w.size(); ++t) {
      const JsonValue target = primitive.at("targets").at(static_cast<std::size_t>(t));
      x += w(t) * clip.container.read(target.at("POSITION"));
      normals += w(t) * clip.container.read(target.at("NORMAL"));
    }
    const Matrix3X expected = area_weighted_normals(x, triangles);
    sum += normals.colwise().normalized().cwiseProduct(expected).colwise().sum().mean();
  }
  EXPECT_GT(sum / 120.0, 0.98) << "mean cosine of the angle between normals";
}

TEST(TreeAnimation, KeepsWeightsBetween0And1) {
  const Model tree = sample_tree();
  const Clip clip(random_motion(tree));
  for (const Index d : {0, 1, 3, 4, 5}) {
    const Matrix weights = clip.channel(d, "weights");
    ASSERT_GT(weights.size(), 0) << d;
    EXPECT_GE(weights.minCoeff(), 0.0);
    EXPECT_LE(weights.maxCoeff(), 1.0);
  }
}

TEST(TreeAnimation, SharesMeshesAndTimes) {
  const Model tree = sample_tree();
  const Clip clip(random_motion(tree));
  const json& document = clip.document();
  EXPECT_EQ(document["nodes"][1]["mesh"], document["nodes"][3]["mesh"]);
  EXPECT_EQ(document["nodes"][1]["mesh"], document["nodes"][4]["mesh"]);
  for (const json& sampler : document["animations"][0]["samplers"]) {
    EXPECT_EQ(sampler["input"], document["animations"][0]["samplers"][0]["input"]);
  }
}

TEST(TreeAnimation, GivesNodesTheirOwnMeshWithTheSameDataWhereItHasSeveralPrimitives) {
  const Model tree = sample_tree();
  const Clip clip(random_motion(tree));
  EXPECT_NE(clip.document()["nodes"][0]["mesh"], clip.document()["nodes"][5]["mesh"]);
  EXPECT_EQ(clip.mesh(0).json(), clip.mesh(5).json());
  EXPECT_GT(clip.mesh(0).at("primitives").size(), 1U);
}

TEST(TreeAnimation, HasNoChannelsForWhatStaysWhereItIs) {
  const Model tree = sample_tree();
  TreeClipMotion motion = random_motion(tree);
  for (auto& frames : motion.frames) {
    frames[0] = motion.frames[0][0];
    frames[3].position = motion.frames[0][3].position;
  }
  motion.coordinates.topRows(3).setZero();
  const Clip clip(motion);
  for (const auto* path : {"translation", "rotation", "weights"}) {
    EXPECT_EQ(clip.channel(0, path).cols(), 0) << path;
  }
  EXPECT_EQ(clip.channel(3, "translation").cols(), 0);
  EXPECT_EQ(clip.channel(3, "rotation").cols(), 4);
  EXPECT_EQ(clip.channel(2, "weights").cols(), 0) << "a rigid part";
  expect_reproduced(motion, clip);
}

TEST(TreeAnimation, IsNoneForARigidTreeAtRest) {
  Model tree = sample_tree();
  TreeClipMotion motion = random_motion(tree, 1);
  motion.coordinates.setZero();
  const Clip clip(motion, {0.0});
  EXPECT_FALSE(clip.document().contains("animations"));
  expect_reproduced(motion, clip);
}

TEST(TreeAnimation, NamesNodesAsDomains) {
  const Model tree = sample_tree();
  const Clip clip(random_motion(tree));
  for (std::size_t d = 0; d < tree.domains.size(); ++d) {
    EXPECT_EQ(clip.document()["nodes"][d]["name"], tree.domains[d].name);
  }
  EXPECT_FALSE(clip.document().contains("extensions"));
}

TEST(TreeAnimation, RefusesMotionsThatMakeNoClip) {
  const Model tree = sample_tree();
  const TreeClipMotion good = random_motion(tree);
  const auto refusal = [](const TreeClipMotion& motion, const std::vector<double>& times = four_times) {
    return test::error_text([&] { (void)encode_tree_animation(times, motion, "clip.glb"); });
  };
  EXPECT_NO_THROW((void)encode_tree_animation(four_times, good, "clip.glb"));
  EXPECT_THAT(refusal(good, {}), HasSubstr("clip.glb: a clip needs at least one frame"));
  EXPECT_THAT(refusal({}), HasSubstr("a clip needs a tree of domains"));
  TreeClipMotion bad = good;
  bad.coordinates.conservativeResize(11, 4);
  EXPECT_THAT(refusal(bad), HasSubstr("is 11 x 4, expected 12 coordinates x 4 frames"));
  bad = good;
  bad.coordinates(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(bad), HasSubstr("not finite"));
  bad = good;
  bad.frames.pop_back();
  EXPECT_THAT(refusal(bad), HasSubstr("frames of domains in 3 steps, expected 4"));
  bad = good;
  bad.frames[2].pop_back();
  EXPECT_THAT(refusal(bad), HasSubstr("5 frames of domains in step 2, expected 6, one per domain"));
  bad = good;
  bad.frames[1][3].rotation *= 1.001;
  EXPECT_THAT(refusal(bad), HasSubstr("3' is not a rotation in step 1"));
  bad.frames[1][3].rotation = -Matrix3::Identity();
  EXPECT_THAT(refusal(bad), HasSubstr("not a rotation"));
  bad = good;
  bad.frames[3][1].position.x() = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(bad), HasSubstr("1' is at (inf, "));
  bad = good;
  bad.up.setZero();
  EXPECT_THAT(refusal(bad), HasSubstr("expected a direction"));
}

}  // namespace
}  // namespace limber::tree_animation_test
