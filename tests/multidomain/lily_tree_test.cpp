#include "limber/basis/linear_modes.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

namespace limber {
namespace {

/// The flower of Barbic & Zhao 2011, Figure 7, as docs/substructuring.md measures it.
struct Lily {
  BuiltinBody body = make_builtin("builtin:lily");
  std::shared_ptr<const DomainTree> tree =
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
}  // namespace limber
