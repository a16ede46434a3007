// Bodies that touch for long, in rough hands: they gain no energy and stay where they can be.

#include "limber/base/random.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/body/world.hpp"
#include "limber/precompute/build_model.hpp"
#include "tests/body/bar.hpp"
#include "tests/reduced/allocations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace limber::contact_soak_test {
namespace {

const Vector3 gravity(0.0, 0.0, -9.81);

/// A free cube of 0.2 m.
std::shared_ptr<const Model> small_cube() {
  static const std::shared_ptr<const Model> model = [] {
    const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3::Constant(0.2), {3, 3, 3}});
    const FullModel full(mesh, {test::material("stvk", 1e6, 0.3, 1000.0)}, {});
    ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, 15).elastic_shapes());
    reduced.name = "cube";
    return std::make_shared<const Model>(make_model(std::move(reduced), true));
  }();
  return model;
}

/// With its lower face at that height.
Body cube_at(double height, const Vector3& weight = gravity) {
  Body body(small_cube());
  body.set_gravity(weight);
  TreeState state = body.state();
  state.root.position.z() += height + 0.1;
  body.set_state(state);
  return body;
}

Index add_touching(World& world, Body body, const ContactMaterial& material = {}) {
  const Index number = world.add(std::move(body));
  world.set_contact(number, material);
  return number;
}

RigidBody box_at(double height) {
  return RigidBody({.name = "box",
                    .shape = Box{Vector3::Constant(0.05)},
                    .pose = {Vector3(0.1, 0.0, height)},
                    .gravity = gravity});
}

double whole_energy(const World& world) {
  double sum = world.energy();
  for (Index i = 0; i < world.body_count(); ++i) sum += world.body(i).load_energy();
  return sum;
}

/// Half spaces around a room of that half width about (0.1, 0, 0.1).
void add_room(World& world, double half, double friction) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      const Vector3 out = sign * Vector3::Unit(axis);
      world.add_obstacle({.name = "wall",
                          .shape = HalfSpace{},
                          .pose = {Vector3(0.1, 0.0, 0.1) + half * out,
                                   Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), -out)},
                          .material = {.friction = friction}});
    }
}

TEST(ContactSoak, WarmStepsAllocateNothingButForWhatTheyRemember) {
  const std::pair<const char*, std::function<void(World&)>> scenes[] = {
      {"a body", [](World& world) { add_touching(world, cube_at(0.0)); }},
      {"a body on another",
       [](World& world) {
         add_touching(world, cube_at(0.0));
         add_touching(world, cube_at(0.201));
       }},
      {"rigid bodies",
       [](World& world) {
         world.add_rigid(box_at(0.05));
         world.add_rigid(box_at(0.15));
       }},
      {"a rigid body on a body",
       [](World& world) {
         add_touching(world, cube_at(0.0));
         world.add_rigid(box_at(0.251));
       }},
      {"a body that may touch itself",
       [](World& world) { world.set_self_contact(add_touching(world, cube_at(0.0)), true); }},
  };
  for (const auto& [name, fill] : scenes) {
    World world;
    world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
    fill(world);
    for (Index i = 0; i < world.body_count(); ++i) world.body(i).set_damping({1.0, 1e-3});
    const auto steps = [&] {
      for (int i = 0; i < 100; ++i) (void)world.step(1e-3);
    };
    for (int i = 0; i < 3; ++i) steps();
    ASSERT_GT(world.contact_report().active, 0) << name;
    long remembered = 0;  // the state to go back to, which each step writes down
    for (Index i = 0; i < world.body_count(); ++i)
      remembered += test::allocations_of([&] { world.body(i).remember(); });
    EXPECT_EQ(test::allocations_of(steps), 100 * remembered) << name;
  }
}

TEST(ContactSoak, UndampedBodiesInARoomGainNoEnergy) {
  for (const double friction : {0.0, 0.5}) {
    World world;
    add_room(world, 0.3, friction);
    Body body = cube_at(0.0, Vector3::Zero());
    body.set_velocity(Vector3(2.0, -1.0, 1.5), Vector3(3.0, 5.0, -4.0));
    add_touching(world, std::move(body), {.friction = friction});
    Random random(5);
    ASSERT_TRUE(world.step(1e-3).ok());
    const double start = whole_energy(world);
    double most = start;
    for (int i = 0; i < 1500; ++i) {
      ASSERT_TRUE(world.step(random.uniform(2e-4, 2e-3)).ok());
      most = std::max(most, whole_energy(world));
    }
    EXPECT_LE(most, (1.0 + 1e-9) * start) << "friction " << friction;
    EXPECT_LT((world.body(0).momentum().center - Vector3(0.1, 0.0, 0.1)).cwiseAbs().maxCoeff(), 0.3);
  }
}

// Velocities at the start of a step say nothing then of those in its middle.
TEST(ContactSoak, ABodyThatSpinsByRadiansAStepGainsNoEnergy) {
  for (const double spin : {30.0, 100.0, 400.0, 2000.0}) {
    World world;
    add_room(world, 0.3, 0.5);
    Body body = cube_at(0.0, Vector3::Zero());
    body.set_material(0, test::material("stvk", 1e8, 0.3, 1000.0));
    body.set_velocity(Vector3(1.0, -0.5, 0.7), spin * Vector3(1.0, 2.0, -2.0) / 3.0);
    add_touching(world, std::move(body), {.friction = 0.5});
    ASSERT_TRUE(world.step(1.0 / 60.0).ok());
    const double start = whole_energy(world);
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(world.step(1.0 / 60.0).ok()) << spin << " " << i;
      ASSERT_LE(whole_energy(world), (1.0 + 1e-3) * start) << spin << " " << i;
    }
  }
}

TEST(ContactSoak, RoughHandsNeitherBreakABodyNorDriveItThroughWalls) {
  World world;
  add_room(world, 0.3, 0.5);
  add_touching(world, cube_at(0.0));
  Random random(9);
  const auto direction = [&] {
    return Vector3(Vector3(random.normal(), random.normal(), random.normal()).normalized());
  };
  Body& body = world.body(0);
  for (int episode = 0; episode < 12; ++episode) {
    body.set_material(0, test::material("stvk", std::pow(10.0, random.uniform(4.0, 9.0)), 0.3, 1000.0));
    body.set_gravity(random.uniform(0.0, 30.0) * direction());
    const int vertex =
        static_cast<int>(random.uniform() * static_cast<double>(body.surface().mesh().vertex_count()));
    const Vector3 target = body.position(vertex) + 0.4 * direction();
    if (episode % 2 == 0) {
      const Spring spring{vertex, target, 10.0 * body.stiffness_at(vertex)};
      body.set_springs({&spring, 1});
    } else {
      const Handle handle{vertex, true, false, target.cwiseMax(-0.15).cwiseMin(0.25)};
      body.set_handles({&handle, 1});
    }
    const double h = std::pow(10.0, random.uniform(-4.0, -2.0));
    for (int i = 0; i < 60; ++i) {
      if (i == 30) {
        body.set_springs({});
        body.set_handles({});
      }
      ASSERT_TRUE(world.step(h).ok()) << episode;
    }
    const Vector3 center = body.momentum().center;
    ASSERT_LT((center - Vector3(0.1, 0.0, 0.1)).cwiseAbs().maxCoeff(), 0.3) << "episode " << episode;
  }
}

}  // namespace
}  // namespace limber::contact_soak_test
