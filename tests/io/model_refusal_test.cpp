#include "limber/io/model_file.hpp"
#include "tests/io/damage_support.hpp"
#include "tests/io/model_support.hpp"

#include <gmock/gmock.h>
#include <limits>
#include <vector>

namespace limber::model_refusal_test {
namespace {

using nlohmann::json;
using test::Damage;
using test::encode_single;
using test::GlbChunks;
using test::infinite;
using test::nan_value;
using test::poke;
using test::RuleKind;
using test::sample_model;
using test::small_cubature_model;
using test::small_model;
using test::with_cubature;
using testing::StartsWith;

TEST(ModelRefusal, NamesForeignFiles) {
  const auto refusal = [](std::string_view content) {
    return test::error_text([&] { (void)parse_model(content, "test.glb"); });
  };
  EXPECT_EQ(refusal("solid ascii"), "test.glb: is not a glTF file, expected a reduced model (.glb)");
  EXPECT_EQ(
      refusal(test::tetrahedron_sample().glb()),
      "test.glb: is a glTF file without a reduced model (no LIMBER_model); make one with: limber reduce");
}

TEST(ModelRefusal, SaysWhatToDoWithFilesOfOlderLimbers) {
  for (const std::string older : {"LIMBER_reduced_model", "LIMBER_domain_tree"}) {
    GlbChunks chunks(encode_single(small_model()));
    json& extensions = chunks.document["extensions"];
    extensions[older] = extensions[std::string(model_extension)];
    EXPECT_NO_THROW((void)parse_model(chunks.glb(), "test.glb")) << "beside a model of today";
    extensions.erase(std::string(model_extension));
    const std::string content = chunks.glb();
    EXPECT_TRUE(looks_like_model(content)) << older;
    EXPECT_EQ(test::error_text([&] { (void)parse_model(content, "test.glb"); }),
              fmt::format("test.glb: is a reduced model of an older limber ({}); make it again with: limber "
                          "reduce",
                          older));
  }
}

/// The buffer view of an accessor.
json view_of(const GlbChunks& chunks, const json& accessor) {
  return chunks.document["accessors"][accessor.get<std::size_t>()]["bufferView"];
}

json& first_primitive(GlbChunks& chunks) { return chunks.document["meshes"][0]["primitives"][0]; }

/// Of the extension.
const std::vector<Damage> extension_damages{
    {"NewerVersion", [](GlbChunks&, json& e) { e["version"] = 4; },
     "extensions.LIMBER_model.version: this limber reads version 3, found 4; update limber"},
    {"OlderVersion", [](GlbChunks&, json& e) { e["version"] = 2; },
     "version: this limber reads version 3, found 2; make the model again with: limber reduce"},
    {"VersionZero", [](GlbChunks&, json& e) { e["version"] = 0; }, "version: expected an integer from 1"},
    {"NoVersion", [](GlbChunks&, json& e) { e.erase("version"); }, "'version' is missing"},
    {"NoName", [](GlbChunks&, json& e) { e.erase("name"); }, "LIMBER_model: 'name' is missing"},
    {"NoDescription", [](GlbChunks&, json& e) { e.erase("description"); }, "'description' is missing"},
    {"NotSaidWhetherFree", [](GlbChunks&, json& e) { e.erase("free"); }, "'free' is missing"},
    {"FreeIsNoBoolean", [](GlbChunks&, json& e) { e["free"] = 1; }, ".free: expected true or false, found 1"},
    {"NotSaidWhichWayIsUp", [](GlbChunks&, json& e) { e.erase("up"); }, "'up' is missing"},
    {"UpIsNoAxis", [](GlbChunks&, json& e) { e["up"] = "w"; }, ".up: expected x, y or z, found 'w'"},
    {"NoParts", [](GlbChunks&, json& e) { e["parts"] = json::array(); },
     ".parts: expected one at least, found none"},
    {"PartsAreNoList", [](GlbChunks&, json& e) { e["parts"] = 3; }, ".parts: expected a list, found 3"},
    {"PartIsNoObject", [](GlbChunks&, json& e) { e["parts"][0] = 3; },
     ".parts[0]: expected an object, found 3"},
    {"NoDomains", [](GlbChunks&, json& e) { e["domains"] = json::array(); },
     ".domains: expected one at least, found none"},
};

/// Of the only part.
const std::vector<Damage> damages{
    {"RankNegative", [](GlbChunks&, json& e) { e["rank"] = -1; },
     "extensions.LIMBER_model.parts[0].rank: expected an integer from 0 to 1000, found -1"},
    {"RankZero", [](GlbChunks&, json& e) { e["rank"] = 0; },
     "regions[0].lambda_energy: its buffer view has 280 bytes, expected 8"},
    {"RankTooLarge", [](GlbChunks&, json& e) { e["rank"] = 1001; }, "from 0 to 1000, found 1001"},
    {"OtherRank", [](GlbChunks&, json& e) { e["rank"] = 4; },
     "regions[0].lambda_energy: its buffer view has 280 bytes, expected 560"},
    {"LargestRank", [](GlbChunks&, json& e) { e["rank"] = 1000; },
     "regions[0].lambda_energy: its buffer view"},
    {"NameIsNoText", [](GlbChunks&, json& e) { e["name"] = 3; }, ".name: expected a string, found 3"},
    {"NoRegions", [](GlbChunks&, json& e) { e["regions"] = json::array(); }, "region"},
    {"RegionIsNoObject", [](GlbChunks&, json& e) { e["regions"][1] = 1; },
     "regions[1]: expected an object, found 1"},
    {"NegativeStiffness", [](GlbChunks&, json& e) { e["regions"][0]["mu"] = -1.0; },
     "regions[0]: Lamé's mu is -1, expected a positive number"},
    {"NoDensity", [](GlbChunks&, json& e) { e["regions"][1]["density"] = 0; },
     "regions[1]: the density is 0, expected a positive number"},
    {"NoLaw", [](GlbChunks&, json& e) { e["regions"][0].erase("law"); }, "regions[0]: 'law' is missing"},
    {"UnknownLaw", [](GlbChunks&, json& e) { e["regions"][1]["law"] = "neo-hokean"; },
     "regions[1].law: unknown law 'neo-hokean'; did you mean 'neo-hookean'?"},
    {"LawWithoutExactForces", [](GlbChunks&, json& e) { e["regions"][1]["law"] = "neo-hookean"; },
     "regions[1].law: neo-hookean has no exact reduced forces, expected stvk, or 'cubature'"},
    {"NoEnergy", [](GlbChunks&, json& e) { e["regions"][0].erase("mu_energy"); },
     "regions[0]: 'mu_energy' is missing"},
    {"TagTooLarge", [](GlbChunks&, json& e) { e["regions"][0]["tag"] = 3000000000; }, "regions[0].tag"},
    {"CoefficientNotFinite",
     [](GlbChunks& c, json& e) { poke(c, e["regions"][1]["mu_energy"], 5, nan_value); },
     "regions[1].mu_energy: number 5 is not finite"},
    {"MassInfinite", [](GlbChunks& c, json& e) { poke(c, e["regions"][0]["mass"], 0, infinite); },
     "regions[0].mass: number 0 is not finite"},
    {"MassIndefinite", [](GlbChunks& c, json& e) { poke(c, e["regions"][0]["mass"], 0, -1e9); }, "mass"},
    {"NoMoments", [](GlbChunks&, json& e) { e["regions"][1].erase("moments"); },
     "regions[1]: 'moments' is missing"},
    {"MomentsAreNoObject", [](GlbChunks&, json& e) { e["regions"][1]["moments"] = 1; },
     "regions[1].moments: expected an object, found 1"},
    {"NoFirstMoment", [](GlbChunks&, json& e) { e["regions"][0]["moments"].erase("first"); },
     "regions[0].moments: 'first' is missing"},
    {"FirstMomentOfTwo", [](GlbChunks&, json& e) { e["regions"][0]["moments"]["first"].erase(1); },
     "regions[0].moments.first: expected 3 numbers, found 2"},
    {"FirstMomentNotFinite", [](GlbChunks&, json& e) { e["regions"][0]["moments"]["first"][2] = infinite; },
     "regions[0].moments.first[2]: expected a number"},
    {"SecondMomentOfSix",
     [](GlbChunks&, json& e) { e["regions"][0]["moments"]["second"] = std::vector<double>(6, 1.0); },
     "regions[0].moments.second: expected 9 numbers, found 6"},
    {"SecondMomentOfText", [](GlbChunks&, json& e) { e["regions"][2]["moments"]["second"][8] = "x"; },
     "regions[2].moments.second[8]: expected a number"},
    {"SecondMomentAsymmetric", [](GlbChunks&, json& e) { e["regions"][1]["moments"]["second"][1] = 100; },
     "region 1: the second moment is not symmetric"},
    {"NoMomentsOfModes", [](GlbChunks&, json& e) { e["regions"][0]["moments"].erase("second_rows"); },
     "regions[0].moments: 'second_rows' is missing"},
    {"MomentsOfModesOfOtherSize",
     [](GlbChunks&, json& e) { e["regions"][0]["moments"]["second_rows"] = e["regions"][0]["mass"]; },
     "moments.second_rows: its buffer view has 72 bytes, expected 216 (9 x 3 numbers of 8 bytes)"},
    {"MomentOfAModeNotFinite",
     [](GlbChunks& c, json& e) { poke(c, e["regions"][0]["moments"]["second_rows"], 26, nan_value); },
     "regions[0].moments.second_rows: number 26 is not finite"},
    {"NoMomentsOfPairs", [](GlbChunks&, json& e) { e["regions"][0]["moments"].erase("second_pairs"); },
     "regions[0].moments: 'second_pairs' is missing"},
    {"MomentsOfPairsOfOtherSize",
     [](GlbChunks&, json& e) {
       json& moments = e["regions"][0]["moments"];
       moments["second_pairs"] = moments["second_rows"];
     },
     "moments.second_pairs: its buffer view has 216 bytes, expected 648 (9 x 9 numbers of 8 bytes)"},
    {"MomentOfAPairNotFinite",
     [](GlbChunks& c, json& e) { poke(c, e["regions"][2]["moments"]["second_pairs"], 80, infinite); },
     "regions[2].moments.second_pairs: number 80 is not finite"},
    {"ViewOutOfRange", [](GlbChunks&, json& e) { e["regions"][0]["weight"] = 10000; },
     "regions[0].weight: expected an integer from 0 to"},
    {"ArraysShareBytes",
     [](GlbChunks&, json& e) {
       for (int i = 0; i < 200; ++i) e["regions"].push_back(e["regions"][0]);
     },
     "need more bytes than the file has"},
    {"TargetsShareBytes",
     [](GlbChunks& c, json&) {
       json& targets = first_primitive(c)["targets"];
       for (json& target : targets) target = targets[0];
       c.document["accessors"][targets[0]["POSITION"].get<std::size_t>()]["count"] = 1 << 20;
     },
     "accessors[2]: needs"},
    {"MeshOutOfRange", [](GlbChunks&, json& e) { e["mesh"] = 1; }, "mesh: expected an integer from 0 to 0"},
    {"TooFewTargets", [](GlbChunks& c, json&) { first_primitive(c)["targets"].erase(1); },
     "meshes[0].primitives[0].targets: expected 3, one per coordinate, found 2"},
    {"OtherTargets",
     [](GlbChunks& c, json&) { first_primitive(c)["targets"][0] = first_primitive(c)["targets"][1]; },
     "meshes[0].primitives[1]: expected the vertices and targets of the first primitive"},
    {"TargetOfOtherSize",
     [](GlbChunks& c, json&) {
       const auto target = first_primitive(c)["targets"][0]["POSITION"].get<std::size_t>();
       c.document["accessors"][target]["count"] = 3;
     },
     "POSITION: has 3 vertices, the mesh"},
    {"QuantizedTarget",
     [](GlbChunks& c, json&) {
       const auto target = first_primitive(c)["targets"][0]["POSITION"].get<std::size_t>();
       c.document["accessors"][target]["componentType"] = 5122;
     },
     "expected floats (5126), VEC3"},
    {"BasisNotFinite",
     [](GlbChunks& c, json&) {
       const json view = view_of(c, first_primitive(c)["targets"][1]["POSITION"]);
       poke(c, view, 4, std::numeric_limits<float>::infinity());
     },
     "element 1 is not finite"},
    {"SurfaceNotFinite",
     [](GlbChunks& c, json&) {
       const json view = view_of(c, first_primitive(c)["attributes"]["POSITION"]);
       poke(c, view, 0, std::numeric_limits<float>::quiet_NaN());
     },
     "element 0 is not finite"},
    {"Strip", [](GlbChunks& c, json&) { first_primitive(c)["mode"] = 5; }, "has mode 5, expected 4"},
    {"CornerOutOfRange",
     [](GlbChunks& c, json&) { poke(c, view_of(c, first_primitive(c)["indices"]), 2, std::uint16_t{65000}); },
     "element 2 is index 65000"},
    {"TrianglesCutShort",
     [](GlbChunks& c, json&) {
       const auto indices = first_primitive(c)["indices"].get<std::size_t>();
       c.document["accessors"][indices]["count"] = 4;
     },
     "4 corners of triangles, expected a multiple of 3"},
    {"PrimitiveNamedTwice", [](GlbChunks&, json& e) { e["pieces"][2]["primitive"] = 0; },
     "pieces[2].primitive: expected an integer from 1 to 1, found 0"},
    {"PrimitiveLeftOut", [](GlbChunks&, json& e) { e["pieces"][3].erase("primitive"); },
     "primitives: expected 2, one per piece with triangles, found 3"},
    {"PiecesMixedUp", [](GlbChunks& c, json& e) { poke(c, e["triangle_pieces"], 0, std::int32_t{0}); },
     "triangle_pieces: 1 triangles of piece 0, but its primitive has 0"},
    {"ColourOfTwo",
     [](GlbChunks&, json& e) {
       e["pieces"][0]["color"] = {0.1, 0.2};
     },
     "pieces[0].color: expected 3 numbers, found 2"},
    {"UnknownElement", [](GlbChunks&, json& e) { e["simulation"]["element"] = "prism"; },
     "simulation.element: expected tetrahedron or brick, found 'prism'"},
    {"OtherElement", [](GlbChunks&, json& e) { e["simulation"]["element"] = "brick"; }, "simulation."},
    {"ElementOutOfRange",
     [](GlbChunks& c, json& e) { poke(c, e["simulation"]["elements"], 7, std::int32_t{-2}); },
     "simulation.elements: number 7 is -2, expected 0 to"},
    {"RegionOutOfRange",
     [](GlbChunks& c, json& e) { poke(c, e["simulation"]["element_regions"], 0, std::int32_t{3}); },
     "simulation.element_regions: number 0 is 3, expected 0 to 2"},
    {"FixedNotAscending",
     [](GlbChunks& c, json& e) { poke(c, e["simulation"]["fixed"], 1, std::int32_t{0}); }, "fixed vertex 0"},
    {"EmbeddingOutOfRange",
     [](GlbChunks& c, json& e) {
       poke(c, e["simulation"]["embedding"]["element"], 0, std::int32_t{1 << 30});
     },
     "simulation.embedding.element: number 0 is 1073741824, expected 0 to"},
    {"BasisOfOtherSize", [](GlbChunks&, json& e) { e["simulation"]["basis"] = e["simulation"]["vertices"]; },
     "simulation.basis: its buffer view has"},
    {"VerticesCutShort",
     [](GlbChunks& c, json& e) {
       c.document["bufferViews"][e["simulation"]["vertices"].get<std::size_t>()]["byteLength"] = 100;
     },
     "simulation.vertices: its buffer view has 100 bytes, expected vertices of 24 bytes each"},
    {"OutsideNegative", [](GlbChunks&, json& e) { e["simulation"]["embedding"]["outside"] = -1; },
     "embedding.outside: expected an integer from 0"},
    {"WarpIsNoObject", [](GlbChunks&, json& e) { e["warp"] = "yes"; }, ".warp: expected an object, found"},
    {"NoSurfaceRotations", [](GlbChunks&, json& e) { e["warp"].erase("surface_rotations"); },
     ".warp: 'surface_rotations' is missing"},
    {"SurfaceRotationsOfOtherSize",
     [](GlbChunks&, json& e) { e["warp"]["surface_rotations"] = e["regions"][0]["mass"]; },
     "warp.surface_rotations: its buffer view has 72 bytes, expected"},
    {"SurfaceRotationNotFinite",
     [](GlbChunks& c, json& e) {
       poke(c, e["warp"]["surface_rotations"], 6, std::numeric_limits<float>::infinity());
     },
     "warp.surface_rotations: number 6 is not finite"},
    {"NoLumps", [](GlbChunks&, json& e) { e["warp"].erase("lumps"); }, ".warp: 'lumps' is missing"},
    {"LumpOfNoRegion",
     [](GlbChunks& c, json& e) { poke(c, e["warp"]["lumps"]["region"], 1, std::int32_t{3}); },
     "warp.lumps.region: number 1 is 3, expected 0 to 2"},
    {"LumpsCutShort",
     [](GlbChunks& c, json& e) {
       c.document["bufferViews"][e["warp"]["lumps"]["region"].get<std::size_t>()]["byteLength"] = 10;
     },
     "warp.lumps.region: its buffer view has 10 bytes, expected numbers of regions of 4 bytes each"},
    {"LumpOfNegativeVolume", [](GlbChunks& c, json& e) { poke(c, e["warp"]["lumps"]["volume"], 2, -1.0); },
     "warp.lumps.volume: number 2 is -1, expected at least 0"},
    {"LumpsOfOtherNumber",
     [](GlbChunks&, json& e) { e["warp"]["lumps"]["volume"] = e["warp"]["lumps"]["center"]; },
     "warp.lumps.volume: its buffer view has 144 bytes, expected 48 (6 x 1 numbers of 8 bytes)"},
    {"LumpCenterNotFinite",
     [](GlbChunks& c, json& e) { poke(c, e["warp"]["lumps"]["center"], 4, nan_value); },
     "warp.lumps.center: number 4 is not finite"},
    {"LumpMomentsOfOtherSize",
     [](GlbChunks&, json& e) { e["warp"]["lumps"]["moment"] = e["warp"]["lumps"]["center"]; },
     "warp.lumps.moment: its buffer view has 144 bytes, expected 432 (18 x 3 numbers of 8 bytes)"},
    {"LumpRotationNotFinite",
     [](GlbChunks& c, json& e) { poke(c, e["warp"]["lumps"]["rotations"], 5, infinite); },
     "warp.lumps.rotations: number 5 is not finite"},
};

const std::vector<Damage> cubature_damages{
    {"CubatureIsNoObject", [](GlbChunks&, json& e) { e["cubature"] = 7; },
     "cubature: expected an object, found 7"},
    {"EnergyBesideCubature",
     [](GlbChunks&, json& e) { e["regions"][1]["mu_energy"] = e["regions"][1]["mass"]; },
     "regions[1].mu_energy: expected none, because the forces are cubature's"},
    {"CubatureLeftOut", [](GlbChunks&, json& e) { e.erase("cubature"); },
     "regions[0]: 'lambda_energy' is missing"},
    {"RankZero", [](GlbChunks&, json& e) { e["rank"] = 0; },
     "regions[0].mass: expected none, because it has no numbers"},
    {"MooneyShareMissing", [](GlbChunks&, json& e) { e["regions"][1]["law"] = "mooney-rivlin"; },
     "regions[1]: 'mooney_share' is missing"},
    {"MooneyShareTooLarge",
     [](GlbChunks&, json& e) {
       e["regions"][1]["law"] = "mooney-rivlin";
       e["regions"][1]["mooney_share"] = 1.5;
     },
     "regions[1]: the Mooney-Rivlin share is 1.5, expected a number from 0 to 1"},
    {"LockingStretchOfOne",
     [](GlbChunks&, json& e) {
       e["regions"][2]["law"] = "arruda-boyce";
       e["regions"][2]["locking_stretch"] = 1;
     },
     "regions[2]: the locking stretch is 1, expected more than 1"},
    {"NoElements", [](GlbChunks&, json& e) { e["cubature"].erase("element"); },
     "cubature: 'element' is missing"},
    {"ElementsCutShort",
     [](GlbChunks& c, json& e) {
       c.document["bufferViews"][e["cubature"]["element"].get<std::size_t>()]["byteLength"] = 10;
     },
     "cubature.element: its buffer view has 10 bytes, expected numbers of elements of 4 bytes each"},
    {"NegativeSize",
     [](GlbChunks& c, json& e) {
       c.document["bufferViews"][e["cubature"]["element"].get<std::size_t>()]["byteLength"] = -4;
     },
     "byteLength: expected an integer from 1"},
    {"FewerPoints", [](GlbChunks&, json& e) { e["cubature"]["point"] = e["regions"][0]["mass"]; },
     "cubature.point: its buffer view has 72 bytes, expected 28 (1 x 7 numbers of 4 bytes)"},
    {"ElementOutOfRange",
     [](GlbChunks& c, json& e) { poke(c, e["cubature"]["element"], 2, std::int32_t{1 << 30}); },
     "cubature.element: number 2 is 1073741824, expected 0 to"},
    {"NegativeElement", [](GlbChunks& c, json& e) { poke(c, e["cubature"]["element"], 0, std::int32_t{-1}); },
     "cubature.element: number 0 is -1, expected 0 to"},
    {"PointOfATetrahedron",
     [](GlbChunks& c, json& e) { poke(c, e["cubature"]["point"], 6, std::int32_t{1}); },
     "cubature.point: number 6 is 1, expected 0 to 0"},
    {"PointOfNoElement",
     [](GlbChunks& c, json& e) {
       e.erase("simulation");
       poke(c, e["cubature"]["point"], 6, std::int32_t{27});
     },
     "cubature.point: number 6 is 27, expected 0 to 26"},
    {"RegionOutOfRange", [](GlbChunks& c, json& e) { poke(c, e["cubature"]["region"], 1, std::int32_t{3}); },
     "cubature.region: number 1 is 3, expected 0 to 2"},
    {"GradientsOfOtherSize",
     [](GlbChunks&, json& e) { e["cubature"]["gradients"] = e["cubature"]["weights"]; },
     "cubature.gradients: its buffer view has 168 bytes, expected 1512 (63 x 3 numbers of 8 bytes)"},
    {"GradientsNotFinite", [](GlbChunks& c, json& e) { poke(c, e["cubature"]["gradients"], 30, infinite); },
     "cubature.gradients: number 30 is not finite"},
    {"WeightsOfOtherSize", [](GlbChunks&, json& e) { e["cubature"]["weights"] = e["regions"][0]["mass"]; },
     "cubature.weights: its buffer view has 72 bytes, expected 168 (7 x 3 numbers of 8 bytes)"},
    {"WeightNegative", [](GlbChunks& c, json& e) { poke(c, e["cubature"]["weights"], 20, -0.5); },
     "cubature.weights: number 20 is -0.5, expected at least 0"},
    {"EnergyWeightsMissing", [](GlbChunks&, json& e) { e["cubature"].erase("energy_weights"); },
     "cubature: 'energy_weights' is missing"},
    {"EnergyWeightsPerCoordinate",
     [](GlbChunks&, json& e) { e["cubature"]["energy_weights"] = e["cubature"]["weights"]; },
     "cubature.energy_weights: its buffer view has 168 bytes, expected 56"},
    {"EnergyWeightNegative", [](GlbChunks& c, json& e) { poke(c, e["cubature"]["energy_weights"], 0, -1.0); },
     "cubature.energy_weights: number 0 is -1, expected at least 0"},
    {"NoTraining", [](GlbChunks&, json& e) { e["cubature"].erase("training"); },
     "cubature: 'training' is missing"},
    {"ErrorNegative", [](GlbChunks&, json& e) { e["cubature"]["training"]["held_out_error"] = -0.1; },
     "cubature.training.held_out_error: expected at least 0, found -0.1"},
    {"AmplitudeIsNoNumber", [](GlbChunks&, json& e) { e["cubature"]["training"]["amplitude"] = "wide"; },
     "cubature.training.amplitude: expected a number, found"},
    {"PosesNegative", [](GlbChunks&, json& e) { e["cubature"]["training"]["poses"] = -1; },
     "cubature.training.poses: expected an integer from 0"},
};

void expect_refusal_of_file(const ReducedModel& model, const Damage& damage) {
  test::expect_refusal(encode_single(model), model_extension, damage,
                       [](const std::string& content) { (void)parse_model(content, "test.glb"); });
}

/// damage: of the only part.
void expect_refusal(const ReducedModel& model, const Damage& damage) {
  const Damage of_file{
      damage.name, [&](GlbChunks& chunks, json& extension) { damage.change(chunks, extension["parts"][0]); },
      damage.message};
  expect_refusal_of_file(model, of_file);
}

class ExtensionRefusal : public testing::TestWithParam<Damage> {};

TEST_P(ExtensionRefusal, SaysWhatIsWrong) { expect_refusal_of_file(small_model(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, ExtensionRefusal, testing::ValuesIn(extension_damages), test::name_of_damage);

class ModelFileRefusal : public testing::TestWithParam<Damage> {};

TEST_P(ModelFileRefusal, SaysWhatIsWrong) { expect_refusal(sample_model(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, ModelFileRefusal, testing::ValuesIn(damages), test::name_of_damage);

class CubatureFileRefusal : public testing::TestWithParam<Damage> {};

TEST_P(CubatureFileRefusal, SaysWhatIsWrong) {
  expect_refusal(with_cubature(sample_model(), RuleKind::weight_per_coordinate), GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, CubatureFileRefusal, testing::ValuesIn(cubature_damages), test::name_of_damage);

TEST(ModelRefusal, MeetsLumpsThatShareTheirBytes) {
  ReducedModel model = small_cubature_model(RuleKind::one_weight, 30);
  model.warp = test::random_warp_data(model, 1, 400);
  const Damage sharing{"",
                       [](GlbChunks& c, json& e) {
                         json& lumps = e["warp"]["lumps"];
                         c.bytes.resize(c.offset(lumps["rotations"]));  // the last array
                         c.document["buffers"][0]["byteLength"] = c.bytes.size();
                         lumps["rotations"] = lumps["moment"];
                       },
                       "lumps.rotations: the arrays up to this one need more bytes than the file has"};
  expect_refusal(model, sharing);
}

TEST(ModelRefusal, MeetsRegionsWithCubatureThatShareTheirBytes) {
  const Damage sharing{"",
                       [](GlbChunks&, json& e) {
                         for (int i = 0; i < 50; ++i) e["regions"].push_back(e["regions"][0]);
                       },
                       "the arrays up to this one need more bytes than the file has"};
  expect_refusal(small_cubature_model(RuleKind::one_weight, 30), sharing);
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

TEST(ModelRefusal, MeetsAFileCutOffAnywhere) {
  ReducedModel warped = small_model();
  warped.warp = test::random_warp_data(warped, 1);
  for (const ReducedModel& model : {small_model(), small_cubature_model(), warped}) {
    const std::string content = encode_single(model);
    for (std::size_t length = 0; length < content.size(); ++length) {
      EXPECT_FALSE(parses_or_is_refused(std::string_view(content).substr(0, length))) << length;
    }
  }
}

TEST(ModelRefusal, OrAModelIsTheOutcomeOfAnyDamage) {
  for (const ReducedModel& model : {sample_model(), with_cubature(sample_model(), RuleKind::one_weight)}) {
    EXPECT_GT(test::refusals_of_damage(encode_single(model), parses_or_is_refused), 400) << "of 1000";
  }
}

}  // namespace
}  // namespace limber::model_refusal_test
