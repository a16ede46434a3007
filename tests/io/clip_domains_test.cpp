#include "limber/io/clip_file.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/model_normals.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/io/tree_support.hpp"

#include <gmock/gmock.h>
#include <set>

namespace limber::clip_domains_test {
namespace {

using nlohmann::json;
using test::sample_tree;
using testing::HasSubstr;

const std::vector<double> four_times{5.0, 5.25, 5.5, 6.0};

using Motion = std::vector<ClipNode>;

/// Random coordinates and frames of all domains.
Motion random_motion(const Model& tree, Index steps = 4) {
  Motion motion;
  for (Index d = 0; d < tree.domain_count(); ++d) {
    const auto seed = static_cast<std::uint64_t>(d);
    const Domain& domain = tree.domains[static_cast<std::size_t>(d)];
    ClipNode node;
    node.surface = &tree.part(d).model.surface;
    node.name = domain.name;
    node.coordinates = test::random_matrix(tree.rank(d), steps, 2.0, 9 + seed);
    node.scale = domain.scale;
    node.shape = tree.part(d).model.name;
    for (std::uint64_t f = 0; f < static_cast<std::uint64_t>(steps); ++f) {
      node.frame.push_back(
          {test::random_vector(3, 1.0, 1000 * f + seed), test::random_rotation(1000 * f + seed + 500)});
    }
    motion.push_back(std::move(node));
  }
  return motion;
}

/// p + R s (X + U q), turned so that up is y.
Matrix3X reconstructed(const ClipNode& node, Index step) {
  Matrix3X x = node.surface->mesh.vertices;
  x.reshaped() += node.surface->basis.cast<double>() * node.coordinates.col(step);
  const Pose& frame = node.frame[static_cast<std::size_t>(step)];
  x = frame.rotation.toRotationMatrix() * node.scale * x;
  x.colwise() += frame.position;
  return rotation_between(node.up, Vector3::UnitY()).toRotationMatrix() * x;
}

/// A clip as viewers see it.
struct Clip {
  std::string content;
  GltfContainer container;

  explicit Clip(const Motion& motion, const std::vector<double>& times = four_times)
      : content(encode_animation(times, motion, "clip.glb")), container(content, "clip.glb", {}) {}
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

void expect_reproduced(const Motion& motion, const Clip& clip) {
  for (std::size_t d = 0; d < motion.size(); ++d) {
    for (Index f = 0; f < motion[d].coordinates.cols(); ++f) {
      const Matrix3X expected = reconstructed(motion[d], f);
      const double error = (clip.positions(static_cast<Index>(d), f) - expected).cwiseAbs().maxCoeff();
      EXPECT_LT(error, float_error * expected.cwiseAbs().maxCoeff()) << "domain " << d << ", frame " << f;
    }
  }
}

TEST(ClipDomains, ReproducesTheMotion) {
  const Model tree = sample_tree();
  const Motion motion = random_motion(tree);
  expect_reproduced(motion, Clip(motion));
}

/// How many surfaces a clip holds: meshes of one surface have one set of positions.
std::size_t surface_count(const Clip& clip) {
  std::set<int> positions;
  for (const json& mesh : clip.document()["meshes"])
    positions.insert(mesh["primitives"][0]["attributes"]["POSITION"].get<int>());
  return positions.size();
}

TEST(ClipDomains, CopiesOfAModelShareTheirSurfaces) {
  const Model tree = sample_tree(), twin = tree;
  Motion motion = random_motion(tree);
  const std::size_t alone = surface_count(Clip(motion));
  for (ClipNode& node : random_motion(twin)) {
    node.coordinates *= 0.5;
    motion.push_back(std::move(node));
  }
  const Clip clip(motion);
  EXPECT_EQ(surface_count(clip), alone);
  expect_reproduced(motion, clip);
}

TEST(ClipDomains, SurfacesThatDifferInOneNumberAreNotShared) {
  const Model tree = sample_tree();
  Model twin = tree;
  for (ReducedPart& part : twin.parts) part.model.surface.mesh.vertices(0, 0) += 1.0;
  Motion motion = random_motion(tree);
  const std::size_t alone = surface_count(Clip(motion));
  for (ClipNode& node : random_motion(twin)) motion.push_back(std::move(node));
  const Clip clip(motion);
  EXPECT_EQ(surface_count(clip), 2 * alone);
  expect_reproduced(motion, clip);
}

TEST(ClipDomains, TurnsWhatIsUpTowardsY) {
  const Model tree = sample_tree();
  Motion motion = random_motion(tree);
  for (ClipNode& node : motion) node.up = Vector3(0.1, 0.0, 9.81);
  expect_reproduced(motion, Clip(motion));
}

TEST(ClipDomains, FitsNormalsToMoreFramesThanItLooksAt) {
  const Model tree = sample_tree();
  const Motion motion = random_motion(tree, 120);
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

TEST(ClipDomains, KeepsWeightsBetween0And1) {
  const Model tree = sample_tree();
  const Clip clip(random_motion(tree));
  for (const Index d : {0, 1, 3, 4, 5}) {
    const Matrix weights = clip.channel(d, "weights");
    ASSERT_GT(weights.size(), 0) << d;
    EXPECT_GE(weights.minCoeff(), 0.0);
    EXPECT_LE(weights.maxCoeff(), 1.0);
  }
}

TEST(ClipDomains, SharesMeshesAndTimes) {
  const Model tree = sample_tree();
  const Clip clip(random_motion(tree));
  const json& document = clip.document();
  EXPECT_EQ(document["nodes"][1]["mesh"], document["nodes"][3]["mesh"]);
  EXPECT_EQ(document["nodes"][1]["mesh"], document["nodes"][4]["mesh"]);
  for (const json& sampler : document["animations"][0]["samplers"]) {
    EXPECT_EQ(sampler["input"], document["animations"][0]["samplers"][0]["input"]);
  }
}

TEST(ClipDomains, GivesNodesTheirOwnMeshWithTheSameDataWhereItHasSeveralPrimitives) {
  const Model tree = sample_tree();
  const Clip clip(random_motion(tree));
  EXPECT_NE(clip.document()["nodes"][0]["mesh"], clip.document()["nodes"][5]["mesh"]);
  EXPECT_EQ(clip.mesh(0).json(), clip.mesh(5).json());
  EXPECT_GT(clip.mesh(0).at("primitives").size(), 1U);
}

TEST(ClipDomains, HasNoChannelsForWhatStaysWhereItIs) {
  const Model tree = sample_tree();
  Motion motion = random_motion(tree);
  for (std::size_t f = 0; f < 4; ++f) {
    motion[0].frame[f] = motion[0].frame[0];
    motion[3].frame[f].position = motion[3].frame[0].position;
  }
  motion[0].coordinates.setZero();
  const Clip clip(motion);
  for (const auto* path : {"translation", "rotation", "weights"}) {
    EXPECT_EQ(clip.channel(0, path).cols(), 0) << path;
  }
  EXPECT_EQ(clip.channel(3, "translation").cols(), 0);
  EXPECT_EQ(clip.channel(3, "rotation").cols(), 4);
  EXPECT_EQ(clip.channel(2, "weights").cols(), 0) << "a rigid part";
  expect_reproduced(motion, clip);
}

TEST(ClipDomains, IsNoneForARigidTreeAtRest) {
  Model tree = sample_tree();
  Motion motion = random_motion(tree, 1);
  for (ClipNode& node : motion) node.coordinates.setZero();
  const Clip clip(motion, {0.0});
  EXPECT_FALSE(clip.document().contains("animations"));
  expect_reproduced(motion, clip);
}

TEST(ClipDomains, NamesNodesAsDomains) {
  const Model tree = sample_tree();
  const Clip clip(random_motion(tree));
  for (std::size_t d = 0; d < tree.domains.size(); ++d) {
    EXPECT_EQ(clip.document()["nodes"][d]["name"], tree.domains[d].name);
  }
  EXPECT_EQ(clip.mesh(0).at("name").text(), tree.parts[0].model.name);
  EXPECT_FALSE(clip.document().contains("extensions"));
}

}  // namespace
}  // namespace limber::clip_domains_test
