// What contact has to stand: hands that press, blows, long steps, and steps that are taken in parts.

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "tests/body/falling_cube.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <vector>

namespace limber::contact_limits_test {
namespace {

using namespace test::contact;
using test::error_text;
using testing::HasSubstr;

constexpr double edge = 0.2;
const double size_of_cube = edge * std::sqrt(3.0);

/// The vertex of the cube nearest to a place of its rest shape, which has the origin in the middle of a face.
int cube_vertex(const Body& body, const Vector3& place) {
  Index nearest = 0;
  (body.surface().mesh().vertices.colwise() - place).colwise().norm().minCoeff(&nearest);
  return static_cast<int>(nearest);
}

const Vector3 on_top(0.1, 0.0, 0.1), at_bottom(0.1, 0.0, -0.1), at_corner(0.2, 0.1, 0.1);

class Hand : public testing::TestWithParam<double> {};

/// Ways are straight within a step: what is crushed and flung round by a radian in one is deeper for a while.
/// How deep hangs on rounding, so that several hands are tried.
TEST_P(Hand, PressesNothingIntoTheGround) {
  const double h = GetParam();
  std::vector<double> depths;
  for (const Vector3& place : {on_top, at_corner}) {
    for (const double strength : {90.0, 95.0, 100.0, 105.0, 110.0}) {
      World world;
      world.add_obstacle(ground());
      add(world, falling(0.0, 1e4));
      Body& body = world.body(0);
      const int vertex = cube_vertex(body, place);
      const Vector3 at = body.position(vertex);
      const Spring spring{vertex, Vector3(at.x(), at.y(), -edge), strength * body.stiffness_at(vertex)};
      body.set_springs({&spring, 1});
      double& deepest = depths.emplace_back(0.0);
      for (int i = 0; i < static_cast<int>(3.0 / h); ++i) {
        ASSERT_TRUE(world.step(h).ok()) << i;
        ASSERT_LE(-lowest(body), 0.08 * size_of_cube) << h << " " << strength << " " << i;
        // At a corner it is flung round in the first step.
        if (place != at_corner || i * h > 0.1) deepest = std::max(deepest, -lowest(body));
      }
      EXPECT_LE(-lowest(body), 0.01 * size_of_cube) << h << " " << strength;
    }
  }
  std::sort(depths.begin(), depths.end());
  EXPECT_LE(depths[depths.size() / 2], 0.02 * size_of_cube) << h;
}

INSTANTIATE_TEST_SUITE_P(Steps, Hand, testing::Values(1.0 / 60.0, 1.0 / 240.0, 1e-3));

TEST(ContactLimits, RandomHandsPressNothingIntoTheGround) {
  Random random(3);
  for (int episode = 0; episode < 60; ++episode) {
    World world;
    world.add_obstacle(ground({.friction = random.uniform()}));
    add(world, falling(0.0, std::pow(10.0, random.uniform(4.0, 6.0))));
    Body& body = world.body(0);
    const double h = std::pow(10.0, random.uniform(-3.0, -1.78));
    const int vertex =
        static_cast<int>(random.uniform() * static_cast<double>(body.surface().mesh().vertex_count()));
    Spring spring{vertex, body.position(vertex),
                  std::pow(10.0, random.uniform(-1.0, 2.0)) * body.stiffness_at(vertex)};
    const Vector3 to =
        body.position(vertex) + 0.3 * Vector3(random.normal(), random.normal(), -std::abs(random.normal()));
    const Vector3 from = spring.target;
    double deepest = 0.0;
    const int steps = static_cast<int>(1.0 / h);
    for (int i = 0; i < steps; ++i) {
      spring.target = from + std::min(1.0, 2.0 * i / steps) * (to - from);
      body.set_springs({&spring, 1});
      ASSERT_TRUE(world.step(h).ok()) << episode << " " << i;
      deepest = std::max(deepest, -lowest(body));
    }
    // Ways are straight within a step: what turns by much in a long one is deeper for a while. How deep hangs
    // on rounding; the deepest seen was 4.7 %.
    EXPECT_LE(deepest, 0.08 * size_of_cube) << "episode " << episode << ", h " << h;
    EXPECT_LE(-lowest(body), 0.01 * size_of_cube) << "episode " << episode << ", h " << h;
  }
}

/// A bar on the ground that a hand turns over, by radians within a step if that were taken whole.
TEST(ContactLimits, WhatAHandTurnsOverIsNeverBelowTheGround) {
  const Vector3 sides(0.4, 0.1, 0.1);
  const FullModel full(make_beam({ElementKind::tetrahedron, sides, {4, 1, 1}}),
                       {test::material("stvk", 1e5, 0.3, 1000.0)}, {});
  ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, 15).elastic_shapes());
  reduced.name = "bar";
  const auto model = std::make_shared<const Model>(make_model(std::move(reduced), true));
  const double size = sides.norm();
  Random random(7);
  for (int episode = 0; episode < 60; ++episode) {
    World world;
    world.add_obstacle(ground({.friction = 0.6}));
    Body lying(model);
    lying.set_gravity(gravity);
    if (episode % 2 == 0) lying.set_method(Method::linear);
    lying.set_rank(1 + static_cast<Index>(random.uniform(0.0, 8.99)));
    TreeState state = lying.state();
    state.root.position.z() -= lowest(lying);
    lying.set_state(state);
    add(world, std::move(lying), {.friction = 0.6});
    Body& body = world.body(0);
    const double h = std::pow(10.0, random.uniform(-3.0, -1.78));
    const int vertex =
        static_cast<int>(random.uniform() * static_cast<double>(body.surface().mesh().vertex_count()));
    const Vector3 from = body.position(vertex);
    const Vector3 way =
        1.5 * size * Vector3(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 0.2));
    Spring spring{vertex, from, std::pow(10.0, random.uniform(0.0, 1.5)) * body.stiffness_at(vertex)};
    const double time = random.uniform(0.05, 1.0);
    double deepest = 0.0;
    for (int i = 0; i * h < time; ++i) {
      spring.target = from + (i + 1) * h / time * way;
      body.set_springs({&spring, 1});
      ASSERT_TRUE(world.step(h).ok()) << episode << " " << i;
      deepest = std::max(deepest, -lowest(body));
      ASSERT_GT(body.momentum().center.z(), -0.01 * size) << "episode " << episode << ", step " << i;
    }
    EXPECT_LE(deepest, 0.08 * size) << "episode " << episode << ", h " << h;
  }
}

/// Modes of the cube: which of a multiple one are among them hangs on the rounding of the machine, so others
/// are tried, too.
constexpr int few_modes = 13, some_modes = 18, more_modes = 21;

TEST(ContactLimits, WhatIsPushedOutOfTwoWallsGainsHardlyAnyEnergy) {
  for (const int modes : {some_modes, more_modes}) {
    for (const double h : {3e-5, 1e-3}) {
      World world;
      // A half of a percent narrower than the cube, which comes out slowly and squeezed.
      for (const double side : {-1.0, 1.0})
        world.add_obstacle(
            {.name = "wall",
             .shape = HalfSpace{},
             .pose = {Vector3(0.0, 0.0, 0.0995 * side),
                      Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), -side * Vector3::UnitZ())}});
      Body body(cube(modes));
      TreeState state = body.state();
      state.v(6) = 2.0;
      body.set_state(state);
      add(world, std::move(body));
      ASSERT_TRUE(world.step(h).ok());
      const double start = energy(world);
      double out = 0.0, before = start;
      int rescued = 0;
      for (int i = 0; i < 400; ++i) {
        const StepReport report = world.step(h);
        ASSERT_TRUE(report.ok());
        rescued += report.rescued ? 1 : 0;
        out += world.contact_report().pushed_out;
        const double now = energy(world);
        EXPECT_LE(now, before + world.contact_report().pushed_out + 2e-5 * start) << h << " " << i;
        before = now;
      }
      EXPECT_LE(before, start * (1.0 + 1e-4)) << h << ": vibrations lose what it got";
      EXPECT_GT(out, 1e-4 * start) << h;
      EXPECT_LE(rescued, 4) << h;
    }
  }
}

TEST(ContactLimits, WhatStartsInTheGroundComesOutInStepsOfItsOwnLength) {
  for (const Method method : {Method::reduced, Method::warped}) {
    for (const int modes : {few_modes, some_modes, more_modes}) {
      for (const double h : {1e-3, 1.0 / 60.0}) {
        for (const double depth : {5e-4, 1e-2}) {
          World world;
          world.add_obstacle(ground());
          Body body = falling(-depth, 1e6, gravity, modes);
          body.set_method(method);
          add(world, std::move(body));
          int parts = 0;
          const int steps = static_cast<int>(1.0 / h);
          for (int i = 0; i < steps; ++i) {
            ASSERT_TRUE(world.step(h).ok());
            parts += world.contact_report().steps;
          }
          EXPECT_LE(parts, 1.05 * steps + 20) << name_of(method) << " " << modes << " " << h << " " << depth;
          EXPECT_LT(speed(world.body(0)).norm(), 1e-4);
        }
      }
    }
  }
}

TEST(ContactLimits, AThrownBlockStaysOnTheGroundAndSlidesAsFarAsFrictionLetsIt) {
  for (const double h : {1e-3, 5e-3, 1.0 / 60.0}) {
    for (const bool deforms : {false, true}) {
      World world;
      world.add_obstacle(ground({.friction = 0.5}));
      const Vector3 thrown(5.0, 0.0, -1.0);
      if (deforms) {
        Body block = falling(1e-3, 1e7);
        block.set_damping({0.0, 3e-3});
        block.set_velocity(thrown);
        add(world, block, {.friction = 0.5});
      } else {
        RigidBody block = box(Vector3(0.1, 0.0, 0.1 + 1e-3));
        block.set_velocity(thrown);
        world.add_rigid(block);
      }
      const auto place = [&] { return deforms ? world.body(0).momentum().center : world.rigid(0).center(); };
      double highest = 0.0, from = 0.0, first = energy(world), before = first, growth = 0.0;
      for (int i = 0; i < static_cast<int>(1.5 / h); ++i) {
        ASSERT_TRUE(world.step(h).ok());
        if (deforms) growth = std::max(growth, energy(world) - before);
        before = energy(world);
        if (i * h < 0.05) continue;
        if (from == 0.0) from = place().x();
        highest = std::max(highest, place().z() - 0.1);
      }
      EXPECT_LE(highest, 1e-3) << h << (deforms ? " deforms" : "");
      // It lands after 1 ms and loses friction times the speed at which it came down; the first 0.05 s are
      // not looked at.
      const double after = 5.0 - 0.5 * 1.0, late = after - 0.5 * 9.81 * 0.05;
      const double way = late * late / (2.0 * 0.5 * 9.81);
      EXPECT_NEAR(place().x() - from, way, (h < 0.01 ? 0.02 : 0.05) * way)
          << h << (deforms ? " deforms" : "");
      EXPECT_LE(growth, (h < 2e-3 ? 1e-5 : 1e-4) * first) << h;
    }
  }
}

/// Springs that fling it round by a hundred radians a step: velocities squared in each would be energy from
/// nowhere.
TEST(ContactLimits, ABodyThatStiffSpringsFlingGainsNoEnergy) {
  for (const double factor : {1e3, 1e4, 1e6}) {
    for (int seed = 1; seed <= 8; ++seed) {
      SCOPED_TRACE(fmt::format("springs {:.0e} times as stiff, seed {}", factor, seed));
      Random random(static_cast<std::uint64_t>(seed));
      World world;
      add(world, falling(0.0, 1e4, Vector3::Zero()));
      world.add_obstacle(ground());
      Body& body = world.body(0);
      std::vector<Spring> springs;
      for (int k = 0; k < 3; ++k) {
        const int vertex =
            static_cast<int>(random.uniform() * static_cast<double>(body.surface().mesh().vertex_count()));
        const Vector3 way(random.normal(), random.normal(), random.normal() - 1.0);
        springs.push_back({vertex, body.position(vertex) + 10.0 * way, factor * body.stiffness_at(vertex)});
      }
      body.set_springs(springs);
      const auto all = [&] {
        double sum = energy(world);
        for (const Spring& spring : springs)
          sum += 0.5 * spring.stiffness * (spring.target - body.position(spring.point)).squaredNorm();
        return sum;
      };
      const double start = all();
      for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(world.step(1.0 / 60.0).ok()) << i;
        ASSERT_LE(all(), 2.0 * start) << i;  // places are half a step ahead of energies
      }
    }
  }
}

/// However large: what sticks is not let in by the speed at which it slid before.
TEST(ContactLimits, LargeFrictionStopsBodiesAndLetsNothingIn) {
  for (const double friction : {2.0, 10.0, 1e3, 1e6}) {
    for (const double h : {1e-3, 2e-3, 1.0 / 60.0}) {
      SCOPED_TRACE(fmt::format("friction {}, h {}", friction, h));
      World world;
      world.add_obstacle(ground({.friction = friction}));
      add(world, falling(0.2), {.friction = friction});
      TreeState state = world.body(0).state();
      state.root.velocity = Vector3(3.0, 0.0, 0.0);
      world.body(0).set_state(state);
      RigidBody thrown = box(Vector3(0.0, 2.0, 0.3));
      thrown.set_material({.friction = friction});
      thrown.set_velocity(Vector3(3.0, 0.0, 0.0), Vector3::Zero());
      world.add_rigid(std::move(thrown));
      double deepest = 0.0;
      for (int i = 0; i < static_cast<int>(2.0 / h); ++i) {
        ASSERT_TRUE(world.step(h).ok()) << i;
        deepest = std::max({deepest, -lowest(world.body(0)), world.contact_report().deepest});
      }
      EXPECT_LE(deepest, 0.005 * size_of_cube);
      EXPECT_LE(speed(world.body(0)).norm(), 1.0);  // it has no damping, and rocks
      EXPECT_LE(world.rigid(0).velocity().norm(), 0.01);
    }
  }
}

/// Where several corners bounce, or one that slides, too, restitution alone would take more energy than there
/// is.
TEST(ContactLimits, WhatBouncesAndTurnsGainsNoEnergy) {
  for (const double restitution : {0.9, 1.0}) {
    for (const double friction : {0.0, 0.5, 1.0}) {
      SCOPED_TRACE(fmt::format("restitution {}, friction {}", restitution, friction));
      const ContactMaterial material{.friction = friction, .restitution = restitution};
      World world;
      world.add_obstacle(ground(material));
      RigidBody thrown({.name = "box",
                        .shape = Box{Vector3(0.3, 0.1, 0.1)},
                        .density = 1000.0,
                        .pose = {Vector3(0.0, 0.0, 0.4), Eigen::Quaterniond::Identity()},
                        .gravity = gravity});
      thrown.set_material(material);
      thrown.set_velocity(Vector3::Zero(), Vector3(0.0, 3.0, 0.0));
      world.add_rigid(std::move(thrown));
      Body stiff = falling(0.3, 2e11);
      TreeState state = stiff.state();
      state.root.position.y() += 2.0;
      state.root.angular_velocity = Vector3(0.5, 3.0, 0.0);
      stiff.set_state(state);
      add(world, std::move(stiff), material);
      const auto all = [&] {
        const RigidBody& rigid = world.rigid(0);
        return energy(world) -
               rigid.mass_properties().mass * gravity.dot(rigid.center() - rigid.lag() * rigid.velocity());
      };
      ASSERT_TRUE(world.step(1e-3).ok());
      const double start = all();
      for (int i = 0; i < 3000; ++i) {
        ASSERT_TRUE(world.step(1e-3).ok()) << i;
        ASSERT_LE(all(), (1.0 + 1e-4) * start) << i;
      }
    }
  }
}

TEST(ContactLimits, WhatABallSetsMovingIsStoppedInTheSameStep) {
  World world;
  world.add_obstacle(ground());
  world.add_rigid(RigidBody({.name = "block",
                             .shape = Box{Vector3(0.1, 0.1, 0.05)},
                             .density = 200.0,
                             .pose = {Vector3(0.0, 0.0, 0.06)}}));
  RigidBody ball(
      {.name = "ball", .shape = Sphere{0.1}, .density = 2000.0, .pose = {Vector3(0.0, 0.0, 0.25)}});
  ball.set_velocity(Vector3(0.0, 0.0, -10.0));
  world.add_rigid(ball);
  double deepest = 0.0;
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(world.step(1.0 / 60.0).ok());
    deepest = std::max(deepest, 0.05 - world.rigid(0).center().z());
  }
  EXPECT_LE(deepest, 1e-3);
}

TEST(ContactLimits, WhatAFastBlockSetsMovingIsStoppedInTheSameStep) {
  World world;
  world.add_obstacle(ground());
  add(world, falling(0.01, 1e7, Vector3::Zero()));
  Body fast = falling(0.3, 1e7, Vector3::Zero());
  fast.set_velocity(Vector3(0.0, 0.0, -10.0));
  add(world, fast);
  double deepest = 0.0;
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(world.step(1.0 / 60.0).ok());
    deepest = std::max(deepest, -lowest(world.body(0)));
  }
  EXPECT_LE(deepest, 0.01 * size_of_cube);
}

TEST(ContactLimits, GroundThatTurnsIsMetFarFromItsAxis) {
  World world;
  Obstacle floor = ground();
  floor.motion = [](double t) {
    return Pose{Vector3::Zero(), Eigen::Quaterniond(Eigen::AngleAxisd(-t, Vector3::UnitY()))};
  };
  world.add_obstacle(floor);
  world.add_rigid(
      RigidBody({.name = "box", .shape = Box{Vector3::Constant(0.1)}, .pose = {Vector3(3.0, 0.0, 0.11)}}));
  add(world, [] {
    Body body = falling(0.01, 1e7, Vector3::Zero());
    TreeState state = body.state();
    state.root.position.x() += 5.0;
    body.set_state(state);
    return body;
  }());
  double deepest = 0.0;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(world.step(1.0 / 60.0).ok());
    deepest = std::max(deepest, world.contact_report().deepest);
  }
  EXPECT_LE(deepest, 2e-3) << "it turns by that in a step, seen as straight";
}

TEST(ContactLimits, HandlesGoAsFarAsThePartOfAStepThatIsTaken) {
  Body body = falling(0.5, 1e6, Vector3::Zero());
  body.set_coupled(true);
  const int vertex = cube_vertex(body, on_top);
  const Vector3 from = body.position(vertex);
  Handle handle{vertex, true, false, from};
  body.set_handles({&handle, 1});
  constexpr double h = 1.0 / 60.0;
  CoupledStep step;
  const auto advance = [&](double part, const StepPart& of) {
    ASSERT_TRUE(body.begin_coupled(part, step, ElasticEnd::implicit, of).ok());
    ASSERT_TRUE(body.end_coupled(step, step.free, Vector::Zero(step.free.size())).ok());
  };
  advance(h, {h, h});
  handle.position = from + Vector3(0.0, 0.0, 0.08);
  body.set_handles({&handle, 1});
  for (int i = 0; i < 4; ++i) {
    advance(0.25 * h, {h, (1.0 - 0.25 * i) * h});
    EXPECT_NEAR(body.position(vertex).z() - from.z(), 0.02 * (i + 1), 1e-3) << i;
  }
  handle.position = from;
  body.set_handles({&handle, 1});
  advance(h, {h, h});
  EXPECT_NEAR(body.position(vertex).z(), from.z(), 1e-3);
}

TEST(ContactLimits, AHandFeelsTheMeanOfTheStepsThatAStepIsTakenIn) {
  RigidBody ball({.name = "ball", .shape = Sphere{0.05}});
  ball.set_grip(RigidGrip{.pose = {Vector3(0.0, 0.0, 0.1)}, .stiffness = 500.0, .damping = 2.0});
  CoupledStep step;
  const auto advance = [&](RigidBody& body, double h) {
    body.begin_coupled(h, step);
    body.end_coupled(step, step.free, Vector::Zero(6));
  };
  ball.remember();
  advance(ball, 1e-2);
  const Vector3 first = ball.grip_load().force;
  RigidBody other = ball;
  other.remember();
  advance(other, 3e-2);
  const Vector3 second = other.grip_load().force;
  ASSERT_GT((second - first).norm(), 0.1 * first.norm());
  advance(ball, 3e-2);
  EXPECT_LE((ball.grip_load().force - 0.25 * (first + 3.0 * second)).norm(), 1e-12 * first.norm());
}

TEST(ContactLimits, AStepThatIsNotSolvedIsTakenInParts) {
  World world;
  world.add_obstacle(ground());
  add(world, falling(0.001));
  ContactOptions options;
  options.solve.max_iterations = 1;
  world.set_contact_options(options);
  int parts = 0;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(world.step(5e-3).ok());
    parts += world.contact_report().steps;
  }
  EXPECT_GT(parts, 20);
  EXPECT_GT(lowest(world.body(0)), -1e-3);
}

TEST(ContactLimits, WhatIsSavedAfterAChangeOfStiffnessGoesOnWithTheSameBits) {
  const auto made = [] {
    World world;
    world.add_obstacle(ground());
    add(world, falling(0.0));
    return world;
  };
  World world = made(), other = made();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(world.step(1e-3).ok());
  for (World* one : {&world, &other}) one->body(0).set_stiffness(0, 1e-3);
  StateWriter out;
  world.body(0).save(out);
  StateReader in(out.bytes(), "state");
  other.body(0).restore(in);
  EXPECT_EQ(world.energy(), other.energy());
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(world.step(1e-3).ok());
    ASSERT_TRUE(other.step(1e-3).ok());
  }
  EXPECT_EQ(world.body(0).q(), other.body(0).q());
}

TEST(ContactLimits, ThinCapsulesHaveNoHolesInThem) {
  constexpr double radius = 0.002, half = 0.5;
  const std::vector<SamplePoint> samples = sample_shape(Capsule{radius, half});
  double widest = 0.0;
  for (std::size_t i = 1; i < samples.size(); ++i)
    widest = std::max(widest, (samples[i].place - samples[i - 1].place).norm());
  EXPECT_LE(widest, 0.29 * radius);
}

TEST(ContactLimits, BodiesOfAnySizeStayOnTheGround) {
  for (const double size : {1e-3, 2e-2, 1.0, 50.0}) {
    VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3::Constant(size), {2, 2, 2}});
    const FullModel full(mesh, {test::material("stvk", 1e9, 0.3, 1000.0)}, {});
    ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, 12).elastic_shapes());
    World world;
    world.add_obstacle(ground());
    Body body(std::make_shared<const Model>(make_model(std::move(reduced), true)));
    body.set_gravity(gravity);
    TreeState state = body.state();
    state.root.position.z() += 0.75 * size;
    body.set_state(state);
    add(world, std::move(body));
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(world.step(1e-3 * std::sqrt(size)).ok());
    EXPECT_GT(lowest(world.body(0)), -0.01 * size) << size << " m";
  }
}

TEST(ContactLimits, RefusesOptionsThatAreNone) {
  World world;
  const auto text = [&](auto change) {
    ContactOptions options;
    change(options);
    return error_text([&] { world.set_contact_options(options); });
  };
  EXPECT_THAT(text([](ContactOptions& x) { x.solve.tolerance = 0.0; }), HasSubstr("tolerance is 0"));
  EXPECT_THAT(text([](ContactOptions& x) { x.solve.max_iterations = 0; }), HasSubstr("iterations is 0"));
  EXPECT_THAT(text([](ContactOptions& x) { x.slop = -1.0; }), HasSubstr("slop is -1"));
  EXPECT_THAT(text([](ContactOptions& x) { x.recovery = 1.5; }), HasSubstr("recovered is 1.5"));
  EXPECT_THAT(text([](ContactOptions& x) { x.recovery_speed = std::nan(""); }), HasSubstr("recovery is nan"));
}

}  // namespace
}  // namespace limber::contact_limits_test
