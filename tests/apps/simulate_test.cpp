#include "limber/base/text.hpp"
#include "limber/full/statics.hpp"
#include "limber/io/gmsh_writer.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::simulate_test {
namespace {

using nlohmann::json;
using test::contains;
using test::run_limber;
using test::ScratchFolder;

/// The scene of the README: a held beam, pulled at two vertices.
json pulled_beam() {
  return json::parse(R"({
    "bodies": [{"mesh": "beam.msh", "method": "full",
                "material": {"law": "stvk", "young": 2e6, "poisson": 0.35, "density": 1100},
                "fixed": {"vertices": [0, 1, 2, 3]},
                "loads": [{"vertices": [14, 15], "force": [0, 0.8, -4.0]}]}],
    "gravity": [0, 0, 0],
    "solver": {"type": "static"},
    "output": {"displacements": "u.csv", "vtu": "deep/frames"}})");
}

void write_scene(const ScratchFolder& folder, const json& scene) {
  write_gmsh(folder / "beam.msh", test::tiny_beam());
  write_file(folder / "scene.json", scene.dump());
}

Matrix3X read_csv(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  Matrix3X values(3, test::line_count(text));
  Index column = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto parts = split(line, ',');
    EXPECT_EQ(parts.size(), 3u) << line;
    for (Index i = 0; i < 3; ++i)
      values(i, column) = parse_number(parts.at(static_cast<std::size_t>(i))).value();
    ++column;
  }
  return values;
}

/// What the library itself gives for the static scene.
Matrix3X static_solution() {
  const Material material{make_law("stvk", lame_from_young(2e6, 0.35)), 1100.0};
  const FullModel model(test::tiny_beam(), {material}, std::vector<int>{0, 1, 2, 3});
  Matrix3X load = Matrix3X::Zero(3, 16);
  load.col(14) = load.col(15) = Vector3(0.0, 0.8, -4.0);
  Vector u = Vector::Zero(model.dof_count());
  EXPECT_TRUE(solve_static(model, model.dofs().restrict(load), u).ok());
  return model.dofs().expand(u);
}

TEST(SimulateStatic, WritesTheSolutionOfTheLibrary) {
  const ScratchFolder folder;
  write_scene(folder, pulled_beam());
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const Matrix3X expected = static_solution();
  const Matrix3X found = read_csv(folder / "u.csv");
  ASSERT_EQ(found.cols(), expected.cols());
  EXPECT_LT((found - expected).norm(), 1e-12 * expected.norm());

  const json report = json::parse(result.out);
  for (const char* key : {"status", "steps", "time", "iterations", "residual", "energy", "load_steps",
                          "smallest_volume_ratio", "seconds", "bodies", "outputs"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["status"], "converged");
  EXPECT_EQ(report["bodies"][0]["unknowns"], 36);
  EXPECT_NEAR(report["bodies"][0]["max_displacement"].get<double>(), expected.colwise().norm().maxCoeff(),
              1e-12);
  EXPECT_EQ(test::files_in(folder.path()),
            (std::set<std::string>{"beam.msh", "scene.json", "u.csv", "deep", "deep/frames",
                                   "deep/frames/body0.pvd", "deep/frames/body0_0000.vtu",
                                   "deep/frames/body0_0001.vtu"}));
}

TEST(SimulateStatic, PutsTheBodiesAfterEachOther) {
  const ScratchFolder folder;
  json scene = pulled_beam();
  scene["bodies"].push_back(scene["bodies"][0]);
  scene["bodies"][1]["loads"] = json::array();
  scene["bodies"][0]["name"] = "my beam/1";
  scene["bodies"][1]["name"] = "my beam:1";  // of which files could not have both
  write_scene(folder, scene);
  const auto result = run_limber(folder.path(), "simulate scene.json");
  ASSERT_EQ(result.status, 0) << result.err;
  const Matrix3X found = read_csv(folder / "u.csv");
  ASSERT_EQ(found.cols(), 32);
  EXPECT_LT((found.leftCols(16) - static_solution()).norm(), 1e-12);
  EXPECT_EQ(found.rightCols(16).norm(), 0.0);
  EXPECT_TRUE(std::filesystem::exists(folder / "deep/frames/my_beam_1.pvd"));
  EXPECT_TRUE(std::filesystem::exists(folder / "deep/frames/my_beam_1_1.pvd"));
}

json moving_beam() {
  json scene = pulled_beam();
  scene["bodies"][0]["name"] = "beam";
  scene["solver"] = {{"type", "dynamic"}, {"timestep", 0.01}, {"steps", 7}};
  scene["output"] = {{"vtu", "frames"}, {"every", 3}, {"picture", "beam.png"}};
  return scene;
}

TEST(SimulateDynamic, WritesEachNthFrame) {
  const ScratchFolder folder;
  write_scene(folder, moving_beam());
  const auto result = run_limber(folder.path(), "simulate scene.json --json --threads 1");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(test::files_in(folder.path()),
            (std::set<std::string>{"beam.msh", "scene.json", "beam.png", "frames", "frames/beam.pvd",
                                   "frames/beam_0000.vtu", "frames/beam_0001.vtu", "frames/beam_0002.vtu"}));
  const std::string pvd = read_file(folder / "frames/beam.pvd");
  EXPECT_TRUE(contains(pvd, R"(timestep="0" part="0" file="beam_0000.vtu")")) << pvd;
  EXPECT_TRUE(contains(pvd, R"(timestep="0.03" part="0" file="beam_0001.vtu")")) << pvd;
  EXPECT_TRUE(contains(pvd, R"(timestep="0.06" part="0" file="beam_0002.vtu")")) << pvd;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["steps"], 7);
  EXPECT_NEAR(report["time"].get<double>(), 0.07, 1e-15);
}

/// The same under a weight that no step without a solve survives.
json bursting_beam() {
  json scene = moving_beam();
  scene["gravity"] = {0, 0, -1e20};
  scene["solver"].update({{"integrator", "central-differences"}, {"timestep", 1e-5}});
  return scene;
}

TEST(SimulateDynamic, SaysHowContactWent) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", R"({
    "bodies": [{"mesh": "builtin:beam?size=1,0.2,0.2&cells=3,1,1", "method": "reduced", "fixed": "none",
                "basis": {"modes": 2, "derivatives": 0, "rank": 2}}],
    "gravity": [0, 0, -9.81], "ground": {"height": -0.101},
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 10}})");
  const auto result = run_limber(folder.path(), "simulate scene.json");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "\ncontact: ")) << result.out;
  EXPECT_TRUE(contains(result.out, " mm deep at most, not solved in 0, rescued ")) << result.out;
}

TEST(SimulateDynamic, ThatFailsSaysNothingOfAResidualThatIsNoNumber) {
  const ScratchFolder folder;
  json scene = bursting_beam();
  scene["bodies"][0]["damping"] = {{"mass", 0.1}};
  write_scene(folder, scene);
  const auto result = run_limber(folder.path(), "simulate scene.json");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(test::line_count(result.err), 1) << result.err;
  EXPECT_FALSE(contains(result.err, "inf,") || contains(result.err, "nan") ||
               contains(result.err, "residual"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "check the units of its loads, materials and mesh")) << result.err;
}

TEST(SimulateDynamic, KeepsItsFramesWhenAStepFails) {
  const ScratchFolder folder;
  json scene = bursting_beam();
  scene["output"]["displacements"] = "u.csv";
  write_scene(folder, scene);
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(test::line_count(result.err), 1) << result.err;
  EXPECT_TRUE(contains(result.err, "the solve failed after 3 steps")) << result.err;
  EXPECT_EQ(json::parse(result.out)["status"], "not finite");
  EXPECT_EQ(test::files_in(folder.path()),
            (std::set<std::string>{"beam.msh", "scene.json", "frames", "frames/beam.pvd",
                                   "frames/beam_0000.vtu", "frames/beam_0001.vtu"}));
}

TEST(SimulateOutputDir, TakesTheResultsInPlaceOfTheScenesFolder) {
  const ScratchFolder folder;
  json scene = moving_beam();
  scene["output"]["displacements"] = "u.csv";
  write_scene(folder, scene);
  std::filesystem::create_directory(folder / "elsewhere");
  const auto result = run_limber(folder / "elsewhere", "simulate ../scene.json --output-dir new/results");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "wrote new/results/u.csv\n")) << result.out;
  EXPECT_TRUE(std::filesystem::exists(folder / "elsewhere/new/results/beam.png"));
  EXPECT_TRUE(std::filesystem::exists(folder / "elsewhere/new/results/frames/beam_0002.vtu"));
  EXPECT_FALSE(std::filesystem::exists(folder / "u.csv"));
}

}  // namespace
}  // namespace limber::simulate_test
