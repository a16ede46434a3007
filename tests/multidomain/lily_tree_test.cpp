#include "limber/basis/linear_modes.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::lily_tree_test {
namespace {

/// The flower of Barbic & Zhao 2011, Figure 7, as docs/substructuring.md measures it.
struct Lily {
  BuiltinBody body = make_builtin("builtin:lily");
  std::shared_ptr<const Model> tree =
      test::reduced(make_parts({body.mesh, body.materials, body.render, body.part_colors, body.fixed},
                               decompose_by_regions(body.mesh)),
                    20);
};

const Lily& lily() {
  static const Lily one;
  return one;
}

TEST(LilyTree, HasTheSizeOfThePaper) {
  EXPECT_EQ(lily().tree->domain_count(), 12);
  EXPECT_EQ(lily().tree->coordinate_count(), 240);
  EXPECT_EQ(lily().tree->depth(), 3);
}

TEST(LilyTree, FullInertiaHasTheFrequenciesOfTheWhole) {
  const FullModel full(lily().body.mesh, lily().body.materials, lily().body.fixed,
                       {MassKind::consistent, Executor(1)});
  const Vector exact = compute_linear_modes(full, 4).frequencies_hz;
  TreeDynamics dynamics(lily().tree);
  const Vector found = dynamics.natural_frequencies();
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(found(i), exact(i), 0.1 * exact(i)) << i;
  dynamics.set_inertia(SubtreeInertia::center);
  const double center = dynamics.natural_frequencies()(0);
  dynamics.set_inertia(SubtreeInertia::interface);
  EXPECT_GT(dynamics.natural_frequencies()(0), center);
  EXPECT_GT(center, found(0));
}

/// Some domains softer, some stiffer, by up to a hundred times.
void change_stiffnesses(TreeDynamics& dynamics, double phase) {
  for (Index i = 0; i < dynamics.tree().domain_count(); ++i)
    dynamics.set_stiffness(i, std::pow(10.0, 2.0 * std::sin(phase + 2.0 * static_cast<double>(i))));
}

TEST(LilyTree, HangsAtRestMostlyWithoutHelp) {
  // Terms of its energy cancel by far. If what is left of their rounding were a gain, each of the last steps
  // would be rescued, and lead nowhere.
  TreeDynamics dynamics(lily().tree);
  change_stiffnesses(dynamics, 9.0);
  dynamics.set_damping({2.0, 2e-3});
  dynamics.set_gravity({40.0, 12.0, -39.24});
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(dynamics.step(0.0436).ok());
  int rescued = 0;
  for (int i = 0; i < 200; ++i) {
    const SolveReport report = dynamics.step(0.0436);
    ASSERT_TRUE(report.ok());
    rescued += report.rescued;
  }
  EXPECT_LE(rescued, 60);
}

TEST(LilyTree, IsSeldomStuckInAHandFarTooStrong) {
  // The whole of a step by implicit Euler would crush its parts; a millionth of it leads on.
  TreeDynamics dynamics(lily().tree);
  change_stiffnesses(dynamics, 1.0);
  const SimulationMesh& simulation = *lily().tree->part(1).model.simulation;
  const TreePoint point{1, simulation.mesh.vertices.col(0), simulation.basis.topRows<3>()};
  const Vector3 target = dynamics.position(point) + Vector3(0.5, 0.5, -0.5);
  dynamics.set_springs({{{point, target, 100.0 * dynamics.stiffness_at(point)}}});
  int stuck = 0;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(dynamics.step(3.2e-3).ok());
    stuck += dynamics.state().v.isZero(0.0);
  }
  EXPECT_LE(stuck, 25);
}

TEST(LilyTree, SwingsOnWithoutGainingEnergy) {
  for (const double h : {0.01, 1.0 / 60.0}) {
    TreeDynamics dynamics(lily().tree);
    dynamics.set_gravity({0.0, 3.0, -9.81});
    while (dynamics.state().time < 0.3) ASSERT_TRUE(dynamics.step(h).ok());
    dynamics.set_gravity(Vector3::Zero());
    const double start = dynamics.elastic_energy() + dynamics.kinetic_energy();
    int rescued = 0;
    for (int i = 0; i < 500; ++i) {
      const SolveReport report = dynamics.step(h);
      ASSERT_TRUE(report.ok());
      rescued += report.rescued;
      ASSERT_LE(dynamics.elastic_energy() + dynamics.kinetic_energy(), (1.0 + 1e-9) * start);
    }
    EXPECT_LE(rescued, 10) << h;
  }
}

TEST(LilyTree, InterfacesStayCloseUnderItsWeight) {
  TreeDynamics dynamics(lily().tree);
  dynamics.set_gravity({0.0, 0.0, -9.81});
  double gap = 0.0;
  for (int i = 0; i < 400; ++i) {
    ASSERT_TRUE(dynamics.step(2e-3).ok());
    gap = std::max(gap, dynamics.largest_gap().share);
  }
  EXPECT_LE(gap, 0.01);
}

}  // namespace
}  // namespace limber::lily_tree_test
