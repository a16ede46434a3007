// Bodies in the world of another engine, which here is symplectic Euler in a few lines.

#include "limber/body/host_body.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/body/world.hpp"
#include "limber/precompute/build_model.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/body/bar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <gmock/gmock.h>

namespace limber::host_body_test {
namespace {

using test::error_text;
using testing::HasSubstr;

const Vector3 gravity(0.0, 0.0, -9.81);

/// A free cube of 0.2 m, 8 kg, with its centre at that height above the origin.
Body soft_cube(double height, const Vector3& weight = gravity) {
  static const std::shared_ptr<const Model> model = [] {
    VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3::Constant(0.2), {4, 4, 4}});
    const FullModel full(mesh, {test::material("stvk", 1e6, 0.3, 1000.0)}, {});
    ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, 18).elastic_shapes());
    reduced.name = "cube";
    return std::make_shared<const Model>(make_model(std::move(reduced), true));
  }();
  Body body(model);
  body.set_gravity(weight);
  body.set_damping({0.0, 1e-3});
  TreeState state = body.state();
  state.root.position += Vector3(-0.1, 0.0, height);
  body.set_state(state);
  return body;
}

/// A box of the other engine.
struct EngineBox {
  Vector3 half = Vector3::Constant(0.05);
  double mass = 2.0;
  Pose pose;
  Vector3 velocity = Vector3::Zero(), spin = Vector3::Zero(), weight = Vector3::Zero();

  [[nodiscard]] Matrix3 inertia() const {
    const Vector3 squares = half.cwiseAbs2();
    const Matrix3 R = pose.rotation.toRotationMatrix();
    return R * (mass / 3.0 * (Vector3::Constant(squares.sum()) - squares)).asDiagonal() * R.transpose();
  }
  [[nodiscard]] HostState state() const {
    return {.pose = pose,
            .center = pose.position,
            .velocity = velocity,
            .angular_velocity = spin,
            .acceleration = weight,
            .inverse_mass = 1.0 / mass,
            .inverse_inertia = inertia().inverse()};
  }
  [[nodiscard]] Vector3 angular_momentum() const {
    return inertia() * spin + mass * pose.position.cross(velocity);
  }
  void step(double h, const HostPush& push) {
    velocity += push.impulse / mass + h * weight;
    spin += inertia().inverse() * push.angular_impulse;
    pose.position += h * velocity;
    pose.rotation =
        Eigen::Quaterniond(rotation_matrix(h * spin) * pose.rotation.toRotationMatrix()).normalized();
  }
};

Index add(World& world, Body body) {
  const Index number = world.add(std::move(body));
  world.set_contact(number, {});
  return number;
}

/// One step of both.
void step(World& world, std::vector<EngineBox>& boxes, double h) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    world.host(static_cast<Index>(i)).set_state(boxes[i].state());
  ASSERT_TRUE(world.step(h).ok());
  for (std::size_t i = 0; i < boxes.size(); ++i) boxes[i].step(h, world.host(static_cast<Index>(i)).push());
}

class HostStep : public testing::TestWithParam<double> {};

TEST_P(HostStep, ABoxOfTheEngineComesToRestOnASoftBlock) {
  const double h = GetParam();
  World world;
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
  add(world, soft_cube(0.1));
  std::vector<EngineBox> boxes(1);
  boxes[0].pose.position = Vector3(0.01, 0.02, 0.3);
  boxes[0].weight = gravity;
  world.add_host({"box", Box{boxes[0].half}});
  for (int i = 0; i < static_cast<int>(2.0 / h); ++i) step(world, boxes, h);
  EXPECT_LE(boxes[0].velocity.norm(), 1e-4);
  EXPECT_LE(boxes[0].spin.norm(), 1e-3);
  EXPECT_NEAR(boxes[0].pose.position.z(), 0.25, 2e-3);
  const double weight = boxes[0].mass * 9.81;
  EXPECT_NEAR(world.host(0).push().impulse.z() / h, weight, 0.005 * weight);
  EXPECT_NEAR(world.contact_impulse({Touching::Of::obstacle, 0}).z() / h, -weight - 8.0 * 9.81, 0.5);
}

INSTANTIATE_TEST_SUITE_P(Steps, HostStep, testing::Values(1e-3, 5e-3, 1.0 / 60.0));

TEST(HostBody, WhatRestsDoesNotHopHoweverMuchItWouldBounce) {
  for (const double h : {1e-3, 1.0 / 60.0}) {
    World world;
    world.add_rigid(RigidBody({.name = "table", .shape = Box{Vector3(0.5, 0.5, 0.1)}, .density = 1e6}));
    std::vector<EngineBox> boxes(1);
    boxes[0].pose.position = Vector3(0.0, 0.0, 0.15);
    boxes[0].weight = gravity;
    world.add_host({"box", Box{boxes[0].half}, {.restitution = 0.9}});
    double highest = 0.0;
    for (int i = 0; i < static_cast<int>(0.5 / h); ++i) {
      step(world, boxes, h);
      highest = std::max(highest, boxes[0].pose.position.z() - 0.15);
    }
    EXPECT_LE(highest, 1e-5) << h;
  }
}

TEST(HostBody, MomentumOfBothSidesIsKept) {
  const double h = 1e-3;
  World world;
  add(world, soft_cube(0.0, Vector3::Zero()));
  std::vector<EngineBox> boxes(2);
  boxes[0].pose.position = Vector3(0.06, 0.03, 0.3);
  boxes[0].velocity = Vector3(0.2, -0.1, -3.0);
  boxes[0].spin = Vector3(1.0, 2.0, -4.0);
  boxes[1].mass = 100.0;
  boxes[1].half = Vector3(0.1, 0.05, 0.05);
  boxes[1].pose.position = Vector3(-0.4, 0.05, 0.05);
  boxes[1].velocity = Vector3(2.0, 0.0, 0.0);
  for (const EngineBox& box : boxes) world.add_host({"box", Box{box.half}});
  const auto linear = [&] {
    Vector3 sum = world.body(0).momentum().linear;
    for (const EngineBox& box : boxes) sum += box.mass * box.velocity;
    return sum;
  };
  const Vector3 before = linear();
  double most = 0.0, opposite = 0.0, turned = 0.0;
  int touching = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<Vector3> spins;
    for (const EngineBox& box : boxes) spins.push_back(box.inertia() * box.spin);
    const Vector3 own = world.body(0).momentum().linear;
    for (std::size_t b = 0; b < boxes.size(); ++b)
      world.host(static_cast<Index>(b)).set_state(boxes[b].state());
    ASSERT_TRUE(world.step(h).ok());
    const Vector3 pushes = world.host(0).push().impulse + world.host(1).push().impulse;
    opposite = std::max(opposite, (world.body(0).momentum().linear - own + pushes).norm());
    touching += world.contact_report().active > 0 ? 1 : 0;
    // The sum of moments of all impulses about the origin is that of the pushes.
    Vector3 moments = Vector3::Zero();
    for (const ContactPoint& contact : world.contacts())
      moments +=
          (contact.first.of == Touching::Of::host ? 1.0 : -1.0) * contact.position.cross(contact.impulse);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const HostPush& push = world.host(static_cast<Index>(b)).push();
      moments -= boxes[b].pose.position.cross(push.impulse) + push.angular_impulse;
      boxes[b].step(h, push);
    }
    turned = std::max(turned, moments.norm());
    most = std::max(most, (linear() - before).norm());
  }
  EXPECT_GT(touching, 10);
  EXPECT_GT((boxes[0].velocity - Vector3(0.2, -0.1, -3.0)).norm(), 0.5) << "never met";
  EXPECT_LE(most, 1e-10 * before.norm());
  EXPECT_LE(opposite, 1e-12 * before.norm());
  EXPECT_LE(turned, 1e-12 * before.norm());
}

/// A host is what a rigid body of limber is, but for who moves it.
TEST(HostBody, MovesTheBodyAsARigidBodyOfItsOwnDoes) {
  const double h = 1e-3;
  World guest, own;
  add(guest, soft_cube(0.0, Vector3::Zero()));
  add(own, soft_cube(0.0, Vector3::Zero()));
  std::vector<EngineBox> boxes(1);
  boxes[0].half = Vector3::Constant(0.05);  // whose inertia does not depend on how it is turned
  boxes[0].mass = 1.0;
  boxes[0].pose.position = Vector3(0.01, 0.02, 0.2);
  boxes[0].velocity = Vector3(0.0, 0.0, -1.0);
  guest.add_host({"box", Box{boxes[0].half}});
  own.add_rigid(RigidBody({.name = "box",
                           .shape = Box{boxes[0].half},
                           .density = 1000.0,
                           .pose = boxes[0].pose,
                           .velocity = boxes[0].velocity}));
  for (int i = 0; i < 150; ++i) {
    step(guest, boxes, h);
    ASSERT_TRUE(own.step(h).ok());
  }
  EXPECT_GT(boxes[0].velocity.z(), -0.9) << "never met";
  EXPECT_LE((boxes[0].pose.position - own.rigid(0).center()).norm(), 1e-8);
  EXPECT_LE((boxes[0].velocity - own.rigid(0).velocity()).norm(), 1e-6);
  EXPECT_LE((guest.body(0).momentum().linear - own.body(0).momentum().linear).norm(), 1e-6);
}

TEST(HostBody, FrictionHoldsABoxOnATiltedWorld) {
  // Gravity is tilted by less than the angle of friction, for both sides.
  const double h = 1e-3, angle = 0.3;
  const Vector3 tilted = 9.81 * Vector3(std::sin(angle), 0.0, -std::cos(angle));
  World world;
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
  add(world, soft_cube(0.1, tilted));
  std::vector<EngineBox> boxes(1);
  boxes[0].half = Vector3(0.05, 0.05, 0.02);
  boxes[0].pose.position = Vector3(0.0, 0.0, 0.2201);
  boxes[0].weight = tilted;
  world.add_host({"box", Box{boxes[0].half}});
  for (int i = 0; i < 1000; ++i) step(world, boxes, h);
  EXPECT_LE(boxes[0].velocity.norm(), 5e-4);
  EXPECT_NEAR(world.host(0).push().impulse.x() / h, -boxes[0].mass * tilted.x(), 0.1);
}

TEST(HostBody, MassRatioOfAThousandEitherWay) {
  for (const double mass : {0.008, 8000.0}) {
    World world;
    add(world, soft_cube(0.0, Vector3::Zero()));
    std::vector<EngineBox> boxes(1);
    boxes[0].mass = mass;
    boxes[0].half = Vector3::Constant(0.1);
    boxes[0].pose.position = Vector3(0.0, 0.0, 0.25);
    boxes[0].velocity = Vector3(0.0, 0.0, -1.0);
    world.add_host({"box", Box{boxes[0].half}});
    for (int i = 0; i < 300; ++i) step(world, boxes, 1e-3);
    const Vector3 momentum = world.body(0).momentum().linear + mass * boxes[0].velocity;
    EXPECT_NEAR(momentum.z(), -mass, 1e-10 * mass);
    const double speed = world.body(0).momentum().linear.z() / 8.0;
    if (mass > 8.0) {
      EXPECT_LE(speed, boxes[0].velocity.z() + 1e-6) << "the light one is not inside";
    }
  }
}

TEST(HostBody, OneThatNothingMovesStopsAndCarriesBodies) {
  const double h = 1e-3;
  World world;
  add(world, soft_cube(0.1));
  const Index belt = world.add_host({"belt", Box{Vector3(2.0, 1.0, 0.1)}});
  double place = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const Vector3 center(place, 0.0, -0.1);
    world.host(belt).set_state({.pose = {center}, .center = center, .velocity = Vector3(0.3, 0.0, 0.0)});
    ASSERT_TRUE(world.step(h).ok());
    place += 0.3 * h;
  }
  const TreeMomentum momentum = world.body(0).momentum();
  EXPECT_NEAR(momentum.linear.x() / momentum.mass, 0.3, 3e-3);
  EXPECT_NEAR(world.host(belt).push().impulse.z() / h, -8.0 * 9.81, 0.5);
}

/// A turnstile: it cannot be moved, and turns about the vertical alone.
TEST(HostBody, AxesThatAreLockedDoNotYield) {
  const double h = 1e-3;
  World world;
  Body body = soft_cube(0.0, Vector3::Zero());
  body.set_velocity(Vector3(1.0, 0.0, 0.0));
  add(world, std::move(body));
  const Vector3 center(0.2, 0.35, 0.0);
  const Vector3 axis = Vector3(1.0, 2.0, 4.0).normalized();
  const Matrix3 inverse_inertia = 5.0 * axis * axis.transpose();
  const Index gate = world.add_host({"gate", Box{Vector3(0.05, 0.4, 0.2)}});
  Vector3 spin = Vector3::Zero();
  Pose pose{center};
  double across = 0.0, turned = 0.0;
  for (int i = 0; i < 300; ++i) {
    world.host(gate).set_state(
        {.pose = pose, .center = center, .angular_velocity = spin, .inverse_inertia = inverse_inertia});
    ASSERT_TRUE(world.step(h).ok());
    spin += inverse_inertia * world.host(gate).push().angular_impulse;
    pose.rotation =
        Eigen::Quaterniond(rotation_matrix(h * spin) * pose.rotation.toRotationMatrix()).normalized();
    across = std::max(across, spin.cross(axis).norm());
    turned = std::max(turned, std::abs(spin.dot(axis)));
  }
  EXPECT_GT(turned, 0.1);
  EXPECT_LE(across, 1e-12);
  EXPECT_LE(world.body(0).momentum().linear.x(), 7.9);
}

/// Two boxes of the engine on a soft block: what the upper one does to the lower one is the engine's, found
/// after limber's step.
TEST(HostBody, CarriesATowerThatTheEngineHoldsTogether) {
  for (const double h : {1e-3, 1.0 / 60.0}) {
    World world;
    world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
    add(world, soft_cube(0.1));
    EngineBox lower;
    lower.pose.position = Vector3(0.0, 0.0, 0.2501);
    lower.weight = gravity;
    const double upper_mass = 2.0 * lower.mass;
    Vector3 upper_velocity = Vector3::Zero();
    world.add_host({"box", Box{lower.half}});
    double deepest = 0.0;
    for (int i = 0; i < static_cast<int>(4.0 / h); ++i) {
      world.host(0).set_state(lower.state());
      ASSERT_TRUE(world.step(h).ok());
      // The upper box is stuck to the lower one, by an impulse that makes their velocities one.
      const HostPush push = world.host(0).push();
      upper_velocity += h * gravity;
      const Vector3 alone = lower.velocity + push.impulse / lower.mass + h * gravity;
      const Vector3 both = (lower.mass * alone + upper_mass * upper_velocity) / (lower.mass + upper_mass);
      lower.step(h, push);
      lower.pose.position += h * (both - lower.velocity);
      lower.velocity = upper_velocity = both;
      if (i > static_cast<int>(3.0 / h)) deepest = std::max(deepest, world.contact_report().deepest);
    }
    EXPECT_LE(deepest, 5e-4) << h;
    EXPECT_LE(lower.velocity.norm(), 2e-3) << h;
    const double weight = (lower.mass + upper_mass) * 9.81;
    EXPECT_NEAR(world.host(0).push().impulse.z() / h, weight, 0.02 * weight) << h;
  }
}

TEST(HostBody, DoNotTouchEachOtherNorObstacles) {
  World world;
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
  add(world, soft_cube(5.0));
  for (int i = 0; i < 2; ++i) {
    world.add_host({"box", Box{Vector3::Ones()}});
    world.host(i).set_state({.inverse_mass = 1.0, .inverse_inertia = Matrix3::Identity()});
  }
  ASSERT_TRUE(world.step(1e-3).ok());
  EXPECT_EQ(world.contact_report().contacts, 0);
}

TEST(HostBody, BadStatesAreRefused) {
  World world;
  add(world, soft_cube(0.0));
  world.add_host({"crate", Box{Vector3::Ones()}});
  EXPECT_THAT(error_text([&] { (void)world.step(1e-3); }), HasSubstr("crate: it moves, and was not told"));
  const auto refused = [&](const HostState& state) {
    return error_text([&] { world.host(0).set_state(state); });
  };
  EXPECT_THAT(refused({.inverse_mass = -1.0}), HasSubstr("inverse mass is -1"));
  EXPECT_THAT(refused({.inverse_mass = 1.0, .inverse_inertia = -Matrix3::Identity()}),
              HasSubstr("negative eigenvalue"));
  Matrix3 skew = Matrix3::Identity();
  skew(0, 1) = 0.5;
  EXPECT_THAT(refused({.inverse_mass = 1.0, .inverse_inertia = skew}), HasSubstr("not symmetric"));
  EXPECT_THAT(refused({.velocity = Vector3::Constant(std::nan(""))}), HasSubstr("not finite"));
  EXPECT_THAT(error_text([&] {
                HostBody ground("floor", HalfSpace{});
                ground.set_state({.inverse_mass = 1.0});
              }),
              HasSubstr("floor: ground has no end"));
  // One that moves is told each time; one that stands still, once.
  world.host(0).set_state(
      {.pose = {Vector3(9.0, 0.0, 0.0)}, .inverse_mass = 1.0, .inverse_inertia = Matrix3::Identity()});
  EXPECT_TRUE(world.step(1e-3).ok());
  EXPECT_THAT(error_text([&] { (void)world.step(1e-3); }), HasSubstr("call set_state before each"));
  world.host(0).set_state({.pose = {Vector3(9.0, 0.0, 0.0)}});
  EXPECT_TRUE(world.step(1e-3).ok());
  EXPECT_TRUE(world.step(1e-3).ok());
}

}  // namespace
}  // namespace limber::host_body_test
