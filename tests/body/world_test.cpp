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

}  // namespace
}  // namespace limber::world_test
