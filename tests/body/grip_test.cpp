// Rigid bodies in a hand, and what it feels, also where a loop that keeps time takes detail away.

#include "limber/base/detail_pace.hpp"
#include "limber/base/error.hpp"
#include "limber/body/world.hpp"
#include "tests/body/bar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace limber::grip_test {
namespace {

constexpr double h = 1e-3, radius = 0.05;
const Vector3 gravity(0.0, 0.0, -9.81);

RigidBody ball(const Vector3& center, const Vector3& weight = gravity) {
  return RigidBody({.name = "ball", .shape = Sphere{radius}, .pose = {center}, .gravity = weight});
}

RigidGrip grip_at(const Vector3& place, double stiffness, double damping) {
  RigidGrip grip;
  grip.pose.position = place;
  grip.stiffness = stiffness;
  grip.damping = damping;
  return grip;
}

TEST(Grip, HangsBelowTheHandByItsWeight) {
  World world;
  world.add_rigid(ball({0.0, 0.0, 1.0}));
  RigidBody& held = world.rigid(0);
  const double weight = held.mass_properties().mass * 9.81, stiffness = 200.0;
  held.set_grip(grip_at({0.0, 0.0, 1.0}, stiffness, 10.0));
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(world.step(h).ok());
  EXPECT_NEAR(held.center().z(), 1.0 - weight / stiffness, 1e-9);
  EXPECT_NEAR((held.grip_load().force - Vector3(0.0, 0.0, weight)).norm(), 0.0, 1e-6);
  held.set_grip({});
  ASSERT_TRUE(world.step(h).ok());
  EXPECT_EQ(held.grip_load().force.norm(), 0.0);
  EXPECT_NEAR(held.velocity().z(), -9.81 * h, 1e-9);
}

TEST(Grip, IsStableAtAnyStiffness) {
  for (const double stiffness : {1e2, 1e6, 1e12}) {
    World world;
    world.add_rigid(RigidBody({.name = "box", .shape = Box{Vector3(0.05, 0.1, 0.2)}}));
    RigidBody& held = world.rigid(0);
    RigidGrip grip = grip_at(Vector3::Zero(), stiffness, 1e-4 * stiffness);
    grip.turning_stiffness = 1e-2 * stiffness;
    grip.turning_damping = 1e-6 * stiffness;
    Vector3 way = Vector3::Zero();
    for (int i = 0; i < 2000; ++i) {
      const double t = std::min(1.0, i / 1000.0);
      grip.pose = {way = Vector3(0.2 * t, 0.0, 0.1 * t), test::turn(0.8 * t, Vector3(1.0, 2.0, 3.0))};
      held.set_grip(grip);
      ASSERT_TRUE(world.step(h).ok());
      ASSERT_LT((held.center() - way).norm(), 0.2) << stiffness << " N/m, step " << i;
    }
    if (stiffness > 1e5) {
      EXPECT_LT((held.center() - way).norm(), 1e-6) << stiffness;
      EXPECT_LT(test::angle_between(held.pose().rotation, grip.pose.rotation), 1e-6) << stiffness;
    }
  }
}

TEST(Grip, ChangesMomentumByWhatTheHandFeels) {
  World world;
  world.add_rigid(ball({0.0, 0.0, 1.0}, Vector3::Zero()));
  RigidBody& held = world.rigid(0);
  held.set_velocity({1.0, 0.0, 0.0}, {0.0, 3.0, 1.0});
  RigidGrip grip = grip_at({0.1, 0.2, 1.3}, 300.0, 2.0);
  grip.pose.rotation = test::turn(1.0, {1.0, 1.0, 0.0});
  grip.turning_stiffness = 0.5;
  held.set_grip(grip);
  Vector3 linear = held.momentum(), angular = held.angular_momentum();
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(world.step(h).ok());
    const double kick =
        i == 0 ? 0.5 * h : h;  // up to the middle of the first step, then from middle to middle
    linear += kick * held.grip_load().force;
    angular += kick * held.grip_load().torque;
  }
  EXPECT_LT((held.momentum() - linear).norm(), 1e-13);
  EXPECT_LT((held.angular_momentum() - angular).norm(), 1e-13);
}

TEST(Grip, FeelsWhatTheBallIsPressedOn) {
  World world;
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
  world.add_rigid(ball({0.0, 0.0, radius}));
  const double weight = world.rigid(0).mass_properties().mass * 9.81;
  world.rigid(0).set_grip(grip_at({0.0, 0.0, radius - 0.01}, 1000.0, 5.0));
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(world.step(h).ok());
  EXPECT_NEAR(world.rigid(0).grip_load().force.z(), -10.0, 1e-3);
  EXPECT_NEAR(world.contact_impulse({Touching::Of::rigid, 0}).z() / h, 10.0 + weight, 1e-3);
}

TEST(Grip, IsFeltAfterAStateIsTakenBack) {
  World world;
  world.add_rigid(ball(Vector3::Zero()));
  world.rigid(0).set_grip(grip_at(Vector3(0.1, 0.0, 0.0), 500.0, 2.0));
  ASSERT_TRUE(world.step(1e-3).ok());
  const Vector3 felt = world.rigid(0).grip_load().force;
  StateWriter out;
  world.save(out);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(world.step(1e-3).ok());
  EXPECT_NE(world.rigid(0).grip_load().force, felt);
  StateReader in(out.bytes(), "state");
  world.restore(in);
  EXPECT_EQ(world.rigid(0).grip_load().force, felt);
}

TEST(Grip, RefusesWhatIsNoHand) {
  RigidBody held = ball(Vector3::Zero());
  RigidGrip grip = grip_at(Vector3::Zero(), -1.0, 0.0);
  EXPECT_THROW(held.set_grip(grip), Error);
  grip.stiffness = 1.0;
  grip.pose.position.x() = std::nan("");
  EXPECT_THROW(held.set_grip(grip), Error);
  EXPECT_FALSE(held.grip().has_value());
}

TEST(ContactPoints, AreAsManyAsAskedForAndComeBack) {
  World world;
  Body bar(make_model(test::bar_model(), false));
  bar.set_gravity(gravity);
  bar.set_damping({2.0, 1e-2});
  world.set_contact(world.add(std::move(bar)), {});
  world.add_obstacle({.name = "floor", .shape = HalfSpace{}, .pose = {Vector3(0.0, 0.0, -0.02)}});
  const auto contacts = [&](int steps) {
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(world.step(h).ok());
    return world.contact_report().contacts;
  };
  const int all = contacts(1000);
  const double tip = world.body(0).position(test::tip()).z();
  EXPECT_GT(all, 3);
  world.set_contact_points(0, 1);
  EXPECT_LE(contacts(1), 1);
  world.set_contact_points(0, 100000);
  EXPECT_GE(contacts(1), all);
  world.set_contact_points(0, 24);
  EXPECT_GT(contacts(500), 0);
  EXPECT_NEAR(world.body(0).position(test::tip()).z(), tip, 0.02);  // they stand for the whole
  EXPECT_THROW(world.set_contact_points(0, 0), Error);
  world.leave_contact(0);
  EXPECT_THROW(world.set_contact_points(0, 8), Error);
}

/// A ball in a hand that strokes a bar, with less detail at higher levels.
struct Stroke {
  World world;
  double most = 0.0, roughest = 0.0;  ///< N: the largest force, and its largest change in a step
  Vector3 felt = Vector3::Zero();

  Stroke() {
    Body bar(make_model(test::bar_model(), false));
    bar.set_damping({0.5, 1e-3});
    world.set_contact(world.add(std::move(bar)), {.friction = 0.3});
    world.add_rigid(ball({0.7, 0.1, 0.15 + 1.1 * radius}, Vector3::Zero()));
  }
  void take(int level) {
    world.set_contact_points(0, level == 0 ? 100000 : 64 >> level);
    world.body(0).set_rank(level < 2 ? test::bar_rank : test::bar_rank / 2);
  }
  void step(int i) {
    const double t = 1e-3 * i, press = 0.02 * (1.0 - std::cos(6.0 * t));
    world.rigid(0).set_grip(
        grip_at({0.7 + 0.1 * std::sin(3.0 * t), 0.1, 0.15 + 1.1 * radius - press}, 500.0, 2.0));
    ASSERT_TRUE(world.step(h).ok()) << "step " << i;
    const Vector3 now = -world.rigid(0).grip_load().force;
    ASSERT_TRUE(now.allFinite()) << "step " << i;
    most = std::max(most, now.norm());
    roughest = std::max(roughest, (now - felt).norm());
    felt = now;
  }
};

TEST(Grip, IsPushedSmoothlyWhereDetailIsTakenAwayAndComesBack) {
  Stroke even, uneven;
  DetailPace pace({.budget = 1e-3, .levels = 4, .patience = 100});
  int lowest = 0;
  for (int i = 0; i < 3000; ++i) {
    even.step(i);
    uneven.step(i);
    const double seconds = i % 700 < 10 ? 2e-3 : 1e-4;  // as if something else took the processor
    if (pace.add_step(seconds)) uneven.take(pace.level());
    lowest = std::max(lowest, pace.level());
  }
  EXPECT_EQ(lowest, 3);
  EXPECT_GT(pace.raised(), 3);
  EXPECT_GT(even.most, 1.0);
  EXPECT_NEAR(uneven.most, even.most, 0.3 * even.most);
  EXPECT_LT(even.roughest, 0.05 * even.most);
  EXPECT_LT(uneven.roughest, 0.1 * even.most);
}

}  // namespace
}  // namespace limber::grip_test
