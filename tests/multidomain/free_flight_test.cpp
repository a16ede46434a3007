#include "limber/multidomain/tree_dynamics.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::free_flight_test {
namespace {

/// The bush of small_trees.hpp with nothing that holds it.
std::shared_ptr<const Model> flying_bush(bool rigid = false) {
  PartTree parts = test::twig_parts();
  parts.free = true;
  parts.parts[0].fixed.clear();
  if (rigid)
    for (Part& part : parts.parts) part.rigid = true;
  return test::reduced(parts);
}

/// Thrown, spinning, with its parts in motion.
TreeDynamics thrown(const std::shared_ptr<const Model>& tree, SubtreeInertia inertia) {
  TreeDynamics dynamics(tree);
  dynamics.set_inertia(inertia);
  TreeState state = dynamics.state();
  state.root.velocity = Vector3(1.0, 0.5, -0.2);
  state.root.angular_velocity = Vector3(0.4, 1.0, 2.0);
  state.v = test::random_vector(state.v.size(), 0.5, 3);
  dynamics.set_state(state);
  return dynamics;
}

class Flight : public testing::TestWithParam<SubtreeInertia> {};

TEST_P(Flight, ConservesLinearMomentum) {
  TreeDynamics dynamics = thrown(flying_bush(), GetParam());
  ASSERT_TRUE(dynamics.step(2e-3).ok());  // lumped inertia takes its own view of the start
  const TreeMomentum start = dynamics.momentum();
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(dynamics.step(2e-3).ok());
  const TreeMomentum end = dynamics.momentum();
  EXPECT_LE((end.linear - start.linear).norm(), 1e-11 * start.linear.norm());
  EXPECT_LE((end.center - start.center - start.linear / start.mass).norm(), 1e-11);
}

TEST_P(Flight, FallsAsGravitySays) {
  TreeDynamics dynamics = thrown(flying_bush(), GetParam());
  const Vector3 gravity(0.0, 0.0, -9.81);
  dynamics.set_gravity(gravity);
  ASSERT_TRUE(dynamics.step(2e-3).ok());
  const TreeMomentum start = dynamics.momentum();
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(dynamics.step(2e-3).ok());
  const TreeMomentum end = dynamics.momentum();
  EXPECT_LE((end.linear - start.linear - 0.5 * start.mass * gravity).norm(), 1e-10 * end.linear.norm());
}

INSTANTIATE_TEST_SUITE_P(Inertia, Flight,
                         testing::Values(SubtreeInertia::interface, SubtreeInertia::center,
                                         SubtreeInertia::full));

TEST(Flight, FullInertiaConservesAngularMomentumToo) {
  TreeDynamics dynamics = thrown(flying_bush(), SubtreeInertia::full);
  const TreeMomentum start = dynamics.momentum();
  double bend = 0.0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(dynamics.step(2e-3).ok());
    bend = std::max(bend, dynamics.state().q.norm());
  }
  EXPECT_GT(bend, 0.1);
  EXPECT_LE((dynamics.momentum().angular - start.angular).norm(), 1e-10 * start.angular.norm());
}

TEST(Flight, ATurnedFrameOfReferenceDoesNotMatter) {
  // In free fall nothing is felt of gravity.
  TreeDynamics falling = thrown(flying_bush(), SubtreeInertia::full),
               floating = thrown(flying_bush(), SubtreeInertia::full);
  falling.set_gravity({0.0, 3.0, -9.81});
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(falling.step(2e-3).ok());
    ASSERT_TRUE(floating.step(2e-3).ok());
  }
  EXPECT_LE((falling.state().q - floating.state().q).norm(), 1e-8 * floating.state().q.norm());
}

TEST(Flight, AnImpulseIsTheForceTimesItsTimeHoweverFastItFlies) {
  const auto tree = flying_bush();
  const SimulationMesh& simulation = *tree->part(2).model.simulation;
  const Index last = simulation.mesh.vertex_count() - 1;
  const TreePoint point{2, simulation.mesh.vertices.col(last), simulation.basis.middleRows<3>(3 * last)};
  const Vector3 force(5.0, -3.0, 2.0);
  Vector3 spun[2];
  for (const int flying : {0, 1}) {
    const double speed = 10.0 * flying;
    TreeDynamics dynamics(tree);
    TreeState state = dynamics.state();
    state.root.velocity.x() = speed;
    dynamics.set_state(state);
    dynamics.set_forces({{{point, force}}});
    const Vector3 start = dynamics.momentum().linear;
    const auto torque = [&] {
      return Vector3((dynamics.position(point) - dynamics.momentum().center).cross(force));
    };
    Vector3 sum = Vector3::Zero();
    for (int i = 0; i < 100; ++i) {  // forces are balanced at two thirds of a step
      sum += torque() / 3.0;
      ASSERT_TRUE(dynamics.step(1e-3).ok());
      sum += 2.0 * torque() / 3.0;
    }
    const TreeMomentum end = dynamics.momentum();
    EXPECT_LE((end.linear - start - 0.1 * force).norm(), 1e-11 * (start.norm() + force.norm()));
    EXPECT_LE((end.angular - 1e-3 * sum).norm(), 1e-6 * end.angular.norm());
    spun[flying] = end.angular;
  }
  EXPECT_LE((spun[1] - spun[0]).norm(), 1e-11 * spun[0].norm());
}

TEST_P(Flight, IsDampedAgainstTheWorld) {
  TreeDynamics dynamics = thrown(flying_bush(true), GetParam());
  dynamics.set_damping({2.0, 0.0});
  const TreeMomentum start = dynamics.momentum();
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(dynamics.step(2e-3).ok());
  EXPECT_LE((dynamics.momentum().linear - std::exp(-2.0) * start.linear).norm(), 1e-5 * start.linear.norm());
  EXPECT_LE((dynamics.momentum().angular - std::exp(-2.0) * start.angular).norm(),
            1e-5 * start.angular.norm());
}

TEST_P(Flight, FollowsAHandThatPullsAtIt) {
  const auto tree = flying_bush();
  TreeDynamics dynamics(tree);
  dynamics.set_inertia(GetParam());
  dynamics.set_damping({3.0, 5e-3});
  const SimulationMesh& simulation = *tree->part(1).model.simulation;
  const Index last = simulation.mesh.vertex_count() - 1;
  const TreePoint point{1, simulation.mesh.vertices.col(last), simulation.basis.middleRows<3>(3 * last)};
  const Vector3 target = dynamics.position(point) + Vector3(1.0, 2.0, 0.5);
  dynamics.set_springs({{{point, target, 3e3}}});
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(dynamics.step(5e-3).ok()) << i;
  EXPECT_LE((dynamics.position(point) - target).norm(), 0.1);
}

TEST(Flight, LumpedInertiaLosesAngularMomentum) {
  // What its parts do to each other is in no balance: the reason for full inertia.
  for (const SubtreeInertia inertia : {SubtreeInertia::interface, SubtreeInertia::center}) {
    TreeDynamics dynamics = thrown(flying_bush(), inertia);
    ASSERT_TRUE(dynamics.step(2e-3).ok());
    const Vector3 start = dynamics.momentum().angular;
    double drift = 0.0;
    for (int i = 0; i < 250; ++i) {
      ASSERT_TRUE(dynamics.step(2e-3).ok());
      drift = std::max(drift, (dynamics.momentum().angular - start).norm());
    }
    EXPECT_GT(drift, 1e-3 * start.norm());
  }
}

TEST(Flight, WithoutStrainIsSolvedAtOnce) {
  // All that moves the coordinates is rounding.
  TreeDynamics dynamics(flying_bush());
  TreeState state = dynamics.state();
  state.root.velocity = Vector3(3.0, 1.0, -2.0);
  dynamics.set_state(state);
  dynamics.set_gravity({0.0, 0.0, -9.81});
  int iterations = 0;
  for (int i = 0; i < 240; ++i) {
    const SolveReport report = dynamics.step(1.0 / 60.0, {});
    ASSERT_TRUE(report.ok()) << i;
    iterations += report.iterations;
  }
  EXPECT_LE(iterations, 2 * 240);
}

TEST(Flight, ARigidTreeTumblesAsEulerSays) {
  // Torque-free motion of a rigid body: energy and momentum stay, and so does the relation of the two through
  // its inertia.
  TreeDynamics dynamics = thrown(flying_bush(true), SubtreeInertia::full);
  ASSERT_EQ(dynamics.coordinate_count(), 0);
  const TreeMomentum start = dynamics.momentum();
  const double energy = dynamics.kinetic_energy();
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(dynamics.step(2e-3).ok());
  EXPECT_LE((dynamics.momentum().angular - start.angular).norm(), 1e-10 * start.angular.norm());
  EXPECT_NEAR(dynamics.kinetic_energy(), energy, 1e-4 * energy);
}

}  // namespace
}  // namespace limber::free_flight_test
