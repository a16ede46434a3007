#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::online_test {
namespace {

using nlohmann::json;
using test::contains;
using test::run_limber;
using test::ScratchFolder;

/// A beam that falls and swings.
json swinging_beam() {
  return json::parse(R"({
    "bodies": [{"name": "beam", "mesh": "builtin:beam?size=1,0.1,0.1&cells=10,1,1",
                "material": {"young": 1e6, "poisson": 0.3, "density": 1000},
                "fixed": {"where": "x < 0.01"}, "damping": {"mass": 0.2, "stiffness": 0.002},
                "method": "online"}],
    "gravity": [0, 0, -9.81],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 60, "online": {"error": 0.05}},
    "output": {"timeline": "steps.svg"}})");
}

TEST(SimulateOnline, ReportsWhatWasSkippedInTextAndJson) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", swinging_beam().dump());
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json online = json::parse(result.out)["online"][0];
  EXPECT_EQ(online["body"], "beam");
  EXPECT_EQ(online["full_steps"].get<int>() + online["reduced_steps"].get<int>(), 60);
  EXPECT_GT(online["reduced_steps"].get<int>(), 20) << online;
  EXPECT_GT(online["rank"].get<int>(), 2);
  EXPECT_TRUE(contains(read_file(folder / "steps.svg"), "<svg"));
  const auto text = run_limber(folder.path(), "simulate scene.json");
  EXPECT_TRUE(contains(text.out, "of 60 steps reduced")) << text.out;
  EXPECT_TRUE(contains(text.out, "(5 % accepted)")) << text.out;
}

TEST(SimulateOnline, WithAThrottleOfZeroGivesTheFilesOfTheFullMethod) {
  const ScratchFolder folder;
  json scene = swinging_beam();
  scene["solver"]["steps"] = 15;
  scene["output"] = {{"displacements", "online.csv"}};
  write_file(folder / "online.json", scene.dump());
  scene["bodies"][0]["method"] = "full";
  scene["solver"].erase("online");
  scene["output"] = {{"displacements", "full.csv"}};
  write_file(folder / "full.json", scene.dump());
  EXPECT_EQ(run_limber(folder.path(), "simulate online.json --throttle 0").status, 0);
  EXPECT_EQ(run_limber(folder.path(), "simulate full.json").status, 0);
  EXPECT_EQ(read_file(folder / "online.csv"), read_file(folder / "full.csv"));
}

TEST(SimulateOnline, RefusesWhatMakesNoSense) {
  const ScratchFolder folder;
  json scene = swinging_beam();
  write_file(folder / "scene.json", scene.dump());
  test::expect_refused(folder, "simulate scene.json --throttle -1", "--throttle");
  test::expect_refused(folder, "simulate scene.json --error 2", "--error");
  scene["solver"]["type"] = "static";
  write_file(folder / "static.json", scene.dump());
  test::expect_refused(folder, "simulate static.json", "bodies[0].method is 'online'");
  scene = swinging_beam();
  scene["bodies"][0]["method"] = "full";
  scene["solver"].erase("online");
  scene["output"] = json::object();
  write_file(folder / "full.json", scene.dump());
  test::expect_refused(
      folder, "simulate full.json --throttle 2",
      "simulate: --throttle: a scene without a body of the method 'online' has no use for it");
  scene = swinging_beam();
  scene["solver"]["online"]["max_rank"] = 2;
  write_file(folder / "rank.json", scene.dump());
  test::expect_refused(folder, "simulate rank.json", "max_rank");
}

TEST(CompareOnline, RunsBesideTheFullMethod) {
  const ScratchFolder folder;
  json scene = swinging_beam();
  scene["output"] = json::object();
  write_file(folder / "scene.json", scene.dump());
  const auto result = run_limber(folder.path(), "compare scene.json --basis online --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_LT(json::parse(result.out)["reduced"][0]["trajectory_error"].get<double>(), 0.15) << result.out;
}

/// A beam that was bent once and stays so. Its two key elements are content with a shape that is crushed a
/// thousandfold.
TEST(SimulateOnline, NeverTakesACrushedShapeForAnEquilibrium) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", R"({
    "bodies": [{"mesh": "builtin:beam?size=1,0.2,0.2&cells=3,2,2",
                "method": "online",
                "material": {"law": "neo-hookean", "density": 20, "young": 1e5, "poisson": 0.3},
                "fixed": {"where": "x < 0.01"},
                "constraints": [{"where": "x > 0.99", "keys": [{"time": 0},
                  {"time": 0.0199, "position": [-0.025708, -0.07097, -0.042336],
                   "rotation": [-0.0023577299500109152, 0.03542337111676518, -0.05348951894796404, 0.9979371208903506]},
                  {"time": 0.0414, "position": [-0.015476, -0.07026, 0.064687],
                   "rotation": [0.07715275683746618, -0.059598760050278705, 0.08209058930348907, 0.9918450358098557]},
                  {"time": 0.0648, "position": [-0.014542, -0.021342, 0.090269],
                   "rotation": [-0.017539101964237632, -0.020085114127388448, 0.016384447918586557, 0.9995101389976897]},
                  {"time": 0.0936, "position": [-0.088746, -0.026701, -0.048912],
                   "rotation": [-0.06323346366885972, -0.02539220255204345, 0.007634763162155021, 0.9976464682007614]}]}]}],
    "solver": {"type": "quasistatic", "timestep": 0.05, "steps": 12,
               "online": {"error": 0.02, "throttle": 3, "max_rank": 10, "seed": 4}}})");
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_LT(report["energy"], 25.0);
  EXPECT_GT(report["smallest_volume_ratio"], 0.5);
}

}  // namespace
}  // namespace limber::online_test
