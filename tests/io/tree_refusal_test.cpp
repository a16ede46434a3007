#include "limber/io/model_file.hpp"
#include "tests/io/damage_support.hpp"
#include "tests/io/tree_support.hpp"

#include <gmock/gmock.h>

namespace limber::tree_refusal_test {
namespace {

using nlohmann::json;
using test::Damage;
using test::GlbChunks;
using test::infinite;
using test::poke;
using test::sample_tree;
using testing::StartsWith;

json& part(json& e, int k) { return e["parts"][static_cast<std::size_t>(k)]; }
json& port(json& e) { return e["parts"][0]["ports"][1]; }
json& domain(json& e, int i) { return e["domains"][static_cast<std::size_t>(i)]; }

const std::vector<Damage> damages{
    {"RankNegative", [](GlbChunks&, json& e) { part(e, 0)["rank"] = -1; },
     "LIMBER_model.parts[0].rank: expected an integer from 0 to 1000, found -1"},
    {"RankZero", [](GlbChunks&, json& e) { part(e, 1)["rank"] = 0; },
     "parts[1].regions[0].mass: expected none, because it has no numbers"},
    {"RankOfARigidPart", [](GlbChunks&, json& e) { part(e, 2)["rank"] = 1; },
     "parts[2].regions[0].lambda_energy: its buffer view has 8 bytes, expected 40"},
    {"MassInfinite", [](GlbChunks& c, json& e) { poke(c, part(e, 0)["regions"][0]["mass"], 0, infinite); },
     "parts[0].regions[0].mass: number 0 is not finite"},
    {"CubatureLeftOut", [](GlbChunks&, json& e) { part(e, 1).erase("cubature"); },
     "parts[1].regions[0].law: mooney-rivlin has no exact reduced forces"},
    {"MeshOutOfRange", [](GlbChunks&, json& e) { part(e, 0)["mesh"] = 4; },
     "parts[0].mesh: expected an integer from 0 to 3, found 4"},
    {"MeshOfAnotherPart", [](GlbChunks&, json& e) { part(e, 0)["mesh"] = 1; },
     "targets: expected 3, one per coordinate, found 2"},
    {"TargetsOfARigidPart", [](GlbChunks&, json& e) { part(e, 2)["mesh"] = 0; },
     "targets: expected 0, one per coordinate, found 3"},
    {"WarpOfARigidPart", [](GlbChunks&, json& e) { part(e, 2)["warp"] = part(e, 0)["warp"]; },
     "parts[2].warp: expected none, because a body without coordinates does not bend"},

    {"MassBeyondAllNumbers", [](GlbChunks&, json& e) { domain(e, 1)["scale"] = 1e150; },
     "has a mass of inf kg, expected a positive number; change its density or its scale"},
    {"NoMassAtAll", [](GlbChunks&, json& e) { domain(e, 1)["scale"] = 1e-150; },
     "has a mass of 0 kg, expected a positive number"},

    {"NoMoments", [](GlbChunks&, json& e) { part(e, 1)["regions"][0].erase("moments"); },
     "parts[1].regions[0]: 'moments' is missing"},
    {"SecondMomentAsymmetric",
     [](GlbChunks&, json& e) { part(e, 1)["regions"][0]["moments"]["second"][1] = 100; },
     "part 1 (''): region 0: the second moment is not symmetric"},
    {"MomentsOfModesOfARigidPart",
     [](GlbChunks&, json& e) { part(e, 2)["regions"][0]["moments"]["second_rows"] = 0; },
     "parts[2].regions[0].moments.second_rows: expected none, because it has no numbers"},
    {"MomentsOfPairsOfARigidPart",
     [](GlbChunks&, json& e) { part(e, 2)["regions"][1]["moments"]["second_pairs"] = 0; },
     "parts[2].regions[1].moments.second_pairs: expected none, because it has no numbers"},

    {"NoPorts", [](GlbChunks&, json& e) { part(e, 3).erase("ports"); }, "parts[3]: 'ports' is missing"},
    {"PortWithoutName", [](GlbChunks&, json& e) { port(e).erase("name"); },
     "parts[0].ports[1]: 'name' is missing"},
    {"PortOfTwoVertices",
     [](GlbChunks& c, json& e) {
       c.document["bufferViews"][port(e)["vertices"].get<std::size_t>()]["byteLength"] = 8;
     },
     "parts[0].ports[1].vertices: 2 vertices, expected three at least"},
    {"PortVertexOutOfRange",
     [](GlbChunks& c, json& e) { poke(c, port(e)["vertices"], 2, std::int32_t{1 << 20}); },
     "parts[0].ports[1].vertices: number 2 is 1048576, expected 0 to"},
    {"PortVertexNegative",
     [](GlbChunks& c, json& e) { poke(c, part(e, 1)["ports"][0]["vertices"], 2, std::int32_t{-1}); },
     "parts[1].ports[0].vertices: number 2 is -1, expected 0 to"},
    {"PortWeightsOfOtherSize", [](GlbChunks&, json& e) { port(e)["weights"] = port(e)["center_rows"]; },
     "parts[0].ports[1].weights: its buffer view has 72 bytes, expected 32 (4 x 1 numbers of 8 bytes)"},
    {"PortWeightZero", [](GlbChunks& c, json& e) { poke(c, port(e)["weights"], 1, 0.0); },
     "parts[0].ports[1].weights: number 1 is 0, expected a positive one"},
    {"PortWeightsOfOtherSum", [](GlbChunks& c, json& e) { poke(c, port(e)["weights"], 1, 0.5); },
     "parts[0].ports[1].weights: expected a sum of 1, found"},
    {"PortCenterOfFour", [](GlbChunks&, json& e) { port(e)["center"].push_back(1); },
     "ports[1].center: expected 3 numbers, found 4"},
    {"PortCenterRowsNotFinite", [](GlbChunks& c, json& e) { poke(c, port(e)["center_rows"], 8, infinite); },
     "ports[1].center_rows: number 8 is not finite"},
    {"PortCovarianceOfSix", [](GlbChunks&, json& e) { port(e)["covariance"] = std::vector<double>(6, 1.0); },
     "ports[1].covariance: expected 9 numbers, found 6"},
    {"PortOnALine", [](GlbChunks&, json& e) { port(e)["covariance"] = {1, 0, 0, 0, 0, 0, 0, 0, 0}; },
     "port 1: its vertices are on one line"},
    {"PortCovarianceRowsMissing", [](GlbChunks&, json& e) { port(e).erase("covariance_rows"); },
     "ports[1]: 'covariance_rows' is missing"},

    {"DomainIsNoObject", [](GlbChunks&, json& e) { e["domains"][1] = 1; },
     "domains[1]: expected an object, found 1"},
    {"DomainWithoutName", [](GlbChunks&, json& e) { domain(e, 2).erase("name"); },
     "domains[2]: 'name' is missing"},
    {"DomainsOfOneName", [](GlbChunks&, json& e) { domain(e, 2)["name"] = domain(e, 1)["name"]; },
     "two domains are called"},
    {"PartOutOfRange", [](GlbChunks&, json& e) { domain(e, 4)["part"] = 4; },
     "domains[4].part: expected an integer from 0 to 3, found 4"},
    {"NoPart", [](GlbChunks&, json& e) { domain(e, 4).erase("part"); }, "domains[4]: 'part' is missing"},
    {"RootWithParent", [](GlbChunks&, json& e) { domain(e, 0)["parent"] = 1; },
     "domains[0].parent: expected none, because the first domain is the root"},
    {"RootWithPort", [](GlbChunks&, json& e) { domain(e, 0)["port"] = 0; }, "domains[0].port: expected none"},
    {"NoParent", [](GlbChunks&, json& e) { domain(e, 3).erase("parent"); },
     "domains[3]: 'parent' is missing"},
    {"OwnParent", [](GlbChunks&, json& e) { domain(e, 3)["parent"] = 3; },
     "domains[3].parent: expected an integer from 0 to 2, found 3"},
    {"PortOutOfRange", [](GlbChunks&, json& e) { domain(e, 1)["port"] = 2; },
     "domains[1].port: expected an integer from 0 to 1, found 2"},
    {"ParentWithoutPorts", [](GlbChunks&, json& e) { domain(e, 2)["part"] = 3; },
     "domains[3].parent: domain 2 has no ports"},
    {"PositionOfTwo", [](GlbChunks&, json& e) { domain(e, 1)["position"].erase(0); },
     "domains[1].position: expected 3 numbers, found 2"},
    {"RotationOfThree", [](GlbChunks&, json& e) { domain(e, 1)["rotation"].erase(0); },
     "domains[1].rotation: expected 4 numbers, found 3"},
    {"RotationNotOfUnitLength",
     [](GlbChunks&, json& e) {
       domain(e, 1)["rotation"] = {0, 0, 0, 2};
     },
     "domains[1].rotation: expected a quaternion of length 1, found 2"},
    {"ScaleNegative", [](GlbChunks&, json& e) { domain(e, 1)["scale"] = -1; },
     "domains[1].scale: expected a positive number, found -1"},
    {"StiffnessZero", [](GlbChunks&, json& e) { domain(e, 5)["stiffness"] = 0.0; },
     "domains[5].stiffness: expected a positive number, found 0"},
    {"VerticesWithoutAMesh", [](GlbChunks&, json& e) { domain(e, 1)["vertices"] = 0; },
     "domains[1].vertices: expected none, because its part has no simulation mesh"},
    {"VerticesOfOtherNumber",
     [](GlbChunks&, json& e) { domain(e, 0)["vertices"] = part(e, 0)["regions"][0]["mass"]; },
     "domains[0].vertices: its buffer view has 72 bytes, expected"},
    {"ArraysShareBytes",
     [](GlbChunks&, json& e) {
       for (int i = 0; i < 50; ++i) e["parts"].push_back(e["parts"][0]);
     },
     "need more bytes than the file has"},
};

void expect_refusal(const Model& tree, const Damage& damage) {
  test::expect_refusal(encode_model(tree, "test.glb"), model_extension, damage,
                       [](const std::string& content) { (void)parse_model(content, "test.glb"); });
}

class TreeFileRefusal : public testing::TestWithParam<Damage> {};

TEST_P(TreeFileRefusal, SaysWhatIsWrong) { expect_refusal(sample_tree(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, TreeFileRefusal, testing::ValuesIn(damages), test::name_of_damage);

TEST(TreeRefusal, MeetsVerticesThatTheBodyDoesNotHave) {
  const Model tree = test::shared_tree();
  const Index count = 2 * tree.parts[0].model.simulation->mesh.vertex_count();
  const Damage vertex{
      "", [](GlbChunks& c, json& e) { poke(c, domain(e, 1)["vertices"], 3, std::int32_t{1 << 30}); },
      fmt::format("domains[1].vertices: number 3 is 1073741824, expected 0 to {}", count - 1)};
  expect_refusal(tree, vertex);
  const Damage surface{
      "", [](GlbChunks& c, json& e) { poke(c, domain(e, 0)["surface_vertices"], 0, std::int32_t{-1}); },
      "domains[0].surface_vertices: number 0 is -1, expected 0 to"};
  expect_refusal(tree, surface);
  const Damage some{"", [](GlbChunks&, json& e) { domain(e, 1).erase("vertices"); }, "expected all or none"};
  expect_refusal(tree, some);
}

TEST(TreeRefusal, MeetsDomainsThatShareTheBytesOfTheirVertices) {
  const Damage sharing{"",
                       [](GlbChunks&, json& e) {
                         json child = domain(e, 1);
                         for (int i = 0; i < 500; ++i) {
                           child["name"] = fmt::format("{}", i);
                           e["domains"].push_back(child);
                         }
                       },
                       "need more bytes than the file has"};
  expect_refusal(test::shared_tree(), sharing);
}

/// Whether the content is a model; an Error of one line is as good.
bool parses_or_is_refused(std::string_view content) {
  try {
    check_model(parse_model(content, "test.glb"), "test.glb");
    return true;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("test.glb: "));
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    return false;
  }
}

TEST(TreeRefusal, MeetsAFileCutOffAnywhere) {
  const std::string content = encode_model(test::small_tree(), "test.glb");
  for (std::size_t length = 0; length < content.size(); ++length) {
    EXPECT_FALSE(parses_or_is_refused(std::string_view(content).substr(0, length))) << length;
  }
}

TEST(TreeRefusal, OrATreeIsTheOutcomeOfAnyDamage) {
  for (const Model& tree : {sample_tree(), test::shared_tree()}) {
    EXPECT_GT(test::refusals_of_damage(encode_model(tree, "test.glb"), parses_or_is_refused), 400)
        << "of 1000";
  }
}

}  // namespace
}  // namespace limber::tree_refusal_test
