#include "limber/io/gltf.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/model_file.hpp"
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

Model round_trip(const Model& tree) { return parse_model(encode_model(tree, "test.glb"), "test.glb"); }

TEST(TreeFile, ReadsBackToTheSameBits) {
  EXPECT_EQ(difference(round_trip(sample_tree()), sample_tree()), "");
  EXPECT_EQ(difference(round_trip(test::small_tree()), test::small_tree()), "");
}

TEST(TreeFile, KeepsWhichVerticesAreShared) {
  EXPECT_EQ(difference(round_trip(shared_tree()), shared_tree()), "");
}

TEST(TreeFile, KeepsRigidPartsOfEverySort) {
  Model tree = test::small_tree();
  tree.parts[0] = test::random_part(test::rigid_model(test::small_model()), 1, 1);
  EXPECT_EQ(difference(round_trip(tree), tree), "") << "without a mesh";
  ReducedModel model = test::rigid_model(test::sample_model());
  tree.parts[0] = test::random_part(model, 1, 1);
  EXPECT_EQ(difference(round_trip(tree), tree), "") << "with a mesh";
  model = test::with_cubature(std::move(model), test::RuleKind::one_weight);
  model.regions[1].material.law = make_law("neo-hookean", {1e6 / 3.0, 1e5 / 7.0});
  tree.parts[0] = test::random_part(model, 1, 1);
  EXPECT_EQ(difference(round_trip(tree), tree), "") << "of another law";
}

TEST(TreeFile, HasTheSameBytesTwice) {
  EXPECT_EQ(encode_model(sample_tree(), "a"), encode_model(sample_tree(), "b"));
  const std::string content = encode_model(sample_tree(), "a");
  EXPECT_EQ(encode_model(parse_model(content, "a"), "a"), content);
}

TEST(TreeFile, GoesThroughTheDisk) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "limber_tree.glb";
  write_model(path, sample_tree());
  EXPECT_EQ(difference(read_model(path), sample_tree()), "");
  std::filesystem::remove(path);
}

TEST(TreeFile, HasANodePerDomainAndAMeshPerPart) {
  const Model tree = sample_tree();
  const GlbChunks chunks(encode_model(tree, "test.glb"));
  const json& nodes = chunks.document["nodes"];
  ASSERT_EQ(nodes.size(), tree.domains.size() + 1) << "and one that turns all";
  ASSERT_EQ(chunks.document["meshes"].size(), tree.parts.size());
  EXPECT_EQ(nodes[6]["children"], json({0, 1, 2, 3, 4, 5})) << "poses are of the world";
  EXPECT_EQ(chunks.document["scenes"][0]["nodes"], json({6}));
  for (std::size_t i = 0; i < tree.domains.size(); ++i) {
    const Domain& domain = tree.domains[i];
    EXPECT_EQ(nodes[i]["name"], domain.name);
    EXPECT_EQ(nodes[i]["mesh"], domain.part);
    EXPECT_EQ(nodes[i]["translation"], json({domain.position.x(), domain.position.y(), domain.position.z()}));
    EXPECT_EQ(nodes[i].contains("rotation"), i > 0);
    EXPECT_EQ(nodes[i].contains("scale"), i > 0);
  }
  const Eigen::Vector4d rotation = tree.domains[2].rotation.coeffs();
  EXPECT_EQ(nodes[2]["rotation"], json({rotation.x(), rotation.y(), rotation.z(), rotation.w()}));
  EXPECT_EQ(nodes[2]["scale"], json(std::vector<double>(3, tree.domains[2].scale)));
}

TEST(TreeFile, HasMorphTargetsExceptForRigidParts) {
  const GlbChunks chunks(encode_model(sample_tree(), "test.glb"));
  const json& meshes = chunks.document["meshes"];
  EXPECT_EQ(meshes[0]["primitives"][0]["targets"].size(), 3U);
  EXPECT_EQ(meshes[1]["extras"]["targetNames"], json({"q1", "q2"}));
  EXPECT_FALSE(meshes[2]["primitives"][0].contains("targets"));
  EXPECT_FALSE(meshes[2].contains("weights"));
}

TEST(TreeFile, IsAnOrdinarySurfaceToReadersOfGltf) {
  const Model tree = shared_tree();
  const SurfaceMesh surface = parse_gltf(encode_model(tree, "test.glb"), "test.glb");
  EXPECT_EQ(surface.triangle_count(), 2 * tree.parts[0].model.surface.mesh.triangle_count());
}

TEST(TreeFile, LooksLikeAModel) {
  const std::string content = encode_model(test::small_tree(), "test.glb");
  EXPECT_TRUE(looks_like_model(content));
  EXPECT_FALSE(looks_like_model(std::string_view(content).substr(0, content.size() / 2)));
}

TEST(TreeFile, IsRefusedWhereABodyThatWasReducedAsOneIsExpected) {
  const Model read = round_trip(test::small_tree());
  EXPECT_EQ(test::error_text([&] { (void)single_domain(read, "test.glb"); }),
            "test.glb: is a tree of 2 domains, expected a body that was reduced as one");
}

TEST(TreeFile, IsNotWrittenForATreeThatDoesNotFitTogether) {
  const auto refusal = [](const Model& tree) {
    return test::error_text([&] { (void)encode_model(tree, "test.glb"); });
  };
  Model tree = test::small_tree();
  tree.domains[1].port = 1;
  EXPECT_THAT(refusal(tree), testing::StartsWith("test.glb: domain 1"));
  tree = test::small_tree();
  tree.domains[1].name = "\xFF";
  EXPECT_THAT(refusal(tree), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace limber::tree_file_test
