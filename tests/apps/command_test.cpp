#include "limber/basis/linear_modes.hpp"
#include "limber/io/gmsh_writer.hpp"
#include "limber/io/json_schema.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::command_test {
namespace {

using nlohmann::json;
using test::contains;
using test::run_limber;
using test::ScratchFolder;

TEST(Command, PrintsItsVersion) {
  const ScratchFolder folder;
  const auto result = run_limber(folder.path(), "--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "limber " LIMBER_VERSION "\n");
  const auto verbose = run_limber(folder.path(), "--version --verbose");
  EXPECT_TRUE(verbose.out.starts_with(result.out)) << verbose.out;
  EXPECT_TRUE(contains(verbose.out, "Cholesky")) << verbose.out;
}

TEST(Command, ShowsAnExampleInEveryHelp) {
  const ScratchFolder folder;
  for (const char* command : {"", "mesh", "inspect", "modes", "reduce", "verify", "simulate", "compare",
                              "view", "export", "demo", "schema", "bench"}) {
    const auto result = run_limber(folder.path(), fmt::format("{} --help", command));
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_TRUE(contains(result.out, "Example:\n  limber ")) << command << ": " << result.out;
    EXPECT_TRUE(contains(result.out, fmt::format("Usage: limber {}", command))) << result.out;
    EXPECT_EQ(result.err, "") << command;
  }
}

TEST(Command, SurvivesReadersThatGoAway) {
  const ScratchFolder folder;
  EXPECT_EQ(test::run_shell(folder.path(), "limber schema >&-").status, 0);
  const auto cut = test::run_shell(folder.path(), "{ sleep 0.1; limber schema || echo died >&2; } | true");
  EXPECT_EQ(cut.err, "");
  const auto full = test::run_shell(folder.path(), "limber schema > /dev/full");
  EXPECT_EQ(full.status, 1) << full.err;
  EXPECT_TRUE(contains(full.err, "standard output cannot be written")) << full.err;
}

TEST(Schema, IsThatOfTheLibrary) {
  const ScratchFolder folder;
  EXPECT_EQ(json::parse(run_limber(folder.path(), "schema").out), json(scene_schema()));
  EXPECT_EQ(run_limber(folder.path(), "schema --markdown").out, schema_to_markdown(scene_schema()));
}

TEST(Inspect, DescribesAMesh) {
  const ScratchFolder folder;
  VolumeMesh mesh = test::tiny_beam();
  mesh.vertices.conservativeResize(3, mesh.vertex_count() + 1);
  mesh.vertices.rightCols<1>().setZero();
  write_gmsh(folder / "beam.msh", mesh);
  const auto result = run_limber(folder.path(), "inspect beam.msh --json --picture beam.png");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["type"], "mesh");
  EXPECT_EQ(found["kind"], "tetrahedron");
  EXPECT_EQ(found["vertices"], 17);
  EXPECT_EQ(found["unused_vertices"], 1);
  EXPECT_EQ(found["elements"], 18);
  EXPECT_EQ(found["parts"], 1);
  EXPECT_EQ(found["unknowns"], 48);
  EXPECT_NEAR(found["volume"].get<double>(), 0.04, 1e-15);
  EXPECT_EQ(found["regions"][0]["name"], "beam");
  EXPECT_EQ(found["regions"][0]["elements"], 18);
  EXPECT_TRUE(read_file(folder / "beam.png").starts_with("\x89PNG"));
  EXPECT_TRUE(contains(run_limber(folder.path(), "inspect beam.msh").out, "17 (1 unused)"));
}

TEST(Inspect, DescribesAScene) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", fmt::format(R"({{"bodies": [{{"name": "arm", "mesh": "{}",
    "material": {{"law": "neo-hookean", "young": 5e5, "poisson": 0.25}}, "fixed": {{"where": "x < 0.01"}},
    "loads": [{{"where": "x > 0.9", "force": [0, 0, 1]}}, {{"pressure": 3}}, {{"acceleration": [1, 0, 0]}}]}}]}})",
                                                test::tiny_beam_name));
  const auto result = run_limber(folder.path(), "inspect scene.json --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["valid"], true);
  EXPECT_EQ(found["solver"]["type"], "static");
  const json& body = found["bodies"][0];
  EXPECT_EQ(body["name"], "arm");
  EXPECT_EQ(body["method"], "full");
  EXPECT_EQ(body["unknowns"], 36);
  EXPECT_EQ(body["fixed_vertices"], 4);
  EXPECT_EQ(body["loads"], 3);
  EXPECT_EQ(body["materials"][0]["law"], "neo-hookean");
  EXPECT_NEAR(body["materials"][0]["young"].get<double>(), 5e5, 1e-6);
  EXPECT_NEAR(body["materials"][0]["poisson"].get<double>(), 0.25, 1e-12);
  EXPECT_EQ(test::files_in(folder.path()), std::set<std::string>{"scene.json"});
}

TEST(Modes, AreThoseOfTheLibrary) {
  const ScratchFolder folder;
  const VolumeMesh mesh = test::tiny_beam();
  const std::vector<int> fixed{0, 1, 2, 3};
  const Material material{make_law("stvk", lame_from_young(2e6, 0.35)), 1100.0};
  for (const MassKind mass : {MassKind::consistent, MassKind::lumped}) {
    const FullModel model(mesh, {material}, fixed, {mass, Executor(1)});
    const LinearModes expected = compute_linear_modes(model, 5);
    const auto result = run_limber(
        folder.path(), fmt::format("modes '{}' --count 5 --young 2e6 --poisson 0.35 --density 1100 "
                                   "--fixed-vertices 0,1,2,3 --mass {} --threads 1 --json -o modes.vtu",
                                   test::tiny_beam_name, mass == MassKind::lumped ? "lumped" : "consistent"));
    ASSERT_EQ(result.status, 0) << result.err;
    const json found = json::parse(result.out);
    ASSERT_EQ(found["eigenvalues"].size(), 5u);
    ASSERT_EQ(found["frequencies_hz"].size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto k = static_cast<Index>(i);
      EXPECT_NEAR(found["eigenvalues"][i].get<double>() / expected.eigenvalues(k), 1.0, 1e-12);
      EXPECT_NEAR(found["frequencies_hz"][i].get<double>() / expected.frequencies_hz(k), 1.0, 1e-12);
    }
    const std::string vtu = read_file(folder / "modes.vtu");
    EXPECT_TRUE(contains(vtu, R"(Name="mode_01" NumberOfComponents="3")"));
    EXPECT_TRUE(contains(vtu, R"(Name="mode_05")"));
  }
}

TEST(Modes, OfAFreeBodyBeginWithSixZeros) {
  const ScratchFolder folder;
  const auto result = run_limber(
      folder.path(), fmt::format("modes '{}' --free --count 8 --json --picture m.png", test::tiny_beam_name));
  ASSERT_EQ(result.status, 0) << result.err;
  const json frequencies = json::parse(result.out)["frequencies_hz"];
  EXPECT_LT(frequencies[5].get<double>(), 1e-4 * frequencies[6].get<double>());
  EXPECT_TRUE(read_file(folder / "m.png").starts_with("\x89PNG"));
}

}  // namespace
}  // namespace limber::command_test
