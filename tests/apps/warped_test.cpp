#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::warped_test {
namespace {

using nlohmann::json;
using test::contains;
using test::run_limber;
using test::ScratchFolder;

/// A soft beam on a support that jumps, dragged at its tip.
json jumping_beam() {
  return json::parse(R"({
    "bodies": [{"name": "beam", "mesh": "builtin:beam?size=1,0.2,0.2&cells=5,1,1",
                "material": {"young": 1e5, "poisson": 0.3, "density": 1000},
                "fixed": {"where": "x < 0.1"}, "method": "warped",
                "basis": {"modes": 10},
                "constraints": [{"name": "tip", "nearest": [1, 0, 0],
                                 "keys": [{"time": 0}, {"time": 0.2, "position": [-0.1, 0, 0.3]}]}],
                "support": {"keys": [{"time": 0}, {"time": 0.1, "position": [0, 0, 0.2]}, {"time": 0.2}]}}],
    "gravity": [0, 0, -9.81],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 30},
    "output": {"animation": "jump.glb"}})");
}

TEST(SimulateWarped, WritesAnAnimationWithinItsTolerance) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", jumping_beam().dump());
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json report = json::parse(result.out);
  ASSERT_EQ(report["animation"].size(), 1u);
  EXPECT_GT(report["animation"][0]["targets"].get<int>(), 3);
  EXPECT_LE(report["animation"][0]["largest_error"].get<double>(),
            report["animation"][0]["tolerance"].get<double>());
  EXPECT_NEAR(report["animation"][0]["tolerance"].get<double>(), 1e-4 * std::sqrt(1.08), 1e-9);
  EXPECT_EQ(report["constraints"]["met"], true);
  EXPECT_EQ(report["constraints"]["each"][0]["name"], "tip");
  EXPECT_LT(report["constraints"]["each"][0]["position_error"].get<double>(), 1e-8);
  EXPECT_TRUE(std::filesystem::exists(folder / "jump.glb"));
  const auto again = run_limber(folder.path(), "simulate scene.json");
  EXPECT_TRUE(contains(again.out, "animation: ")) << again.out;
  EXPECT_TRUE(contains(again.out, "mm (tolerance 0.104 mm)")) << again.out;
}

TEST(SimulateWarped, SaysWhenRotationsPassWhatWarpingCanRepresent) {
  const ScratchFolder folder;
  json scene = jumping_beam();
  for (const char* key : {"constraints", "support"}) scene["bodies"][0].erase(key);
  scene["output"] = json::object();
  for (const auto& [young, too_far] : {std::pair(1e6, false), {2e4, true}}) {
    scene["bodies"][0]["material"]["young"] = young;
    write_file(folder / "scene.json", scene.dump());
    const auto result = run_limber(folder.path(), "simulate scene.json --json");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(contains(result.err, "degrees, more than warping can represent"), too_far) << result.err;
    EXPECT_EQ(test::line_count(result.err), too_far ? 1 : 0) << result.err;
    EXPECT_EQ(json::parse(result.out)["warped"][0]["largest_length_error"].get<double>() > 0.25, too_far);
  }
}

TEST(SimulateLinear, SaysWhenDisplacementsPassWhatLinearModesCanRepresent) {
  const ScratchFolder folder;
  json scene = jumping_beam();
  for (const char* key : {"constraints", "support"}) scene["bodies"][0].erase(key);
  scene["bodies"][0]["method"] = "linear";
  scene["output"] = json::object();
  for (const auto& [young, too_far] : {std::pair(1e6, false), {2e4, true}}) {
    scene["bodies"][0]["material"]["young"] = young;
    write_file(folder / "scene.json", scene.dump());
    const auto result = run_limber(folder.path(), "simulate scene.json --json");
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(contains(result.err, "beam: linear modes carry it by up to "), too_far) << result.err;
    EXPECT_EQ(test::line_count(result.err), too_far ? 1 : 0) << result.err;
    EXPECT_EQ(json::parse(result.out)["linear"][0]["share_of_size"].get<double>() > 1.0 / 3.0, too_far);
  }
}

TEST(SimulateWarped, WarnsOnceOfWhatIsOutOfReach) {
  const ScratchFolder folder;
  json scene = jumping_beam();
  scene["bodies"][0]["constraints"][0]["keys"][1]["position"] = {5, 0, 0};
  scene["bodies"][0]["mesh"] = "builtin:beam?size=1,0.1,0.1&cells=10,2,2";
  scene["bodies"][0]["basis"]["modes"] = 2;  // which bend, and do not stretch
  scene["output"] = json::object();
  write_file(folder / "scene.json", scene.dump());
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(test::line_count(result.err), 1) << result.err;
  EXPECT_TRUE(contains(result.err, "constraints were missed: 'tip' of beam by up to ")) << result.err;
  EXPECT_EQ(json::parse(result.out)["constraints"]["met"], false);
}

TEST(SimulateWarped, SaysWhereMoreIsHeldThanThereAreModes) {
  const ScratchFolder folder;
  json scene = jumping_beam();
  scene["bodies"][0]["constraints"][0] = {{"name", "end"}, {"where", "x > 0.9"}, {"keys", json::array()}};
  scene["bodies"][0]["constraints"][0]["keys"] = {
      {{"time", 0}}, {{"time", 0.2}, {"position", {0, 0, 0.1}}, {"rotation", {0.6, 0, 0, 0.8}}}};
  scene["bodies"][0]["basis"]["modes"] = 6;
  scene["output"] = json::object();
  write_file(folder / "scene.json", scene.dump());
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(test::line_count(result.err), 1) << result.err;
  EXPECT_TRUE(contains(result.err, "in beam 12 numbers are held by 6 modes; raise basis.modes"))
      << result.err;
}

TEST(SimulateWarped, WarnsOfAnAnimationThatMissesItsTolerance) {
  const ScratchFolder folder;
  json scene = jumping_beam();
  scene["output"]["animation_tolerance"] = 1e-12;  // less than floats can tell
  write_file(folder / "scene.json", scene.dump());
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(test::line_count(result.err), 1) << result.err;
  EXPECT_TRUE(contains(result.err, "beam: the animation misses vertices by up to ")) << result.err;
  EXPECT_TRUE(contains(result.err, "which is 1.04e-09 mm")) << result.err;
}

/// The example that follows two joints of an animated file; the path comes from the build.
TEST(SimulateWarped, FollowsTheJointsOfTheExample) {
  const ScratchFolder folder;
  const auto result = run_limber(
      folder.path(), "simulate '" LIMBER_SOURCE_DIR "/examples/scenes/follow.json' --output-dir out --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "") << "a constraint was missed";
  const json report = json::parse(result.out);
  EXPECT_EQ(report["constraints"]["met"], true);
  EXPECT_EQ(report["constraints"]["each"].size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(folder / "out/follow.glb"));
}

TEST(SimulateWarped, RefusesVerticesThatAreFixed) {
  const ScratchFolder folder;
  json scene = jumping_beam();
  scene["bodies"][0]["constraints"][0]["nearest"] = {0, 0, 0};
  write_file(folder / "scene.json", scene.dump());
  test::expect_refused(folder, "simulate scene.json",
                       "scene.json: bodies[0] ('beam'): constraints[0]: vertex 0 is fixed");
}

TEST(SimulateWarped, MovesAModelAsItIsTold) {
  const ScratchFolder folder;
  const auto reduced = run_limber(folder.path(),
                                  "reduce 'builtin:beam?size=1,0.2,0.2&cells=5,1,1' -o beam.glb "
                                  "--fixed-where 'x < 0.1' --young 1e5 --modes 6");
  ASSERT_EQ(reduced.status, 0) << reduced.err;
  for (const char* const method : {"reduced", "warped", "linear"}) {
    const auto result = run_limber(
        folder.path(), fmt::format("simulate beam.glb -o {0}.glb --seconds 0.2 --method {0}", method));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(std::filesystem::exists(folder / fmt::format("{}.glb", method)));
    EXPECT_EQ(contains(result.out, "animation: "), std::string_view(method) == "warped") << result.out;
  }
  const auto found = run_limber(folder.path(), "inspect beam.glb --json");
  EXPECT_GT(json::parse(found.out)["parts"][0]["warp"]["lumps"].get<int>(), 0) << found.out;
}

TEST(CompareWarped, IsNearerToTheFullMotionThanLinearModes) {
  const ScratchFolder folder;
  json scene = jumping_beam();
  for (const char* key : {"constraints", "support"}) scene["bodies"][0].erase(key);
  write_file(folder / "scene.json", scene.dump());
  test::expect_refused(folder, "compare scene.json --basis warped/exact", "modes need no forces");
  test::expect_refused(folder, "compare scene.json --basis warped --basis linear --basis warped",
                       "--basis warped: it is named twice");
  test::expect_refused(folder, "compare scene.json --basis warped --rank 5",
                       "--rank: a basis of natural modes, whose number is --modes, has no use for it");
  const auto result =
      run_limber(folder.path(), "compare scene.json --basis warped --basis linear --modes 8 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json reduced = json::parse(result.out)["reduced"];
  EXPECT_EQ(reduced[0]["rank"], 8);
  EXPECT_LT(reduced[0]["trajectory_error"].get<double>(), reduced[1]["trajectory_error"].get<double>());
}

}  // namespace
}  // namespace limber::warped_test
