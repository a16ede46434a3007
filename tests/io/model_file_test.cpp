#include "limber/io/model_file.hpp"

#include "limber/io/gltf.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/surface_file.hpp"
#include "tests/io/tree_support.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <limits>
#include <tuple>

namespace limber::model_file_test {
namespace {

using nlohmann::json;
using test::difference;
using test::encode_single;
using test::GlbChunks;
using test::RuleKind;
using test::sample_model;
using test::small_cubature_model;
using test::small_model;
using test::with_cubature;
using testing::HasSubstr;

ReducedModel round_trip(const ReducedModel& model) {
  return single_domain(parse_model(encode_single(model), "test.glb"), "test.glb");
}

/// What a file says about its only part.
json part_of(const GlbChunks& chunks) {
  return chunks.document["extensions"][std::string(model_extension)]["parts"][0];
}

class ModelFileOfElements : public testing::TestWithParam<ElementKind> {};

TEST_P(ModelFileOfElements, ReadsBackToTheSameBits) {
  const ReducedModel model = sample_model(GetParam());
  EXPECT_EQ(difference(round_trip(model), model), "");
}

INSTANTIATE_TEST_SUITE_P(All, ModelFileOfElements,
                         testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const testing::TestParamInfo<ElementKind>& kind) {
                           return std::string(name_of(kind.param));
                         });

class ModelFileOfRules : public testing::TestWithParam<std::tuple<ElementKind, RuleKind>> {};

TEST_P(ModelFileOfRules, ReadsBackToTheSameBits) {
  const auto [element, kind] = GetParam();
  ReducedModel model = with_cubature(sample_model(element), kind);
  ASSERT_EQ(model.regions.size(), 3U);
  model.regions[1].material.law = make_law("neo-hookean", {1e6 / 3.0, 1e5 / 7.0});
  model.regions[2].material.law = make_law("arruda-boyce", {1e6 / 3.0, 1e5 / 7.0}, {.locking_stretch = 1.7});
  model.cubature->gradients(0, 0) = -0.0;
  model.cubature->gradients(1, 0) = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(difference(round_trip(model), model), "");
  model.simulation.reset();
  EXPECT_EQ(difference(round_trip(model), model), "") << "without a simulation mesh";
}

INSTANTIATE_TEST_SUITE_P(All, ModelFileOfRules,
                         testing::Combine(testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                                          testing::Values(RuleKind::one_weight,
                                                          RuleKind::weight_per_coordinate)),
                         [](const testing::TestParamInfo<std::tuple<ElementKind, RuleKind>>& rule) {
                           return fmt::format("{}_{}", name_of(std::get<0>(rule.param)),
                                              std::get<1>(rule.param) == RuleKind::one_weight
                                                  ? "one_weight"
                                                  : "weight_per_coordinate");
                         });

class ModelFileOfLaws : public testing::TestWithParam<std::string_view> {};

TEST_P(ModelFileOfLaws, ReadsBackToTheSameBits) {
  ReducedModel model = small_cubature_model();
  model.regions[0].material.law = make_law(GetParam(), {1e6 / 3.0, 1e5 / 7.0},
                                           {.mooney_share = 1.0 / 7.0, .locking_stretch = 1.0 + 1.0 / 3.0});
  const ReducedModel read = round_trip(model);
  EXPECT_EQ(difference(read, model), "");
  const Matrix3 F = Matrix3::Identity() + test::random_matrix(3, 3, 0.1, 3);
  EXPECT_EQ(stress(read.regions[0].material.law, F), stress(model.regions[0].material.law, F));
}

INSTANTIATE_TEST_SUITE_P(All, ModelFileOfLaws, testing::ValuesIn(material_names),
                         [](const testing::TestParamInfo<std::string_view>& law) {
                           std::string name(law.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ModelFile, KeepsRulesOfRankOneAndOfOnePoint) {
  for (const RuleKind kind : {RuleKind::one_weight, RuleKind::weight_per_coordinate}) {
    ReducedModel model = small_cubature_model(kind, 1);
    EXPECT_EQ(difference(round_trip(model), model), "") << "rank 1";
    model = with_cubature(sample_model(), kind, 1);
    EXPECT_EQ(difference(round_trip(model), model), "") << "one point";
  }
}

TEST(ModelFile, LeavesOutEnergyWeightsThatAreTheWeights) {
  const auto has_energy_weights = [](const ReducedModel& model) {
    return part_of(GlbChunks(encode_single(model)))["cubature"].contains("energy_weights");
  };
  ReducedModel model = small_cubature_model();
  EXPECT_FALSE(has_energy_weights(model));
  EXPECT_TRUE(has_energy_weights(small_cubature_model(RuleKind::weight_per_coordinate)));
  model.cubature->energy_weights[0] = -0.0;  // equal, but of other bits
  EXPECT_TRUE(has_energy_weights(model));
  EXPECT_EQ(difference(round_trip(model), model), "");
  model.cubature->energy_weights[1] *= 2.0;
  EXPECT_EQ(difference(round_trip(model), model), "");
}

TEST(ModelFile, SaysItsVersion) {
  const GlbChunks chunks(encode_single(small_model()));
  EXPECT_EQ(chunks.document["extensions"][std::string(model_extension)]["version"], model_version);
}

TEST(ModelFile, KeepsWhichWayIsUpAndStandsInOtherPrograms) {
  for (const UpAxis up : {UpAxis::x, UpAxis::y, UpAxis::z}) {
    Model model = make_model(sample_model(), false);
    model.up = up;
    const std::string content = encode_model(model, "test.glb");
    EXPECT_EQ(parse_model(content, "test.glb").up, up);
    const GlbChunks chunks(content);
    const json& roots = chunks.document["scenes"][0]["nodes"];
    ASSERT_EQ(roots.size(), 1u);
    const json& root = chunks.document["nodes"][roots[0].get<std::size_t>()];
    EXPECT_EQ(root.contains("rotation"), up != UpAxis::y);
    // As other programs have it: the surface, turned so that what is up is y.
    const SurfaceMesh seen = parse_surface(content, "test.glb");
    const Matrix3X& made = model.parts.front().model.surface.mesh.vertices;
    EXPECT_NEAR(seen.vertices.row(1).maxCoeff(), made.row(static_cast<Index>(up)).maxCoeff(), 1e-6);
    EXPECT_NEAR(seen.vertices.row(1).minCoeff(), made.row(static_cast<Index>(up)).minCoeff(), 1e-6);
  }
}

TEST(ModelFile, LeavesOutWarpDataThatAModelHasNot) {
  EXPECT_FALSE(part_of(GlbChunks(encode_single(small_model()))).contains("warp"));
}

TEST(ModelFile, MakesNoWarpDataFromAMesh) {
  ReducedModel model = sample_model();
  model.warp.reset();
  EXPECT_EQ(difference(round_trip(model), model), "");
}

TEST(ModelFile, HoldsABodyThatWasReducedAsOneAsATreeOfOneDomain) {
  for (const bool free : {false, true}) {
    const Model model = make_model(sample_model(), free);
    const Model read = parse_model(encode_model(model, "test.glb"), "test.glb");
    EXPECT_EQ(difference(read, model), "");
    EXPECT_EQ(read.free, free);
    ASSERT_EQ(read.domain_count(), 1);
    EXPECT_EQ(read.domains[0].name, read.name);
  }
}

TEST(ModelFile, KeepsRigidBodies) {
  const ReducedModel model = test::rigid_model(sample_model());
  EXPECT_EQ(difference(round_trip(model), model), "");
}

TEST(ModelFile, KeepsOneLump) {
  ReducedModel model = small_model(1);
  model.warp = test::random_warp_data(model, 3, 1);
  EXPECT_EQ(difference(round_trip(model), model), "");
}

TEST(ModelFile, KeepsModelsWithoutASimulationMesh) {
  ReducedModel model = sample_model();
  model.simulation.reset();
  EXPECT_EQ(difference(round_trip(model), model), "");
}

TEST(ModelFile, KeepsModelsWithoutFixedVerticesAndNames) {
  ReducedModel model = sample_model();
  model.name.clear();
  model.description.clear();
  model.simulation->fixed.clear();
  EXPECT_EQ(difference(round_trip(model), model), "");
}

TEST(ModelFile, KeepsWhatTheEmbeddingSaysAboutPointsOutside) {
  ReducedModel model = sample_model();
  model.simulation->embedding.outside = 5;
  model.simulation->embedding.farthest = 1e-3 / 7.0;
  EXPECT_EQ(difference(round_trip(model), model), "");
}

TEST(ModelFile, KeepsTheOrderOfTrianglesAcrossParts) {
  ReducedModel model = small_model();
  model.surface.mesh.parts = {"a", "b", "c"};
  model.surface.mesh.part = {2, 0, 2, 0};
  model.surface.colors.assign(3, Vector3(0.1, 0.2, 0.3));
  EXPECT_EQ(difference(round_trip(model), model), "");
}

TEST(ModelFile, KeepsModelsThatAreWrittenAndReadAsFiles) {
  const test::ScratchFolder folder;
  const ReducedModel model = small_model();
  write_model(folder / "model.glb", make_model(model, false));
  EXPECT_EQ(difference(read_model(folder / "model.glb"), make_model(model, false)), "");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(ModelFile, IsASurfaceForOtherReaders) {
  const ReducedModel model = sample_model();
  Model whole = make_model(model, false);
  whole.up = UpAxis::y;
  const SurfaceMesh surface = parse_gltf(encode_model(whole, "test.glb"), "test.glb");
  EXPECT_EQ(surface.vertices, model.surface.mesh.vertices);
  EXPECT_EQ(surface.triangle_count(), model.surface.mesh.triangle_count());
}

TEST(ModelFile, HasAMorphTargetPerCoordinate) {
  const ReducedModel model = sample_model();
  const std::string content = encode_single(model);
  const GltfContainer container(content, "test.glb", {});
  const JsonValue mesh = container.root().at("meshes").at(0);
  EXPECT_EQ(mesh.at("weights").json(), json({0.0, 0.0, 0.0}));
  EXPECT_EQ(mesh.at("extras").at("targetNames").json(), json({"q1", "q2", "q3"}));
  ASSERT_EQ(mesh.at("primitives").size(), 3U) << "one per part with triangles";
  for (std::size_t p = 0; p < 3; ++p) {
    const JsonValue targets = mesh.at("primitives").at(p).at("targets");
    for (Index i = 0; i < 3; ++i) {
      const Matrix target = container.read(targets.at(static_cast<std::size_t>(i)).at("POSITION"));
      EXPECT_EQ(target.reshaped(), model.surface.basis.col(i).cast<double>()) << i;
    }
  }
}

TEST(ModelFile, WritesColoursAsLinearLight) {
  const ReducedModel model = small_model();  // sRGB 0.5
  const GlbChunks chunks(encode_single(model));
  const json& factor = chunks.document["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"];
  EXPECT_NEAR(factor[0].get<double>(), 0.2140411, 1e-6);  // IEC 61966-2-1
  EXPECT_EQ(factor[3], 1.0);
}

TEST(ModelFile, StartsDoublesAtMultiplesOfEightBytesOfTheFile) {
  const std::string content = encode_single(sample_model());
  const GlbChunks chunks(content);
  EXPECT_EQ((content.size() - chunks.bytes.size()) % 8, 0U);
  for (const json& view : chunks.document["bufferViews"]) {
    EXPECT_EQ(view["byteOffset"].get<int>() % 8, 0);
  }
}

TEST(ModelFile, NamesItsExtensionWithoutRequiringIt) {
  const GlbChunks chunks(encode_single(small_model()));
  EXPECT_EQ(chunks.document["extensionsUsed"], json({model_extension}));
  EXPECT_FALSE(chunks.document.contains("extensionsRequired"));
}

TEST(ModelFile, WriterRefusesWhatTheFormatCannotHold) {
  const auto refusal = [](const ReducedModel& model) {
    return test::error_text([&] { (void)encode_single(model); });
  };
  ReducedModel model = small_model();
  model.name = "\xff\xfe";
  EXPECT_THAT(refusal(model), HasSubstr("test.glb: a name is not UTF-8"));
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    model = small_model();
    model.regions[0].mu_energy[3] = bad;
    EXPECT_THAT(refusal(model), HasSubstr("not finite"));
    model = small_model();
    model.surface.basis(2, 1) = static_cast<float>(bad);
    EXPECT_THAT(refusal(model), HasSubstr("not finite"));
    model = small_cubature_model();
    model.cubature->gradients(4, 1) = bad;
    EXPECT_THAT(refusal(model), HasSubstr("not finite"));
    model = small_model();
    model.regions[0].volume = bad;
    EXPECT_THAT(refusal(model), HasSubstr("volume"));
    model = small_model();
    model.regions[0].moments.second_pairs(3, 2) = bad;
    EXPECT_THAT(refusal(model), HasSubstr("not finite"));
    model = small_model();
    model.regions[0].moments.first.z() = bad;
    EXPECT_THAT(refusal(model), HasSubstr("not finite"));
    model = sample_model();
    model.warp->surface_rotations(7, 1) = static_cast<float>(bad);
    EXPECT_THAT(refusal(model), HasSubstr("not finite"));
  }
}

TEST(ModelFile, TellsModelsFromOtherFiles) {
  const std::string content = encode_single(small_model());
  EXPECT_TRUE(looks_like_model(content));
  EXPECT_FALSE(looks_like_model(test::tetrahedron_sample().glb()));
  EXPECT_FALSE(looks_like_model("solid ascii"));
  EXPECT_FALSE(looks_like_model(""));
  EXPECT_FALSE(looks_like_model(content.substr(0, content.size() / 2)));
}

}  // namespace
}  // namespace limber::model_file_test
