#include "limber/io/model_file.hpp"
#include "tests/io/model_support.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <limits>
#include <ostream>

namespace limber {
namespace {

using nlohmann::json;
using test::GlbChunks;
using test::sample_model;
using test::small_model;
using testing::HasSubstr;
using testing::StartsWith;

const std::string extension_name(model_extension);

TEST(ModelRefusal, NamesForeignFiles) {
  const auto refusal = [](std::string_view content) {
    return test::error_text([&] { (void)parse_model(content, "test.glb"); });
  };
  EXPECT_EQ(refusal("solid ascii"), "test.glb: is not a glTF file, expected a reduced model (.glb)");
  EXPECT_EQ(refusal(test::tetrahedron_sample().glb()),
            "test.glb: is a glTF file without a reduced model (no LIMBER_reduced_model); make one with: "
            "limber reduce");
}

/// A change of a file and what its refusal must say.
struct Damage {
  std::string name;  ///< of the test, in camel case
  std::function<void(GlbChunks&, json& extension)> change;
  std::string message;  ///< a part of it
};

std::ostream& operator<<(std::ostream& stream, const Damage& damage) { return stream << damage.name; }

/// Overwrites number `item` of a buffer view.
template <class Number>
void poke(GlbChunks& chunks, const json& view, std::size_t item, Number value) {
  std::string raw;
  append_number(raw, value, ByteOrder::little);
  chunks.bytes.replace(chunks.offset(view) + item * sizeof(Number), sizeof(Number), raw);
}

/// The buffer view of an accessor.
json view_of(const GlbChunks& chunks, const json& accessor) {
  return chunks.document["accessors"][accessor.get<std::size_t>()]["bufferView"];
}

json& first_primitive(GlbChunks& chunks) { return chunks.document["meshes"][0]["primitives"][0]; }

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinite = std::numeric_limits<double>::infinity();

const std::vector<Damage> damages{
    {"NewerVersion", [](GlbChunks&, json& e) { e["version"] = 2; },
     "LIMBER_reduced_model.version: this limber reads version 1, found 2; update limber"},
    {"NoVersion", [](GlbChunks&, json& e) { e.erase("version"); }, "'version' is missing"},
    {"RankZero", [](GlbChunks&, json& e) { e["rank"] = 0; },
     "extensions.LIMBER_reduced_model.rank: expected an integer from 1 to 1000, found 0"},
    {"RankTooLarge", [](GlbChunks&, json& e) { e["rank"] = 1001; }, "from 1 to 1000, found 1001"},
    {"OtherRank", [](GlbChunks&, json& e) { e["rank"] = 4; },
     "regions[0].lambda_energy: its buffer view has 280 bytes, expected 560"},
    {"LargestRank", [](GlbChunks&, json& e) { e["rank"] = 1000; },
     "regions[0].lambda_energy: its buffer view"},
    {"NameIsNoText", [](GlbChunks&, json& e) { e["name"] = 3; }, ".name: expected a string, found 3"},
    {"NoRegions", [](GlbChunks&, json& e) { e["regions"] = json::array(); }, "region"},
    {"RegionIsNoObject", [](GlbChunks&, json& e) { e["regions"][1] = 1; },
     "regions[1]: expected an object, found 1"},
    {"NegativeStiffness", [](GlbChunks&, json& e) { e["regions"][0]["mu"] = -1.0; }, "mu"},
    {"TagTooLarge", [](GlbChunks&, json& e) { e["regions"][0]["tag"] = 3000000000; }, "regions[0].tag"},
    {"CoefficientNotFinite",
     [](GlbChunks& c, json& e) { poke(c, e["regions"][1]["mu_energy"], 5, nan_value); },
     "regions[1].mu_energy: number 5 is not finite"},
    {"MassInfinite", [](GlbChunks& c, json& e) { poke(c, e["regions"][0]["mass"], 0, infinite); },
     "regions[0].mass: number 0 is not finite"},
    {"MassIndefinite", [](GlbChunks& c, json& e) { poke(c, e["regions"][0]["mass"], 0, -1e9); }, "mass"},
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
    {"PrimitiveNamedTwice", [](GlbChunks&, json& e) { e["parts"][2]["primitive"] = 0; },
     "parts[2].primitive: expected an integer from 1 to 1, found 0"},
    {"PrimitiveLeftOut", [](GlbChunks&, json& e) { e["parts"][3].erase("primitive"); },
     "primitives: expected 2, one per part with triangles, found 3"},
    {"PartsMixedUp", [](GlbChunks& c, json& e) { poke(c, e["triangle_parts"], 0, std::int32_t{0}); },
     "triangle_parts: 1 triangles of part 0, but its primitive has 0"},
    {"ColourOfTwo",
     [](GlbChunks&, json& e) {
       e["parts"][0]["color"] = {0.1, 0.2};
     },
     "parts[0].color: expected 3 numbers, found 2"},
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
};

class ModelFileRefusal : public testing::TestWithParam<Damage> {};

TEST_P(ModelFileRefusal, SaysWhatIsWrong) {
  GlbChunks chunks(encode_model(sample_model(), "test.glb"));
  json extension = chunks.document["extensions"][extension_name];
  GetParam().change(chunks, extension);
  chunks.document["extensions"][extension_name] = extension;
  const std::string content = chunks.glb();
  const std::string message = test::error_text([&] { (void)parse_model(content, "test.glb"); });
  EXPECT_THAT(message, StartsWith("test.glb: "));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_LT(message.size(), 400U) << message;
}

INSTANTIATE_TEST_SUITE_P(All, ModelFileRefusal, testing::ValuesIn(damages),
                         [](const testing::TestParamInfo<Damage>& damage) { return damage.param.name; });

/// Whether the content is a model; an Error of one line is as good.
bool parses_or_is_refused(std::string_view content) {
  try {
    const ReducedModel model = parse_model(content, "test.glb");
    check_model(model, "test.glb");
    return true;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("test.glb: "));
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    return false;
  }
}

TEST(ModelRefusal, MeetsAFileCutOffAnywhere) {
  const std::string content = encode_model(small_model(), "test.glb");
  for (std::size_t length = 0; length < content.size(); ++length) {
    EXPECT_FALSE(parses_or_is_refused(std::string_view(content).substr(0, length))) << length;
  }
}

TEST(ModelRefusal, OrAModelIsTheOutcomeOfAnyDamage) {
  const std::string content = encode_model(sample_model(), "test.glb");
  const std::size_t text =
      20 + load_number<std::uint32_t>(std::string_view(content).substr(12), ByteOrder::little);
  Random random(1);
  int refused = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::string damaged = content;
    // Half of the damage goes into the JSON, where it hurts most.
    const std::size_t end = trial % 2 == 0 ? text : content.size();
    for (int change = 0; change < 3; ++change) {
      damaged[random.next() % end] = static_cast<char>(random.next());
    }
    if (!parses_or_is_refused(damaged)) ++refused;
  }
  EXPECT_GT(refused, 400) << "of 1000";
}

}  // namespace
}  // namespace limber
