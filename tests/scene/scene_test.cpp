#include "limber/scene/scene.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/full_model.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

FullModel model_of(const SceneBody& body) {
  const std::vector<int> fixed = select_vertices(body.mesh, body.fixed, body.name);
  return {body.mesh, body.materials, fixed, {body.mass, Executor(1)}};
}

/// Total momentum that a load gave to a free body.
Vector3 momentum_after(const SceneLoad& load, double timestep, int steps) {
  Scene scene = dynamic_scene(steps, timestep);
  scene.bodies[0].fixed = {};
  scene.bodies[0].loads = {load};
  SceneState state = make_state(scene);
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(step(scene, state).ok());
  return state.body(0).momentum().linear;
}

TEST(Scene, OfStaticsIsSolvedInOneStep) {
  Scene scene;
  scene.bodies = {held_beam()};
  scene.gravity = {0, 0, -1.0};
  SceneState state = make_state(scene);
  EXPECT_EQ(step_count(scene), 1);
  const StepReport report = step(scene, state);
  ASSERT_TRUE(report.ok());
  const FullModel model = model_of(scene.bodies[0]);
  const Matrix3X field = mesh_displacement(scene, state, 0);
  const Vector u = model.dofs().restrict(field);
  EXPECT_LT((model.internal_force(u) - model.gravity_force(scene.gravity)).norm(), 1e-5);
  EXPECT_LT(field.row(2).minCoeff(), -1e-3);
  EXPECT_EQ(state.step, 1);
  EXPECT_EQ(state.time, 0.0);
}

TEST(Scene, GivesEveryListedVertexTheWholeForce) {
  Scene scene;
  scene.bodies = {held_beam()};
  scene.bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 0, -0.25)}};
  SceneState state = make_state(scene);
  ASSERT_EQ(state.body(0).loads().timed.forces.size(), 1u);
  const TimedForce& load = state.body(0).loads().timed.forces[0];
  EXPECT_EQ(load.points.size(), 4u);
  EXPECT_EQ(load.force, Vector3(0, 0, -0.25));
  // All that the body balances in equilibrium.
  ASSERT_TRUE(step(scene, state).ok());
  const FullModel model = model_of(scene.bodies[0]);
  const Vector u = model.dofs().restrict(mesh_displacement(scene, state, 0));
  EXPECT_NEAR(model.internal_force(u).sum(), -4 * 0.25, 1e-7);
}

TEST(Scene, AppliesALoadForItsTimeOnlyWhateverTheTimeStep) {
  for (const double from : {0.0, 0.013}) {
    const SceneLoad load{{.nearest = {Vector3(1, 0, 0)}}, Vector3(0, 3.0, 0), from, 0.037};
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
  EXPECT_LT((state.body(0).velocity(mesh_point(0)) - Vector3(1 + 2 * 0.1, 2 - 2 * 0.5, 3)).norm(), 1e-12);
}

TEST(Scene, StartsTheVerticesOfAHeldBodyThatMayMove) {
  Scene scene = dynamic_scene(1, 1e-3);
  scene.bodies[0].velocity = {1, 2, 3};
  const SceneState state = make_state(scene);
  EXPECT_EQ(state.body(0).velocity(mesh_point(0)), Vector3::Zero()) << "fixed";
  const int last = static_cast<int>(scene.bodies[0].mesh.vertex_count()) - 1;
  EXPECT_LT((state.body(0).velocity(mesh_point(last)) - Vector3(1, 2, 3)).norm(), 1e-12);
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
  EXPECT_EQ(mesh_displacement(scene, both, 0), mesh_displacement(alone, one, 0));
  EXPECT_NE(mesh_displacement(scene, both, 0), mesh_displacement(scene, both, 1));
}

TEST(Scene, GivesTheSameBitsAgain) {
  Scene scene = dynamic_scene(5, 0.01);
  scene.gravity = {0, 0, -1.0};
  Matrix3X u[2];
  for (Matrix3X& result : u) {
    SceneState state = make_state(scene);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(step(scene, state).ok());
    result = mesh_displacement(scene, state, 0);
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
