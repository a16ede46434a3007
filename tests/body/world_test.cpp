#include "limber/body/world.hpp"

#include "limber/base/error.hpp"
#include "tests/body/bar.hpp"

#include <gtest/gtest.h>

namespace limber::world_test {
namespace {

using test::bar_model;
using test::tip;

Body bar(Method method, double gravity) {
  Body body(make_model(bar_model(), false));
  body.set_method(method);
  body.set_gravity(Vector3(0.0, 0.0, gravity));
  return body;
}

TEST(World, MovesItsBodiesAsIfEachWereAlone) {
  World world;
  Body reduced = bar(Method::reduced, -1.0), warped = bar(Method::warped, -2.0);
  EXPECT_EQ(world.add(reduced), 0);
  EXPECT_EQ(world.add(warped), 1);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(world.step(0.01).ok());
    ASSERT_TRUE(reduced.step(0.01).ok());
    ASSERT_TRUE(warped.step(0.01).ok());
  }
  EXPECT_EQ(world.body(0).q(), reduced.q());
  EXPECT_EQ(world.body(1).q(), warped.q());
  EXPECT_NEAR(
      world.energy(),
      reduced.energy().elastic + reduced.energy().kinetic + warped.energy().elastic + warped.energy().kinetic,
      1e-12);
}

TEST(World, TakesAStepOfAllOrOfNone) {
  World world;
  world.add(bar(Method::reduced, -1.0));
  Body hopeless = bar(Method::reduced, 0.0);
  world.add(hopeless);
  ASSERT_TRUE(world.step(0.01).ok());
  const Vector before = world.body(0).q();
  // Forces that are not finite any more within the step.
  world.body(1).set_force(tip(), Vector3::Constant(1e308));
  const StepReport report = world.step(0.01);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(world.body(0).q(), before);
  EXPECT_EQ(world.body(0).time(), 0.01);
  world.body(1).set_force(tip(), Vector3::Zero());
  EXPECT_TRUE(world.step(0.01).ok());
}

TEST(World, LetsDriversChangeLoadsBeforeEachStep) {
  World world;
  int calls = 0;
  world.add(bar(Method::reduced, 0.0), {}, [&](Body& body, double h) {
    EXPECT_EQ(h, 0.01);
    body.set_force(tip(), Vector3(0.0, 0.0, ++calls));
  });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world.step(0.01).ok());
  EXPECT_EQ(calls, 3);
  EXPECT_GT(world.body(0).position(tip()).z(), bar_model().surface.mesh.vertices(2, tip()));
  EXPECT_THROW((void)world.body(1), Error);
}

TEST(World, GivesABodyBackAsItIs) {
  World world;
  world.add(bar(Method::reduced, -1.0));
  world.add(bar(Method::reduced, -2.0));
  world.set_contact(0, {});
  world.set_contact(1, {});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(world.step(0.01).ok());
  const Vector first = world.body(0).q(), second = world.body(1).q();
  Body removed = world.remove(0);
  EXPECT_EQ(removed.q(), first);
  EXPECT_FALSE(removed.coupled());
  ASSERT_EQ(world.body_count(), 1);
  EXPECT_EQ(world.body(0).q(), second);
  EXPECT_TRUE(world.touches(0));
  EXPECT_TRUE(removed.step(0.01).ok());
  EXPECT_TRUE(world.step(0.01).ok());
  EXPECT_THROW((void)world.remove(1), Error);
}

TEST(World, GoesOnWithoutARigidBodyOrObstacleThatWasTakenAway) {
  World world;
  const RigidBodySetup ball{.shape = Sphere{0.1}, .gravity = Vector3(0.0, 0.0, -10.0)};
  RigidBodySetup high = ball;
  high.pose.position = Vector3(0.0, 0.0, 0.1);
  RigidBodySetup low = ball;
  low.pose.position = Vector3(1.0, 0.0, 0.1);
  world.add_rigid(RigidBody(high));
  world.add_rigid(RigidBody(low));
  world.add_obstacle({.name = "wall", .shape = Box{}, .pose = {Vector3(0.0, 0.0, -10.0)}});
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
  ASSERT_TRUE(world.step(0.01).ok());
  EXPECT_FALSE(world.contacts().empty());
  EXPECT_EQ(world.remove_rigid(0).center().x(), 0.0);
  world.remove_obstacle(0);
  EXPECT_TRUE(world.contacts().empty());
  EXPECT_EQ(world.obstacle(0).name, "ground");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(world.step(0.01).ok());
  EXPECT_EQ(world.rigid(0).center().x(), 1.0);
  EXPECT_NEAR(world.rigid(0).center().z(), 0.1, 1e-3);
  world.remove_obstacle(0);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(world.step(0.01).ok());
  EXPECT_LT(world.rigid(0).center().z(), -1.0);
  EXPECT_THROW(world.remove_obstacle(0), Error);
  EXPECT_THROW((void)world.remove_rigid(1), Error);
}

}  // namespace
}  // namespace limber::world_test
