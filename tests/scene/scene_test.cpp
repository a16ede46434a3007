#include "limber/scene/scene.hpp"

#include "limber/base/error.hpp"
#include "limber/scene/full_body.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::scene_test {
namespace {

SceneBody held_beam() {
  SceneBody body;
  body.name = "beam";
  body.mesh = make_beam({ElementKind::brick, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  return body;
}

Scene dynamic_scene(int steps, double timestep) {
  Scene scene;
  scene.bodies = {held_beam()};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = steps;
  scene.solver.timestep = timestep;
  scene.solver.threads = 1;
  return scene;
}

const FullBody& full_body(const SceneState& state, std::size_t i = 0) {
  return dynamic_cast<const FullBody&>(*state.bodies[i]);
}

/// Total momentum that a load gave to a free body.
Vector3 momentum_after(const PointLoad& load, double timestep, int steps) {
  Scene scene = dynamic_scene(steps, timestep);
  scene.bodies[0].fixed = {};
  scene.bodies[0].loads = {load};
  SceneState state = make_state(scene);
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(step(scene, state).ok());
  const FullBody& body = full_body(state);
  return body.model().dofs().expand(body.state().v) * body.model().vertex_masses();
}

TEST(Scene, OfStaticsIsSolvedInOneStep) {
  Scene scene;
  scene.bodies = {held_beam()};
  scene.gravity = {0, 0, -1.0};
  SceneState state = make_state(scene);
  EXPECT_EQ(step_count(scene), 1);
  const StepReport report = step(scene, state);
  ASSERT_TRUE(report.ok());
  const FullBody& body = full_body(state);
  EXPECT_LT((body.model().internal_force(body.u()) - body.model().gravity_force(scene.gravity)).norm(), 1e-5);
  EXPECT_LT(body.displacement().row(2).minCoeff(), -1e-3);
}

TEST(Scene, GivesEveryListedVertexTheWholeForce) {
  Scene scene;
  scene.bodies = {held_beam()};
  scene.bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 0, -0.25)}};
  const SceneState state = make_state(scene);
  EXPECT_NEAR(full_body(state).static_load().sum(), -4 * 0.25, 1e-14);
}

TEST(Scene, AppliesALoadForItsTimeOnlyWhateverTheTimeStep) {
  for (const double from : {0.0, 0.013}) {
    const PointLoad load{{.nearest = {Vector3(1, 0, 0)}}, Vector3(0, 3.0, 0), from, 0.037};
    for (const double timestep : {0.001, 0.01, 0.05}) {
      const Vector3 momentum = momentum_after(load, timestep, static_cast<int>(std::lround(0.2 / timestep)));
      EXPECT_NEAR(momentum.y(), 3.0 * (0.037 - from), 1e-8)
          << "from " << from << " s, steps of " << timestep << " s";
    }
  }
}

TEST(Scene, StartsBodiesWithTheirVelocities) {
  Scene scene = dynamic_scene(1, 1e-3);
  scene.bodies[0].fixed = {};
  scene.bodies[0].velocity = {1, 2, 3};
  scene.bodies[0].angular_velocity = {0, 0, 2};
  const SceneState state = make_state(scene);
  const Matrix3X v = full_body(state).model().dofs().expand(full_body(state).state().v);
  EXPECT_LT((v.col(0) - Vector3(1 + 2 * 0.1, 2 - 2 * 0.5, 3)).norm(), 1e-12);
}

TEST(Scene, RunsSeveralBodiesApart) {
  Scene scene = dynamic_scene(3, 0.01);
  scene.gravity = {0, 0, -1.0};
  scene.bodies.push_back(held_beam());
  scene.bodies[1].materials = {test::material("neo-hookean", 1e6)};
  SceneState both = make_state(scene);
  Scene alone = scene;
  alone.bodies.pop_back();
  SceneState one = make_state(alone);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(step(scene, both).ok());
    ASSERT_TRUE(step(alone, one).ok());
  }
  EXPECT_EQ(full_body(both, 0).u(), full_body(one, 0).u());
  EXPECT_NE(full_body(both, 0).u(), full_body(both, 1).u());
}

TEST(Scene, GivesTheSameBitsAgain) {
  Scene scene = dynamic_scene(5, 0.01);
  scene.gravity = {0, 0, -1.0};
  Vector u[2];
  for (Vector& result : u) {
    SceneState state = make_state(scene);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(step(scene, state).ok());
    result = full_body(state).u();
  }
  EXPECT_EQ(u[0], u[1]);
}

TEST(Scene, RefusesAStaticBodyThatNothingHolds) {
  Scene scene;
  scene.bodies = {held_beam()};
  scene.bodies[0].fixed = {};
  EXPECT_THROW(make_state(scene), Error);
}

TEST(Scene, RefusesATimeStepTooLongForCentralDifferences) {
  Scene scene = dynamic_scene(1, 0.5);
  scene.solver.integrator = Integrator::central_differences;
  EXPECT_THROW(make_state(scene), Error);
}

TEST(Scene, RefusesLoadsOnNothing) {
  Scene scene = dynamic_scene(1, 0.01);
  scene.bodies[0].loads = {{{}, Vector3(0, 0, 1)}};
  EXPECT_THROW(make_state(scene), Error);
}

}  // namespace
}  // namespace limber::scene_test
