// A simulation whose state is saved after some steps and taken back in a fresh one goes on with the same
// bits.
#include "limber/base/error.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace limber::checkpoint_test {
namespace {

Scene beam_scene(Method method) {
  SceneBody body;
  body.name = "beam";
  body.method = method;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(6, 1, 1)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  body.loads = {{{.where = "x > 0.99"}, Vector3(0, 0.02, -0.1), 0.013, 0.25}};
  body.damping = {0.1, 0.01};
  body.reduction.basis.modes = 5;
  body.reduction.basis.rank = 8;
  Scene scene;
  scene.bodies = {body};
  scene.gravity = {0, 0, -2.0};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = 12;
  scene.solver.timestep = 0.03;
  scene.solver.threads = 1;
  return scene;
}

std::string saved(const SceneState& state) {
  StateWriter out;
  save(state, 0, out);
  return out.bytes();
}

Matrix3X displacement(const Scene& scene, const SceneState& state) {
  return mesh_displacement(scene, state, 0);
}

/// Whether a run that is saved and taken back after each number of steps ends as one without that: the same
/// displacements, energies and iterations in each step, and the same state.
void expect_same_bits(const Scene& scene) {
  for (int stop = 0; stop < scene.solver.steps; stop += 3) {
    SceneState whole = make_state(scene), resumed = make_state(scene);
    for (int i = 0; i < stop; ++i) ASSERT_TRUE(step(scene, whole).ok()) << "step " << i;
    const std::string state = saved(whole);
    StateReader in(state, "state");
    restore(resumed, 0, in);
    in.finish();
    resumed.step = whole.step;
    resumed.time = whole.time;
    EXPECT_EQ(displacement(scene, resumed), displacement(scene, whole));
    for (int i = stop; i < scene.solver.steps; ++i) {
      const StepReport a = step(scene, whole), b = step(scene, resumed);
      ASSERT_TRUE(a.ok() && b.ok()) << "step " << i;
      EXPECT_EQ(a.iterations, b.iterations) << "stopped after " << stop << ", step " << i;
      EXPECT_EQ(whole.world.energy(), resumed.world.energy()) << "stopped after " << stop << ", step " << i;
      EXPECT_EQ(a.residual, b.residual) << "stopped after " << stop << ", step " << i;
      ASSERT_EQ(displacement(scene, whole), displacement(scene, resumed))
          << "stopped after " << stop << ", step " << i;
    }
    EXPECT_TRUE(saved(whole) == saved(resumed)) << "stopped after " << stop;
    EXPECT_GT(displacement(scene, whole).norm(), 0.01) << "hardly moves: nothing is tested";
  }
}

BodyConstraint at_tip(Hold hold, const Vector3& offset) {
  BodyConstraint constraint;
  constraint.name = "tip";
  constraint.where.nearest = {Vector3(1, 0.05, 0.05)};
  constraint.hold = hold;
  constraint.motion = interpolate_poses(
      {{0.0, {}}, {0.2, {offset, Eigen::Quaterniond(Eigen::AngleAxisd(0.5, Vector3::UnitX()))}}},
      Interpolation::smooth);
  return constraint;
}

TEST(SavedState, OfAFullBodyGoesOnWithTheSameBits) { expect_same_bits(beam_scene(Method::full)); }

TEST(SavedState, OfAFullBodyByConjugateGradientsGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::full);
  scene.solver.linear_solver = SparseSolverKind::conjugate_gradient;
  expect_same_bits(scene);
}

TEST(SavedState, OfAFullBodyByCentralDifferencesGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::full);
  scene.bodies[0].damping = {};
  scene.bodies[0].velocity = {0, 0, 5.0};
  scene.solver.integrator = Integrator::central_differences;
  scene.solver.timestep = 1e-3;
  expect_same_bits(scene);
}

TEST(SavedState, OfAFullBodyWhoseStepsAreHalvedGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::full);
  scene.solver.newmark.max_iterations = 3;
  scene.bodies[0].loads[0].force *= 20.0;
  expect_same_bits(scene);
}

TEST(SavedState, OfAReducedBodyGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::reduced);
  expect_same_bits(scene);
  scene.solver.newmark.max_iterations = 20;
  expect_same_bits(scene);
}

TEST(SavedState, OfAReducedBodyByConjugateGradientsGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::reduced);
  scene.solver.linear_solver = SparseSolverKind::conjugate_gradient;
  expect_same_bits(scene);
}

Scene quasistatic_scene(Method method) {
  Scene scene = beam_scene(method);
  scene.bodies[0].loads.clear();
  scene.bodies[0].damping = {};
  scene.gravity = {0, 0, -0.2};
  scene.solver.type = SimulationType::quasistatic;
  return scene;
}

/// The right end of the beam is turned, and what lies between follows.
void bend_by_bones(SceneBody& body) {
  const PoseFunction bend = [](double t) {
    return Pose{Vector3(0, 0.1 * t, 0), Eigen::Quaterniond(Eigen::AngleAxisd(t, Vector3::UnitX()))};
  };
  body.skin.bones = {{"left", {Vector3(0, 0, 0), Vector3(0.4, 0, 0)}, {}},
                     {"right", {Vector3(0.6, 0, 0), Vector3(1, 0, 0)}, bend}};
  body.skin.radius = 0.02;
  body.fixed.box = BoundingBox{Vector3(0.99, -1, -1), Vector3(1.01, 1, 1)};
}

TEST(SavedState, OfAFullQuasistaticBodyGoesOnWithTheSameBits) {
  Scene scene = quasistatic_scene(Method::full);
  scene.bodies[0].constraints = {at_tip(Hold::position, {-0.05, 0.1, 0.1})};
  expect_same_bits(scene);
  scene.bodies[0].constraints.clear();
  bend_by_bones(scene.bodies[0]);
  expect_same_bits(scene);
}

/// The same for a body that learns: saved after full steps and in the midst of reduced ones. What took how
/// long is not the same.
void expect_same_bits_online(const Scene& scene) {
  const auto report = [](const SceneState& state) -> const OnlineReport& {
    return *state.body(0).online_report();
  };
  SceneState whole = make_state(scene);
  int after_full = 0, after_reduced = 0;
  while (whole.step < scene.solver.steps) {
    const bool was_full = whole.step > 0 && report(whole).timeline.back().kind == StepKind::full;
    const int due = whole.step < 10 ? 1 : was_full ? 2 : 7;  // steps from one test to the next
    ++(was_full ? after_full : after_reduced);
    SceneState resumed = make_state(scene);
    const std::string state = saved(whole);
    StateReader in(state, "state");
    restore(resumed, 0, in);
    in.finish();
    EXPECT_TRUE(saved(resumed) == state) << "stopped after " << whole.step;
    resumed.step = whole.step;
    resumed.time = whole.time;
    for (int i = 0; i < due && whole.step < scene.solver.steps; ++i) {
      const StepReport a = step(scene, whole), b = step(scene, resumed);
      ASSERT_TRUE(a.ok() && b.ok()) << "step " << whole.step;
      EXPECT_EQ(a.iterations, b.iterations) << "step " << whole.step;
      EXPECT_EQ(whole.world.energy(), resumed.world.energy()) << "step " << whole.step;
      ASSERT_EQ(displacement(scene, whole), displacement(scene, resumed)) << "step " << whole.step;
      const TimelineStep &x = report(whole).timeline.back(), &y = report(resumed).timeline.back();
      EXPECT_TRUE(x.kind == y.kind && x.change == y.change && x.rank == y.rank && x.error == y.error)
          << "step " << whole.step;
    }
    EXPECT_EQ(report(whole).basis_grown, report(resumed).basis_grown);
    EXPECT_EQ(report(whole).key_elements, report(resumed).key_elements);
    EXPECT_EQ(report(whole).full_steps, report(resumed).full_steps);
    EXPECT_EQ(report(whole).error, report(resumed).error);
  }
  EXPECT_GT(after_full, 0);
  EXPECT_GT(after_reduced, 1);
  EXPECT_GT(displacement(scene, whole).norm(), 0.01) << "hardly moves: nothing is tested";
}

/// By the method online, with as many steps as show all that may happen.
Scene online_scene(std::string_view law) {
  Scene scene = beam_scene(Method::online);
  scene.bodies[0].materials = {test::material(law, 1e5)};
  scene.bodies[0].loads[0].to = 1.0;
  scene.solver.steps = 90;
  scene.solver.timestep = 0.02;
  return scene;
}

TEST(SavedState, OfAnOnlineBodyGoesOnWithTheSameBits) {
  Scene scene = online_scene("stvk");
  expect_same_bits_online(scene);
  scene.solver.online.max_rank = 8;  // is down-dated
  scene.bodies[0].damping.kind = RayleighDamping::Stiffness::linear;
  expect_same_bits_online(scene);
}

TEST(SavedState, OfAnOnlineBodyWithKeyElementsGoesOnWithTheSameBits) {
  Scene scene = online_scene("neo-hookean");
  expect_same_bits_online(scene);
  scene.solver.online.max_rank = 8;
  scene.bodies[0].damping.kind = RayleighDamping::Stiffness::linear;
  expect_same_bits_online(scene);
}

TEST(SavedState, OfAnOnlineQuasistaticBodyGoesOnWithTheSameBits) {
  Scene scene = quasistatic_scene(Method::online);
  scene.bodies[0].materials = {test::material("neo-hookean", 1e5)};
  scene.solver.steps = 40;
  bend_by_bones(scene.bodies[0]);
  expect_same_bits_online(scene);
  scene.bodies[0].skin = {};
  scene.bodies[0].fixed.box.reset();
  scene.bodies[0].constraints = {at_tip(Hold::position, {-0.05, 0.1, 0.1})};
  expect_same_bits_online(scene);
}

TEST(SavedState, OfModesGoesOnWithTheSameBits) {
  for (const Method method : {Method::warped, Method::linear}) expect_same_bits(beam_scene(method));
}

TEST(SavedState, OfModesUnderLoadsThatStandGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].damping = {};
  scene.bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 0.02, -0.1), 0.0, 1e3}};
  expect_same_bits(scene);
}

TEST(SavedState, OfConstraintsGoesOnWithTheSameBits) {
  for (const Hold hold : {Hold::position, Hold::orientation, Hold::both}) {
    Scene scene = beam_scene(Method::warped);
    scene.bodies[0].constraints = {at_tip(hold, {-0.05, 0.1, 0.1})};
    expect_same_bits(scene);
    scene.bodies[0].constraints[0].exercised.where = "x > 0.4";
    expect_same_bits(scene);
  }
}

TEST(SavedState, OfConstraintsByOtherMethodsGoesOnWithTheSameBits) {
  for (const Method method : {Method::full, Method::reduced, Method::linear}) {
    Scene scene = beam_scene(method);
    scene.bodies[0].constraints = {at_tip(Hold::position, {-0.05, 0.1, 0.1})};
    scene.bodies[0].constraints[0].to = 0.25;
    expect_same_bits(scene);
  }
}

TEST(SavedState, OfWhatWasHeldWhereItHappenedToBeGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::warped);
  BodyConstraint still = at_tip(Hold::both, Vector3::Zero());
  still.motion = {};
  still.from = 0.1;
  still.to = 0.25;
  scene.bodies[0].constraints = {still};
  expect_same_bits(scene);
}

TEST(SavedState, OfConstraintsOutOfReachGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].rank = 2;
  scene.bodies[0].constraints = {at_tip(Hold::position, {5.0, 0, 0})};
  expect_same_bits(scene);
}

TEST(SavedState, OfABodyOnAMovingSupportGoesOnWithTheSameBits) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].coriolis = true;
  scene.bodies[0].support = interpolate_poses(
      {{0.0, {}},
       {0.3, {Vector3(0, 0.1, 0.2), Eigen::Quaterniond(Eigen::AngleAxisd(1.0, Vector3::UnitZ()))}}},
      Interpolation::smooth);
  expect_same_bits(scene);
}

TEST(SavedState, KeepsHowWellConstraintsWereMet) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].rank = 2;
  scene.bodies[0].constraints = {at_tip(Hold::position, {5.0, 0, 0})};
  SceneState before = make_state(scene), after = make_state(scene);
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(step(scene, before).ok());
  const std::string state = saved(before);
  StateReader in(state, "state");
  restore(after, 0, in);
  const ConstraintOutcome& a = constraint_outcomes(before, 0)[0];
  const ConstraintOutcome& b = constraint_outcomes(after, 0)[0];
  EXPECT_FALSE(b.met);
  EXPECT_EQ(a.position_error, b.position_error);
  EXPECT_EQ(a.worst_time, b.worst_time);
}

TEST(SavedState, OfAnotherBodyIsRefused) {
  for (const Method method : all_methods) {
    Scene scene = beam_scene(method), other = scene;
    other.bodies[0].mesh =
        make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(5, 1, 1)});
    other.bodies[0].reduction.basis.modes = 4;
    other.bodies[0].reduction.basis.rank = 6;
    const std::string state = saved(make_state(scene));
    SceneState wrong = make_state(other);
    StateReader in(state, "state");
    EXPECT_THROW(restore(wrong, 0, in), Error) << name_of(method);
  }
}

}  // namespace
}  // namespace limber::checkpoint_test
