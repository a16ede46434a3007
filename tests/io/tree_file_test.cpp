#include "limber/io/tree_file.hpp"

#include "limber/io/gltf.hpp"
#include "limber/io/gltf_container.hpp"
#include "tests/io/tree_support.hpp"

#include <gmock/gmock.h>

namespace limber::tree_file_test {
namespace {

using nlohmann::json;
using test::difference;
using test::GlbChunks;
using test::sample_tree;
using test::shared_tree;
using testing::HasSubstr;

DomainTree round_trip(const DomainTree& tree) {
  return parse_tree(encode_tree(tree, "test.glb"), "test.glb");
}

TEST(TreeFile, ReadsBackToTheSameBits) {
  EXPECT_EQ(difference(round_trip(sample_tree()), sample_tree()), "");
  EXPECT_EQ(difference(round_trip(test::small_tree()), test::small_tree()), "");
}

TEST(TreeFile, KeepsWhichVerticesAreShared) {
  EXPECT_EQ(difference(round_trip(shared_tree()), shared_tree()), "");
}

TEST(TreeFile, KeepsRigidKindsOfEverySort) {
  DomainTree tree = test::small_tree();
  tree.kinds[0] = test::random_kind(test::rigid_model(test::small_model()), 1, 1);
  EXPECT_EQ(difference(round_trip(tree), tree), "") << "without a mesh";
  ReducedModel model = test::rigid_model(test::sample_model());
  tree.kinds[0] = test::random_kind(model, 1, 1);
  EXPECT_EQ(difference(round_trip(tree), tree), "") << "with a mesh";
  model = test::with_cubature(std::move(model), test::RuleKind::one_weight);
  model.regions[1].material.law = make_law("neo-hookean", {1e6 / 3.0, 1e5 / 7.0});
  tree.kinds[0] = test::random_kind(model, 1, 1);
  EXPECT_EQ(difference(round_trip(tree), tree), "") << "of another law";
}

TEST(TreeFile, MakesNoWarpData) {
  DomainTree tree = sample_tree();
  tree.kinds[0].model.warp.reset();
  EXPECT_EQ(difference(round_trip(tree), tree), "");
}

TEST(TreeFile, HasTheSameBytesTwice) {
  EXPECT_EQ(encode_tree(sample_tree(), "a"), encode_tree(sample_tree(), "b"));
  const std::string content = encode_tree(sample_tree(), "a");
  EXPECT_EQ(encode_tree(parse_tree(content, "a"), "a"), content);
}

TEST(TreeFile, GoesThroughTheDisk) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "limber_tree.glb";
  write_tree(path, sample_tree());
  EXPECT_EQ(difference(read_tree(path), sample_tree()), "");
  std::filesystem::remove(path);
}

TEST(TreeFile, HasANodePerDomainAndAMeshPerKind) {
  const DomainTree tree = sample_tree();
  const GlbChunks chunks(encode_tree(tree, "test.glb"));
  const json& nodes = chunks.document["nodes"];
  ASSERT_EQ(nodes.size(), tree.domains.size());
  ASSERT_EQ(chunks.document["meshes"].size(), tree.kinds.size());
  EXPECT_EQ(chunks.document["scenes"][0]["nodes"], json({0, 1, 2, 3, 4, 5})) << "poses are of the world";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Domain& domain = tree.domains[i];
    EXPECT_EQ(nodes[i]["name"], domain.name);
    EXPECT_EQ(nodes[i]["mesh"], domain.kind);
    EXPECT_EQ(nodes[i]["translation"], json({domain.position.x(), domain.position.y(), domain.position.z()}));
    EXPECT_EQ(nodes[i].contains("rotation"), i > 0);
    EXPECT_EQ(nodes[i].contains("scale"), i > 0);
  }
  const Eigen::Vector4d rotation = tree.domains[2].rotation.coeffs();
  EXPECT_EQ(nodes[2]["rotation"], json({rotation.x(), rotation.y(), rotation.z(), rotation.w()}));
  EXPECT_EQ(nodes[2]["scale"], json(std::vector<double>(3, tree.domains[2].scale)));
}

TEST(TreeFile, HasMorphTargetsExceptForRigidKinds) {
  const GlbChunks chunks(encode_tree(sample_tree(), "test.glb"));
  const json& meshes = chunks.document["meshes"];
  EXPECT_EQ(meshes[0]["primitives"][0]["targets"].size(), 3U);
  EXPECT_EQ(meshes[1]["extras"]["targetNames"], json({"q1", "q2"}));
  EXPECT_FALSE(meshes[2]["primitives"][0].contains("targets"));
  EXPECT_FALSE(meshes[2].contains("weights"));
}

TEST(TreeFile, IsAnOrdinarySurfaceToReadersOfGltf) {
  const DomainTree tree = shared_tree();
  const SurfaceMesh surface = parse_gltf(encode_tree(tree, "test.glb"), "test.glb");
  EXPECT_EQ(surface.triangle_count(), 2 * tree.kinds[0].model.surface.mesh.triangle_count());
}

TEST(TreeFile, LooksLikeATree) {
  const std::string content = encode_tree(test::small_tree(), "test.glb");
  EXPECT_TRUE(looks_like_tree(content));
  EXPECT_FALSE(looks_like_model(content));
  EXPECT_FALSE(looks_like_tree(encode_model(test::small_model(), "test.glb")));
  EXPECT_FALSE(looks_like_tree("solid ascii"));
  EXPECT_FALSE(looks_like_tree(std::string_view(content).substr(0, content.size() / 2)));
}

TEST(TreeFile, IsNotWrittenForATreeThatDoesNotFitTogether) {
  const auto refusal = [](const DomainTree& tree) {
    return test::error_text([&] { (void)encode_tree(tree, "test.glb"); });
  };
  DomainTree tree = test::small_tree();
  tree.domains[1].port = 1;
  EXPECT_THAT(refusal(tree), testing::StartsWith("test.glb: domain 1"));
  tree = test::small_tree();
  tree.domains[1].name = "\xFF";
  EXPECT_THAT(refusal(tree), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace limber::tree_file_test
