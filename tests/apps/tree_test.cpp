// Trees of domains in the command.
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::tree_test {
namespace {

using nlohmann::json;
using test::contains;
using test::expect_refused;
using test::files_in;
using test::line_count;
using test::run_limber;
using test::ScratchFolder;

constexpr std::string_view bare_beam = "'builtin:beam?size=1,0.1,0.1&cells=12,2,2'";
const std::string beam = fmt::format("{} --young 1e5 --fixed-where 'x < 0.01'", bare_beam);

test::CommandResult reduce(const ScratchFolder& folder, std::string_view more = "--domains auto:3 --rank 8") {
  return run_limber(folder.path(), fmt::format("reduce {} -o t.glb --json {}", beam, more));
}

/// Element sets of the same beam: both halves.
void write_halves(const ScratchFolder& folder) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.1, 0.1}, .cells = {12, 2, 2}});
  json sets{{"foot", json::array()}, {"tip", json::array()}};
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const double x = mesh.vertices(0, mesh.elements.col(e)).mean();
    sets[x < 0.5 ? "foot" : "tip"].push_back(e);
  }
  write_file(folder / "halves.json", sets.dump());
}

json scene() {
  return json::parse(R"({
    "bodies": [{"name": "beam", "mesh": "builtin:beam?size=1,0.1,0.1&cells=12,2,2",
                "material": {"young": 1e5, "poisson": 0.3, "density": 1000},
                "fixed": {"where": "x < 0.01"}, "method": "reduced",
                "domains": {"from": "auto", "count": 3, "rank": 10},
                "loads": [{"where": "x > 0.99", "force": [0, 0.005, -0.02], "to": 0.5}],
                "damping": {"stiffness": 0.001}}],
    "solver": {"type": "dynamic", "timestep": 0.02, "steps": 40},
    "output": {"animation": "motion.glb", "every": 2, "displacements": "u.csv", "picture": "beam.png", "vtu": "frames"}})");
}

TEST(ReduceTree, TellsPartsAndTotals) {
  const ScratchFolder folder;
  const test::CommandResult result = reduce(folder);
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["domains"], 3);
  EXPECT_EQ(report["coordinates"], 24);
  EXPECT_EQ(report["depth"], 3);
  EXPECT_EQ(report["free"], false);
  ASSERT_EQ(report["parts"].size(), 3u);
  int elements = 0;
  for (const json& part : report["parts"]) {
    elements += part["elements"].get<int>();
    EXPECT_EQ(part["rank"], 8);
    EXPECT_EQ(part["uses"], 1);
    EXPECT_GT(part["frequencies_hz"][0].get<double>(), 1.0);
  }
  EXPECT_EQ(elements, 288);
  EXPECT_EQ(report["file_bytes"], std::filesystem::file_size(folder / "t.glb"));
  EXPECT_EQ(read_model(folder / "t.glb").coordinate_count(), 24);
  const std::string text =
      run_limber(folder.path(), fmt::format("reduce {} --domains auto:3 -o t.glb", beam)).out;
  EXPECT_TRUE(contains(text, "3 domains, 3 deep, held; ")) << text;
  EXPECT_TRUE(contains(text, "60 coordinates")) << text;
}

TEST(ReduceTree, GivesTheSameFileAgain) {
  const ScratchFolder folder;
  constexpr std::string_view one_thread = "--domains auto:3 --rank 8 --threads 1";
  ASSERT_EQ(reduce(folder, one_thread).status, 0);
  const std::string first = read_file(folder / "t.glb");
  ASSERT_EQ(reduce(folder, one_thread).status, 0);
  EXPECT_TRUE(read_file(folder / "t.glb") == first);
}

TEST(ReduceTree, LeavesMeshesOutWhenAsked) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder, "--domains auto:2 --rank 5 --no-simulation-mesh").status, 0);
  EXPECT_FALSE(read_model(folder / "t.glb").parts[0].model.simulation.has_value());
  EXPECT_TRUE(contains(run_limber(folder.path(), "inspect t.glb").out, "left out"));
  EXPECT_EQ(run_limber(folder.path(), "simulate t.glb -o fall.glb --seconds 0.1").status, 0);
  expect_refused(folder, "verify t.glb", "without its mesh");
}

TEST(ReduceTree, TakesElementSetsRootsAndRigidDomains) {
  const ScratchFolder folder;
  write_halves(folder);
  const test::CommandResult held = reduce(folder, "--domains halves.json --rank 6 --rigid tip");
  ASSERT_EQ(held.status, 0) << held.err;
  const Model tree = read_model(folder / "t.glb");
  ASSERT_EQ(tree.domain_count(), 2);
  EXPECT_EQ(tree.domains[0].name, "foot");
  EXPECT_EQ(tree.rank(0), 6);
  EXPECT_EQ(tree.domains[1].name, "tip");
  EXPECT_EQ(tree.rank(1), 0);
  const test::CommandResult free = run_limber(
      folder.path(),
      fmt::format("reduce {} --free --domains halves.json --root tip --total-rank 20 -o f.glb", bare_beam));
  ASSERT_EQ(free.status, 0) << free.err;
  const Model flying = read_model(folder / "f.glb");
  EXPECT_TRUE(flying.free);
  EXPECT_EQ(flying.domains[0].name, "tip");
  EXPECT_EQ(flying.coordinate_count(), 20);
}

TEST(ReduceTree, TakesTheBodyOfAScene) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", scene().dump());
  ASSERT_EQ(run_limber(folder.path(), "reduce scene.json -o t.glb --rank 5").status, 0);
  EXPECT_EQ(read_model(folder / "t.glb").coordinate_count(), 15);
  expect_refused(folder, "reduce scene.json -o t.glb --young 1e6", "--young");
  json plain = scene();
  plain["bodies"][0].erase("domains");
  write_file(folder / "scene.json", plain.dump());
  expect_refused(folder, "reduce scene.json -o t.glb", "give it 'domains' or an 'assembly'");
}

TEST(ReduceTree, RefusesWhatItCannotDo) {
  const ScratchFolder folder;
  write_halves(folder);
  write_mesh(folder / "beam.msh", test::tiny_beam());
  write_file(folder / "empty.json", "{}");
  write_file(folder / "twice.json", R"({"a": [[0, 20]], "b": [20]})");
  write_file(folder / "words.json", R"({"a": ["x"]})");
  write_file(folder / "outside.json", R"({"a": [288]})");
  const std::string start = fmt::format("reduce {} -o t.glb ", beam);
  expect_refused(folder, start + "--domains region", "did you mean 'regions'");
  expect_refused(folder, start + "--domains auto:0", "auto:8");
  expect_refused(folder, start + "--domains auto:x", "auto:8");
  expect_refused(folder, start + "--domains missing.json", "missing.json");
  expect_refused(folder, start + "--domains empty.json", "element sets");
  expect_refused(folder, start + "--domains twice.json", "20");
  expect_refused(folder, start + "--domains words.json", "words.json: a[0]");
  expect_refused(folder, start + "--domains outside.json", "288");
  expect_refused(folder, start + "--domains halves.json --root tap", "tap");
  expect_refused(folder, start + "--domains halves.json --rigid tap", "did you mean 'tip'");
  expect_refused(folder, start + "--domains halves.json --rank 5 --total-rank 10", "exclude");
  expect_refused(folder, start + "--domains halves.json --report page", "--report");
  expect_refused(folder, start + "--domains halves.json --sketch s.json", "--sketch");
  expect_refused(folder, start + "--domains halves.json --snapshots s.csv", "--snapshots");
  expect_refused(folder, start + "--domains halves.json --modes 5", "--modes");
  expect_refused(folder, start + "--total-rank 10", "add --domains");
  expect_refused(folder, "reduce builtin:oak -o t.glb --domains regions", "--domains");
  expect_refused(folder, "reduce builtin:oak -o t.glb --fixed-where 'x < 0'", "--fixed-where");
}

/// The beam with a vertex that no element uses put in before vertex `at`; its number of vertices: at the end.
VolumeMesh with_unused_vertex(const VolumeMesh& mesh, Index at) {
  VolumeMesh result = mesh;
  const Index after = mesh.vertex_count() - at;
  result.vertices.conservativeResize(3, mesh.vertex_count() + 1);
  result.vertices.rightCols(after) = mesh.vertices.rightCols(after);
  result.vertices.col(at) = Vector3(0.5, 3.0, 0.0);  // away from the body
  result.elements = mesh.elements.unaryExpr([&](int v) { return v < at ? v : v + 1; });
  return result;
}

TEST(ReduceTree, TakesMeshesWithVerticesThatNoElementUses) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {6, 1, 1}});
  const Index n = mesh.vertex_count();
  const VolumeMesh one = with_unused_vertex(mesh, n / 2);
  std::vector<json> reports;
  for (const VolumeMesh& with : {mesh, one, with_unused_vertex(mesh, n), with_unused_vertex(one, n + 1)}) {
    SCOPED_TRACE(with.vertex_count());
    const ScratchFolder folder;
    write_mesh(folder / "b.msh", with);
    ASSERT_EQ(read_mesh(folder / "b.msh").vertex_count(), with.vertex_count()) << "the file lost a vertex";
    const auto run = [&](std::string_view command) {
      const test::CommandResult result = run_limber(folder.path(), command);
      EXPECT_EQ(result.status, 0) << command << ": " << result.err;
      return result.out;
    };
    run("reduce b.msh --young 1e5 --fixed-where 'x < 0.01' --domains auto:2 --rank 5 --threads 1 -o t.glb");
    if (HasFailure()) continue;
    const json inspected = json::parse(run("inspect t.glb --json"));
    EXPECT_EQ(inspected["valid"], true);
    EXPECT_NEAR(inspected["mass"].get<double>(), 40.0, 1e-9);
    EXPECT_EQ(json::parse(run("verify t.glb --json"))["verified"], true);
    reports.push_back(json::parse(run("simulate t.glb -o fall.glb --seconds 0.2 --json")));
    const json& first = reports.front();
    const json& now = reports.back();
    const double energy = first["energy"].get<double>();
    EXPECT_NEAR(now["energy"].get<double>(), energy, 1e-8 * std::abs(energy)) << "another motion";
    EXPECT_NEAR(now["bodies"][0]["max_displacement"].get<double>(),
                first["bodies"][0]["max_displacement"].get<double>(), 1e-8);
    EXPECT_GT(now["trees"][0]["largest_gap"]["share"].get<double>(), 0.0);
  }
}

TEST(SimulateTree, TellsNoGapWhereItMeasuredNone) {
  const ScratchFolder folder;
  for (const std::string& how : {beam, fmt::format("{} --free", bare_beam)}) {
    for (const int count : {1, 2}) {
      for (const std::string_view mesh : {"", "--no-simulation-mesh"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", how, count, mesh));
        const std::string line =
            fmt::format("reduce {} --domains auto:{} --rank 5 {} -o t.glb", how, count, mesh);
        ASSERT_EQ(run_limber(folder.path(), line).status, 0);
        const test::CommandResult result =
            run_limber(folder.path(), "simulate t.glb -o fall.glb --seconds 0.1 --json");
        ASSERT_EQ(result.status, 0) << result.err;
        const json trees = json::parse(result.out).value("trees", json::array());
        EXPECT_FALSE(contains(trees.dump(), "null")) << result.out;
        ASSERT_EQ(trees.size(), count == 1 && how == beam ? 0u : 1u) << result.out;
        for (const json& tree : trees) EXPECT_EQ(tree.contains("largest_gap"), count == 2 && mesh.empty());
      }
    }
  }
}

TEST(ReduceTree, OfARigidDomainAndOneWithCubatureIsReadByAllCommands) {
  const ScratchFolder folder;
  const test::CommandResult made = reduce(folder, "--domains auto:2 --rigid 'part 2' --law neo-hookean");
  ASSERT_EQ(made.status, 0) << made.err;
  const Model tree = read_model(folder / "t.glb");
  ASSERT_EQ(tree.domain_count(), 2);
  EXPECT_EQ(tree.rank(1), 0);
  EXPECT_EQ(json::parse(run_limber(folder.path(), "inspect t.glb --json").out)["valid"], true);
  EXPECT_EQ(json::parse(run_limber(folder.path(), "verify t.glb --json").out)["verified"], true);
  const test::CommandResult moved =
      run_limber(folder.path(), "simulate t.glb -o fall.glb --seconds 0.1 --json");
  EXPECT_EQ(moved.status, 0) << moved.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "fall.glb"));
#ifdef LIMBER_VIEWER_PAGE
  const test::CommandResult exported = run_limber(folder.path(), "export t.glb -o page.html");
  EXPECT_EQ(exported.status, 0) << exported.err;
#endif
}

TEST(InspectTree, TellsPartsMassAndFrequencies) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder, "--domains auto:3 --rank 12").status, 0);
  const test::CommandResult result = run_limber(folder.path(), "inspect t.glb --json --picture t.png");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["type"], "reduced model");
  EXPECT_EQ(found["valid"], true);
  EXPECT_EQ(found["domains"], 3);
  EXPECT_EQ(found["parts"].size(), 3u);
  EXPECT_NEAR(found["mass"].get<double>(), 11.0, 1e-9);
  EXPECT_TRUE(std::filesystem::exists(folder / "t.png"));
  const json modes =
      json::parse(run_limber(folder.path(), fmt::format("modes {} --count 2 --json", beam)).out);
  const double full = modes["frequencies_hz"][0].get<double>();
  EXPECT_NEAR(found["frequencies_hz"][0].get<double>(), full, 0.03 * full);
  const std::string text = run_limber(folder.path(), "inspect t.glb").out;
  EXPECT_TRUE(contains(text, "3 of 3 parts, 3 deep, held")) << text;
}

TEST(InspectTree, RefusesBrokenFiles) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  const std::string good = read_file(folder / "t.glb");
  write_file(folder / "cut.glb", good.substr(0, good.size() / 2));
  for (const char* command : {"inspect", "verify", "view --no-open"})
    expect_refused(folder, fmt::format("{} cut.glb", command), "cut.glb");
  expect_refused(folder, "simulate cut.glb -o out.glb", "cut.glb");
}

TEST(InspectTree, TellsPartsOfABuiltInTree) {
  const ScratchFolder folder;
  const test::CommandResult result = run_limber(folder.path(), "inspect builtin:letters --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["type"], "part tree");
  EXPECT_GT(found["domains"].get<int>(), 3);
  int uses = 0;
  for (const json& part : found["parts"]) uses += part["uses"].get<int>();
  EXPECT_EQ(uses, found["domains"].get<int>());
}

TEST(VerifyTree, AgreesWithItsMeshesAndNoticesWhatIsWrong) {
  const ScratchFolder folder;
  write_halves(folder);
  ASSERT_EQ(reduce(folder, "--domains halves.json --rank 6").status, 0);
  const test::CommandResult result = run_limber(folder.path(), "verify t.glb --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["verified"], true);
  ASSERT_EQ(report["parts"].size(), 2u);
  for (const json& part : report["parts"]) {
    for (const char* key : {"force_error", "stiffness_error", "mass_error", "inertia_error", "port_error"})
      EXPECT_LT(part[key].get<double>(), 1e-9) << part["name"] << " " << key;
  }
  const Model good = read_model(folder / "t.glb");
  Model heavy = good;
  heavy.parts[1].model.regions[0].moments.first.x() *= 1.01;
  write_model(folder / "t.glb", heavy);
  const test::CommandResult noticed = run_limber(folder.path(), "verify t.glb");
  EXPECT_EQ(noticed.status, 1);
  EXPECT_TRUE(contains(noticed.err, "the inertia of 'tip'")) << noticed.err;
  Model loose = good;
  loose.parts[0].ports[0].center_rows *= 1.01;
  write_model(folder / "t.glb", loose);
  EXPECT_TRUE(contains(run_limber(folder.path(), "verify t.glb").err, "a port of 'foot'"));
  expect_refused(folder, fmt::format("verify t.glb --mesh {}", bare_beam), "--mesh");
}

TEST(SimulateTree, WritesAllOutputsAndTellsGaps) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", scene().dump());
  const test::CommandResult result = run_limber(folder.path(), "simulate scene.json --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["steps"], 40);
  EXPECT_EQ(report["bodies"][0]["unknowns"], 30);
  EXPECT_GT(report["bodies"][0]["max_displacement"].get<double>(), 1e-3);
  EXPECT_GT(report["seconds"]["step"].get<double>(), 0.0);
  ASSERT_EQ(report["trees"].size(), 1u);
  EXPECT_EQ(report["trees"][0]["domains"], 3);
  const json& gap = report["trees"][0]["largest_gap"];
  EXPECT_GT(gap["share"].get<double>(), 0.0);
  EXPECT_LT(gap["share"].get<double>(), 0.05);
  EXPECT_FALSE(gap["domain"].get<std::string>().empty());
  EXPECT_EQ(line_count(read_file(folder / "u.csv")), 117);
  for (const char* file : {"motion.glb", "beam.png", "frames/beam.pvd", "frames/beam_0020.vtu"})
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
  const test::CommandResult clip = run_limber(folder.path(), "inspect motion.glb");
  EXPECT_EQ(clip.status, 0) << clip.err;
  EXPECT_TRUE(contains(read_file(folder / "motion.glb"), "\"animations\""));
  const std::string text = run_limber(folder.path(), "simulate scene.json").out;
  EXPECT_TRUE(contains(text, "largest interface gap before averaging ")) << text;
}

TEST(SimulateTree, IsTheSameFromAFileAndFromItsMesh) {
  const ScratchFolder folder;
  json made = scene();
  made["output"] = {{"displacements", "u.csv"}};
  write_file(folder / "scene.json", made.dump());
  ASSERT_EQ(run_limber(folder.path(), "simulate scene.json --threads 1").status, 0);
  const std::string first = read_file(folder / "u.csv");
  ASSERT_EQ(run_limber(folder.path(), "reduce scene.json -o t.glb --threads 1").status, 0);
  for (const char* key : {"mesh", "material", "fixed", "domains"}) made["bodies"][0].erase(key);
  made["bodies"][0]["model"] = "t.glb";
  write_file(folder / "scene.json", made.dump());
  const test::CommandResult result = run_limber(folder.path(), "simulate scene.json --threads 1");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(line_count(read_file(folder / "u.csv")), line_count(first));
}

TEST(SimulateTree, LetsATreeGoUnderItsWeight) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  const test::CommandResult result =
      run_limber(folder.path(), "simulate t.glb -o fall.glb --seconds 0.3 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["trees"][0]["coordinates"], 24);
  EXPECT_TRUE(std::filesystem::exists(folder / "fall.glb"));
  expect_refused(folder, "simulate t.glb", "-o");
  expect_refused(folder, "simulate t.glb -o t.glb", "overwrite");
  expect_refused(folder, "simulate t.glb -o fall.glb --method warped",
                 "the method 'warped' does not take several domains");
  EXPECT_EQ(run_limber(folder.path(), "simulate t.glb -o linear.glb --seconds 0.1 --method linear").status,
            0);
}

TEST(CompareTree, HasNoErrorToTellWhereTheFullBodyRests) {
  const ScratchFolder folder;
  json still = scene();
  still["output"] = json::object();
  still["bodies"][0].erase("loads");
  still.erase("gravity");
  write_file(folder / "scene.json", still.dump());
  const test::CommandResult result = run_limber(folder.path(), "compare scene.json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(contains(result.out, "inf") || contains(result.out, "nan")) << result.out;
}

TEST(CompareTree, IsNearTheFullMotionWithTheInertiaOfSubtrees) {
  const ScratchFolder folder;
  json quick = scene();
  quick["output"] = json::object();
  write_file(folder / "scene.json", quick.dump());
  const test::CommandResult result = run_limber(
      folder.path(), "compare scene.json --basis domains --basis domains:interface --json --plot p.svg");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  ASSERT_EQ(report["reduced"].size(), 2u);
  const json& full = report["reduced"][0];
  const json& lumped = report["reduced"][1];
  EXPECT_LT(full["trajectory_error"].get<double>(), 0.1);
  const double frequency = report["natural_frequencies_hz"][0].get<double>();
  EXPECT_NEAR(full["natural_frequencies_hz"][0].get<double>(), frequency, 0.03 * frequency);
  EXPECT_GT(lumped["natural_frequencies_hz"][0].get<double>(), 1.1 * frequency);
  EXPECT_LT(full["largest_gap"].get<double>(), 0.05);
  const std::string text = run_limber(folder.path(), "compare scene.json").out;
  EXPECT_TRUE(contains(text, "natural frequencies (Hz)")) << text;
  expect_refused(folder, "compare scene.json --basis domains:centre", "did you mean 'center'");
  quick["bodies"][0] = {{"name", "oak"}, {"mesh", "builtin:letters"}, {"method", "reduced"}};
  write_file(folder / "scene.json", quick.dump());
  expect_refused(folder, "compare scene.json", "tree of parts");
}

}  // namespace
}  // namespace limber::tree_test
