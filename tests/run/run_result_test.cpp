#include "limber/run/run_result.hpp"

#include "limber/mesh/beam.hpp"
#include "limber/run/run_scene.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

namespace limber::run_result_test {
namespace {

using test::contains;

RunResult with_rescues(int rescued, int steps) {
  RunResult result;
  result.statics = false;
  result.steps = steps;
  result.report.rescued_steps = rescued;
  result.bodies.resize(2);
  return result;
}

TEST(RunWarnings, TellOfDampedStepsWhereTheyMatter) {
  EXPECT_EQ(warnings_about(with_rescues(0, 10)).size(), 0U);
  EXPECT_EQ(warnings_about(with_rescues(1, 5)).size(), 0U) << "the start of a short run";
  EXPECT_EQ(warnings_about(with_rescues(2, 5)).size(), 0U);
  EXPECT_EQ(warnings_about(with_rescues(3, 5)).size(), 1U);
  EXPECT_EQ(warnings_about(with_rescues(1, 1)).size(), 1U) << "all of a run";
  EXPECT_EQ(warnings_about(with_rescues(5, 1000)).size(), 0U);
  EXPECT_EQ(warnings_about(with_rescues(11, 1000)).size(), 1U);
  RunResult failed = with_rescues(1, 0);
  failed.report.status = SolveStatus::not_converged;
  EXPECT_EQ(warnings_about(failed).size(), 0U) << "there are no steps to speak of";
}

TEST(RunWarnings, TellOfContactThatWasNotSolvedOrNotLookedFor) {
  RunResult result = with_rescues(0, 10);
  EXPECT_TRUE(warnings_about(result).empty());
  result.contact = ContactSummary{.unsolved = 0, .untested = 0, .deepest = 0.1};
  EXPECT_TRUE(warnings_about(result).empty());
  result.contact = ContactSummary{.unsolved = 3, .untested = 1};
  const std::vector<std::string> warnings = warnings_about(result);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_TRUE(contains(warnings[0], "in 3 of 10 steps contact was not solved")) << warnings[0];
  EXPECT_TRUE(contains(warnings[1], "up to 1 pair of bodies")) << warnings[1];
}

TEST(RunWarnings, TellOfCollapseBeyondWhatDroopsOrTurns) {
  RunResult result = with_rescues(0, 10);
  result.bodies[0].held_size = 1.0;
  result.bodies[0].max_displacement = 1.99;  // it hangs from what held it up
  EXPECT_TRUE(warnings_about(result).empty());
  result.bodies[0].max_displacement = 2.1;
  ASSERT_EQ(warnings_about(result).size(), 1U);
  EXPECT_TRUE(contains(warnings_about(result)[0], "it has collapsed"));
}

TEST(RunNotes, TellOfMotionThatHardlyShows) {
  RunResult result = with_rescues(0, 10);
  result.bodies[0].held_size = 0.3;
  result.bodies[0].farthest = 5.5e-4;
  ASSERT_EQ(notes_about(result).size(), 1U);
  EXPECT_TRUE(contains(notes_about(result)[0], "it moves by at most 0.55 mm, 0.18 % of its size"))
      << notes_about(result)[0];
  result.bodies[0].farthest = 7e-4;
  EXPECT_TRUE(notes_about(result).empty());
  result.bodies[0].farthest = 0.0;  // not known
  EXPECT_TRUE(notes_about(result).empty());
}

/// A beam by linear modes, pulled at its end.
Scene pulled_beam(double force, bool tree) {
  SceneBody body;
  body.name = "beam";
  body.method = Method::linear;
  body.mesh = make_beam({.size = {1.0, 0.1, 0.1}, .cells = {6, 1, 1}});
  body.materials = {test::material("stvk", 1e6)};
  body.fixed.where = "x < 0.01";
  body.reduction.basis.modes = 4;
  body.loads = {{{.where = "x > 0.99"}, Vector3(0, 0, force)}};
  if (tree) {
    body.domains.emplace();
    body.domains->from = DomainSource::automatic;
    body.domains->count = 2;
    body.domains->rank = 6;
  }
  Scene scene;
  scene.bodies = {body};
  scene.solver.threads = 1;
  return scene;
}

TEST(RunWarnings, KnowHingesFromSupports) {
  Scene scene = pulled_beam(0.01, false);
  scene.bodies[0].method = Method::full;
  scene.solver.type = SimulationType::dynamics;
  scene.solver.timestep = 0.01;
  scene.solver.steps = 1;
  EXPECT_NEAR(run_scene(scene).bodies[0].held_size, std::sqrt(1.02), 1e-9);
  scene.bodies[0].fixed.where = "x < 0.01 and z < 0";  // it can turn about these by any angle
  EXPECT_EQ(run_scene(scene).bodies[0].held_size, 0.0);
}

std::vector<std::string> warnings_of(const Scene& scene) {
  std::vector<std::string> warnings;
  RunOptions options;
  options.on_warning = [&warnings](std::string_view line) { warnings.emplace_back(line); };
  (void)run_scene(scene, options);
  return warnings;
}

TEST(RunWarnings, TellWhereLinearModesAreTakenTooFar) {
  EXPECT_TRUE(warnings_of(pulled_beam(0.1, false)).empty());
  EXPECT_TRUE(warnings_of(pulled_beam(0.1, true)).empty());
  const std::vector<std::string> single = warnings_of(pulled_beam(20.0, false));
  ASSERT_EQ(single.size(), 1U);
  EXPECT_TRUE(contains(single[0], "beam: linear modes carry it by up to ")) << single[0];
  EXPECT_TRUE(contains(single[0], "choose the method 'warped' or 'reduced'")) << single[0];
}

TEST(RunWarnings, TellWhichDomainLinearModesTakeTooFar) {
  Scene scene = pulled_beam(200.0, true);
  scene.solver.type = SimulationType::dynamics;  // statics of so large a load is not found
  scene.solver.timestep = 0.01;
  scene.solver.steps = 10;
  const std::vector<std::string> warnings = warnings_of(scene);
  ASSERT_FALSE(warnings.empty());
  EXPECT_TRUE(contains(warnings[0], "beam, 'part ")) << warnings[0];
  EXPECT_TRUE(contains(warnings[0], "choose the method 'reduced'")) << warnings[0];
}

TEST(RunWarnings, TellOfTheFarthestShapeAlsoAfterAPause) {
  Scene scene = pulled_beam(20.0, false);
  scene.bodies[0].loads[0].to = 0.05;  // it is back at the end
  scene.bodies[0].damping = {20.0, 0.0};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.timestep = 0.01;
  scene.solver.steps = 200;
  SceneState whole = make_state(scene), resumed = make_state(scene);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(step(scene, whole).ok());
  StateWriter writer;
  save(whole, 0, writer);
  StateReader reader(writer.bytes(), "beam");
  restore(resumed, 0, reader);
  reader.finish();
  EXPECT_GT(largest_reach(resumed, 0).displacement, 0.0);
  EXPECT_EQ(largest_reach(resumed, 0).displacement, largest_reach(whole, 0).displacement);
  EXPECT_EQ(largest_displacement(resumed, 0), largest_displacement(whole, 0));
  EXPECT_NEAR(largest_displacement(whole, 0), largest_reach(whole, 0).displacement,
              0.2 * largest_reach(whole, 0).displacement)
      << "which may be of another shape";
  EXPECT_LT(resumed.body(0).surface_displacement().colwise().norm().maxCoeff(),
            0.1 * largest_reach(whole, 0).displacement);
}

TEST(RunWarnings, TellWhatHelpsWhereNumbersGrowBeyondAllBounds) {
  Scene scene = pulled_beam(1e200, false);
  scene.bodies[0].method = Method::full;
  const RunResult failed = run_scene(scene);
  EXPECT_EQ(failed.report.status, SolveStatus::not_finite);
  EXPECT_TRUE(contains(failed.remedy, "check the units of its loads, materials and mesh")) << failed.remedy;
}

/// A beam whose end is led by a handle from a place to another in a time, s.
Scene led_beam(const Vector3& from, const Vector3& to, double time) {
  Scene scene = pulled_beam(1.0, false);
  SceneBody& body = scene.bodies[0];
  body.method = Method::full;
  body.loads.clear();
  BodyConstraint tip;
  tip.name = "tip";
  tip.where.where = "x > 0.99";
  tip.motion = interpolate_poses({{0.1, {from}}, {0.1 + time, {to}}}, Interpolation::linear);
  body.constraints = {tip};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.timestep = 0.01;
  scene.solver.steps = 30;
  return scene;
}

TEST(RunWarnings, TellOfHandlesThatJump) {
  const Vector3 here = Vector3::Zero(), there(0.0, 0.0, 0.6);
  EXPECT_TRUE(warnings_of(led_beam(here, there, 0.1)).empty()) << "fast, but on its way";
  const auto jump_of = [](const Scene& scene) {
    for (const std::string& line : warnings_of(scene)) {
      if (contains(line, "jumps")) return line;
    }
    return std::string();
  };
  EXPECT_EQ(jump_of(led_beam(here, there, 0.001)),
            "'tip' of beam jumps by 0.6 m at 0.1 s, within a time step, by more than half the size of the "
            "body; let it move smoothly, or shorten solver.timestep");
  EXPECT_TRUE(contains(jump_of(led_beam(there, there, 0.1)), "jumps by 0.6 m at 0 s")) << "where it starts";
}

TEST(RunWarnings, TellOfBodiesThatConstraintsLock) {
  Scene scene = led_beam(Vector3::Zero(), Vector3(0.0, 0.0, 0.05), 0.1);
  SceneBody& body = scene.bodies[0];
  body.method = Method::reduced;
  body.reduction.basis.modes = 8;
  body.reduction.basis.rank = 30;
  body.constraints[0].where.where = "x > 0.99 and y > 0.04 and z > 0.04";
  EXPECT_TRUE(warnings_of(scene).empty());
  body.reduction.basis.modes = body.reduction.basis.rank = 3;
  const std::vector<std::string> warnings = warnings_of(scene);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(contains(warnings[0], "beam: constraints hold 3 numbers where 3 coordinates can meet them"))
      << warnings[0];
}

}  // namespace
}  // namespace limber::run_result_test
