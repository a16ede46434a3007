#include "limber/run/run_scene.hpp"

#include "limber/base/file.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <map>

namespace limber::run_scene_test {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::ScratchFolder;

SceneBody beam(const std::string& name, Method method) {
  SceneBody body;
  body.name = name;
  body.method = method;
  body.mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {3, 1, 1}});
  body.materials = {test::material("stvk", 1e6)};
  body.fixed.where = "x < 0.01";
  body.damping = {0.1, 0.002};
  body.reduction.basis.modes = 3;
  body.reduction.basis.rank = 6;
  return body;
}

/// Two beams that swing, by different methods, with one of each output.
Scene swinging_beams(const ScratchFolder& folder) {
  Scene scene;
  scene.bodies = {beam("full", Method::full), beam("reduced", Method::reduced)};
  scene.gravity = {0.0, 0.0, -9.81};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.timestep = 0.02;
  scene.solver.steps = 12;
  scene.solver.threads = 1;
  scene.output.every = 3;
  scene.output.displacements = folder / "u.csv";
  scene.output.vtu = folder / "frames";
  scene.output.animation = folder / "motion.glb";
  scene.output.picture = folder / "picture.png";
  return scene;
}

std::map<std::string, std::string> contents_of(const ScratchFolder& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file())
      contents[entry.path().lexically_relative(folder.path()).string()] = read_file(entry.path());
  }
  return contents;
}

/// Checkpoints after each step.
RunOptions with_checkpoints(const ScratchFolder& folder, bool resume = false) {
  RunOptions options;
  options.checkpoints.emplace();
  options.checkpoints->file = folder / "run.checkpoint";
  options.checkpoints->every = 0.0;
  options.checkpoints->resume = resume;
  return options;
}

/// What ends a run from outside.
struct Stop : std::exception {};

/// Lets a run come to a step and ends it there.
void stop_at(double fraction, const Scene& scene, RunOptions options) {
  options.on_progress = [fraction](std::string_view stage, double done) {
    if (stage.starts_with("step") && done > fraction) throw Stop();
  };
  EXPECT_THROW(run_scene(scene, options), Stop);
}

TEST(RunScene, WritesAllThatASceneOfTwoMethodsAsksFor) {
  const ScratchFolder folder;
  double last = 0.0;
  RunOptions options;
  options.on_progress = [&last](std::string_view, double done) { last = done; };
  const RunResult result = run_scene(swinging_beams(folder), options);
  ASSERT_TRUE(result.report.ok());
  EXPECT_EQ(result.steps, 12);
  EXPECT_EQ(last, 1.0);
  ASSERT_EQ(result.bodies.size(), 2U);
  EXPECT_EQ(result.bodies[0].method, Method::full);
  EXPECT_EQ(result.bodies[1].method, Method::reduced);
  EXPECT_EQ(result.bodies[1].unknowns, 6);
  EXPECT_GT(result.bodies[1].max_displacement, 1e-3);
  EXPECT_GT(result.report.smallest_volume_ratio, 0.0) << "that of the full body is known";
  ASSERT_EQ(result.animations.size(), 1U) << "the motion of the full body is fitted";
  EXPECT_EQ(result.animations[0].body, "full");
  EXPECT_EQ(result.outputs.size(), 5U);
  for (const fs::path& path : result.outputs) EXPECT_TRUE(fs::is_regular_file(path)) << path;
  EXPECT_TRUE(fs::exists(folder / "frames/reduced_0004.vtu"));
}

TEST(RunScene, GoesOnFromACheckpointToTheSameBits) {
  const ScratchFolder folder;
  const Scene scene = swinging_beams(folder);
  const RunResult whole = run_scene(scene);
  const auto expected = contents_of(folder);
  for (const auto& [name, content] : expected) fs::remove(folder / name);

  stop_at(0.5, scene, with_checkpoints(folder));
  ASSERT_TRUE(fs::exists(folder / "run.checkpoint"));
  RunOptions options = with_checkpoints(folder, true);
  std::string note;
  options.on_note = [&note](std::string_view line) { note = line; };
  const RunResult result = run_scene(scene, options);
  EXPECT_TRUE(contains(note, "going on after step ")) << note;
  EXPECT_EQ(result.report.iterations, whole.report.iterations);
  EXPECT_EQ(result.energy, whole.energy);
  EXPECT_TRUE(contents_of(folder) == expected);
}

TEST(RunScene, KeepsItsCheckpointUntilTheEndWasHandled) {
  const ScratchFolder folder;
  RunOptions options = with_checkpoints(folder);
  bool there = false;
  options.on_end = [&](const RunResult& result) {
    EXPECT_TRUE(result.report.ok());
    there = fs::exists(folder / "run.checkpoint");
  };
  run_scene(swinging_beams(folder), options);
  EXPECT_TRUE(there);
  EXPECT_FALSE(fs::exists(folder / "run.checkpoint"));
  options.on_end = [](const RunResult&) { throw Stop(); };
  EXPECT_THROW(run_scene(swinging_beams(folder), options), Stop);
  EXPECT_TRUE(fs::exists(folder / "run.checkpoint"));
}

TEST(RunScene, SaysWhereOutputCannotBeWritten) {
  const ScratchFolder folder;
  fs::create_directories(folder / "frames/full_0002.vtu");  // no frame can take this place
  const auto before = contents_of(folder);
  try {
    run_scene(swinging_beams(folder));
    ADD_FAILURE() << "expected an OutputError";
  } catch (const OutputError& error) {
    EXPECT_TRUE(contains(error.what(), "full_0002.vtu")) << error.what();
    EXPECT_TRUE(error.checkpoint().empty());
  }
  EXPECT_EQ(contents_of(folder), before) << "nothing is left";
  try {
    run_scene(swinging_beams(folder), with_checkpoints(folder));
    ADD_FAILURE() << "expected an OutputError";
  } catch (const OutputError& error) {
    EXPECT_EQ(error.checkpoint(), folder / "run.checkpoint");
  }
  fs::remove(folder / "frames/full_0002.vtu");
  EXPECT_TRUE(run_scene(swinging_beams(folder), with_checkpoints(folder, true)).report.ok());
}

TEST(RunScene, SolvesAStaticScene) {
  const ScratchFolder folder;
  Scene scene = swinging_beams(folder);
  scene.solver.type = SimulationType::statics;
  scene.output.animation.clear();
  for (SceneBody& body : scene.bodies) body.damping = {};
  const RunResult result = run_scene(scene, with_checkpoints(folder));
  ASSERT_TRUE(result.report.ok());
  EXPECT_TRUE(result.statics);
  EXPECT_TRUE(fs::exists(folder / "frames/full_0001.vtu"));
  EXPECT_FALSE(fs::exists(folder / "frames/full_0002.vtu"));
  scene.output.animation = folder / "motion.glb";
  EXPECT_TRUE(contains(test::error_text([&] { run_scene(scene); }), "a static solve has none"));
}

TEST(RunScene, SaysOfBodiesThatFlyThatTheyHaveAFrame) {
  const ScratchFolder folder;
  Scene scene = swinging_beams(folder);
  scene.output = {};
  scene.bodies = {beam("held", Method::reduced), beam("free", Method::reduced)};
  scene.bodies[1].fixed = {};
  std::vector<std::string> warnings;
  RunOptions options;
  options.on_warning = [&warnings](std::string_view line) { warnings.emplace_back(line); };
  const RunResult result = run_scene(scene, options);
  EXPECT_TRUE(warnings.empty());
  ASSERT_EQ(result.trees.size(), 1U);
  EXPECT_EQ(result.trees[0].body, "free");
  EXPECT_GT(result.bodies[1].max_displacement, 0.2) << "g t^2 / 2 of 0.24 s";
}

/// A beam that falls on ground, and a rigid ball on it.
Scene dropped_beam(const ScratchFolder& folder, double height) {
  Scene scene = swinging_beams(folder);
  scene.bodies = {beam("beam", Method::reduced)};
  scene.bodies[0].fixed = {};
  scene.obstacles = {make_ground(height, up_of(scene))};
  scene.rigids.resize(1);
  scene.rigids[0].name = "ball";
  scene.rigids[0].shape = Sphere{0.1};
  scene.rigids[0].pose.position = Vector3(0.7, 0.0, 0.25);
  return scene;
}

TEST(RunScene, GoesOnWithRigidBodiesFromACheckpoint) {
  const ScratchFolder whole, parts;
  run_scene(dropped_beam(whole, -0.15));
  const Scene scene = dropped_beam(parts, -0.15);
  stop_at(0.3, scene, with_checkpoints(parts));
  stop_at(0.7, scene, with_checkpoints(parts, true));
  run_scene(scene, with_checkpoints(parts, true));
  EXPECT_TRUE(contents_of(whole) == contents_of(parts));
}

TEST(RunScene, TellsOfBodiesThatStartInsideOfOthers) {
  const ScratchFolder folder;
  std::vector<std::string> warnings;
  RunOptions options;
  options.on_warning = [&warnings](std::string_view line) { warnings.emplace_back(line); };
  run_scene(dropped_beam(folder, -0.1), options);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  run_scene(dropped_beam(folder, -0.05), options);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(
      warnings[0],
      "beam is 50 mm deep in ground at the start, from where it is pushed out over some time; start them "
      "apart");
  warnings.clear();
  Scene two = dropped_beam(folder, -0.3);
  two.bodies.push_back(two.bodies[0]);
  two.bodies[1].name = "other";
  two.bodies[1].mesh.vertices.row(0).array() += 0.9;
  two.rigids.clear();
  run_scene(two, options);
  ASSERT_GE(warnings.size(), 1U);
  EXPECT_TRUE(test::contains(warnings[0], "is inside of ")) << warnings[0];
  for (const std::string& line : warnings) EXPECT_FALSE(test::contains(line, "deep in")) << line;
}

TEST(RunScene, CountsEachStepThatWasRescuedOnce) {
  const ScratchFolder folder;
  Scene scene = dropped_beam(folder, -0.15);
  scene.output = {};
  scene.rigids.clear();
  scene.gravity = Vector3(0.0, 0.0, -1e20);
  scene.solver.steps = 5;
  const RunResult result = run_scene(scene);
  EXPECT_GT(result.report.rescued_steps, 0);
  EXPECT_LE(result.report.rescued_steps, result.steps);
}

TEST(RunScene, SaysHowContactWent) {
  const ScratchFolder folder;
  const RunResult result = run_scene(dropped_beam(folder, -0.15));
  ASSERT_TRUE(result.contact.has_value());
  EXPECT_EQ(result.contact->unsolved, 0);
  EXPECT_EQ(result.contact->untested, 0);
}

}  // namespace
}  // namespace limber::run_scene_test
