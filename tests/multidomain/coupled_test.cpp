#include "limber/multidomain/tree_dynamics.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::coupled_test {
namespace {

std::shared_ptr<const Model> bush(bool free) {
  PartTree parts = test::twig_parts();
  parts.free = free;
  if (free) parts.parts[0].fixed.clear();
  return test::reduced(parts);
}

std::shared_ptr<const Model> single(bool free) {
  PartTree parts = test::twig_parts();
  parts.free = free;
  if (free) parts.parts[0].fixed.clear();
  parts.placements.resize(1);
  parts.parts.resize(1);
  return test::reduced(parts);
}

TreeDynamics moving(const std::shared_ptr<const Model>& tree) {
  TreeDynamics dynamics(tree);
  TreeState state = dynamics.state();
  if (tree->free) {
    state.root.velocity = Vector3(1.0, 0.5, -0.2);
    state.root.angular_velocity = Vector3(0.4, 1.0, 2.0);
  }
  state.q = test::random_vector(state.q.size(), 0.02, 7);
  state.v = test::random_vector(state.v.size(), 0.5, 3);
  dynamics.set_state(state);
  return dynamics;
}

/// Takes a step that nothing touches.
SolveReport advance(TreeDynamics& dynamics, double h, CoupledStep& step) {
  SolveReport report;
  for (const ElasticEnd elastic : {ElasticEnd::mean, ElasticEnd::implicit, ElasticEnd::rigid}) {
    report = dynamics.begin_coupled(h, step, elastic);
    if (!report.ok()) return report;
    report =
        dynamics.end_coupled(step, step.free, Vector::Zero(step.free.size()), elastic != ElasticEnd::mean);
    if (report.ok()) break;
  }
  return report;
}

class Coupled : public testing::TestWithParam<std::pair<bool, bool>> {
 protected:
  static std::shared_ptr<const Model> tree() {
    return GetParam().first ? bush(GetParam().second) : single(GetParam().second);
  }
};

TEST_P(Coupled, FreeVelocitiesAreThoseOfTheRecursion) {
  // With steps that become shorter the change of velocity is the acceleration that balances the forces.
  TreeDynamics dynamics = moving(tree());
  dynamics.set_gravity({0.3, 1.0, -9.81});
  dynamics.set_damping({0.3, 1e-3});
  TreeDynamics balanced = dynamics;
  ASSERT_TRUE(balanced.balance(1e-6).ok());
  const TreeState& sought = balanced.state();
  CoupledStep step;
  constexpr double h = 1e-7;
  ASSERT_TRUE(dynamics.begin_coupled(h, step).ok());
  const Vector found = (step.free - step.start) / step.kick;
  const Index count = sought.a.size();
  EXPECT_LE((found.head(count) - sought.a).norm(), 1e-4 * sought.a.norm());
  if (!tree()->free) return;
  EXPECT_LE((found.segment<3>(count) - sought.root.acceleration).norm(),
            1e-4 * sought.root.acceleration.norm());
  EXPECT_LE((found.tail<3>() - sought.root.angular_acceleration).norm(),
            1e-4 * sought.root.angular_acceleration.norm());
}

TEST_P(Coupled, GoesWhereOtherStepsGo) {
  TreeDynamics coupled = moving(tree()), other = coupled;
  for (TreeDynamics* dynamics : {&coupled, &other}) dynamics->set_gravity({0.0, 0.0, -9.81});
  CoupledStep step;
  constexpr double h = 1e-4;
  NewmarkOptions newmark;
  newmark.max_iterations = 10;
  double most = 0.0;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(advance(coupled, h, step).ok());
    ASSERT_TRUE(other.step(h, newmark).ok());
    most = std::max(most, other.state().q.norm());
  }
  EXPECT_LE((coupled.state().q - other.state().q).norm(), 0.03 * most);
  EXPECT_LE((coupled.state().root.position - other.state().root.position).norm(), 2e-4);
  EXPECT_LE(coupled.state().root.rotation.angularDistance(other.state().root.rotation), 2e-3);
}

TEST_P(Coupled, GainsNoEnergyAndKeepsMomentum) {
  for (const double h : {1e-4, 1e-3, 5e-3, 1.0 / 60.0}) {
    TreeDynamics dynamics = moving(tree());
    const TreeMomentum start = dynamics.momentum();
    CoupledStep step;
    const double energy = dynamics.kinetic_energy() + dynamics.elastic_energy();
    double most = 0.0;
    int rescued = 0;
    constexpr int steps = 2000;
    for (int i = 0; i < steps; ++i) {
      const SolveReport report = advance(dynamics, h, step);
      ASSERT_TRUE(report.ok()) << h << " " << i;
      rescued += report.rescued ? 1 : 0;
      most = std::max(most, dynamics.kinetic_energy() + dynamics.elastic_energy());
    }
    RecordProperty("most", std::to_string(most / energy));
    RecordProperty("rescued", rescued);
    EXPECT_LE(most, (h < 0.01 ? 1.3 : 1.6) * energy) << h;  // its two kinds are half a step apart
    EXPECT_LE(rescued, steps / 50) << h;
    if (!tree()->free) continue;
    EXPECT_LE((dynamics.momentum().linear - start.linear).norm(), 1e-12 * start.linear.norm());
    EXPECT_LE((dynamics.momentum().angular - start.angular).norm(), 1e-12 * start.angular.norm());
    EXPECT_LE((dynamics.momentum().center - start.center - steps * h * start.linear / start.mass).norm(),
              1e-10);
  }
}

TEST_P(Coupled, RestsWhereForcesBalance) {
  TreeDynamics dynamics(tree());
  dynamics.set_damping({2.0, 1e-3});
  if (!tree()->free) dynamics.set_gravity({0.0, 0.0, -9.81});
  CoupledStep step;
  for (int i = 0; i < 6000; ++i) ASSERT_TRUE(advance(dynamics, 5e-3, step).ok());
  EXPECT_LE(dynamics.state().v.norm(), 1e-9);
  ASSERT_TRUE(dynamics.balance().ok());
  EXPECT_LE(dynamics.state().a.norm(), 1e-6);
}

TEST_P(Coupled, ShorterStepsUnderLoadAreTakenAsTheyAre) {
  // Loads are a surplus of their own where a step is shorter than the one before, however short.
  if (tree()->free) GTEST_SKIP();
  for (const int before : {1, 2, 5}) {
    for (const double part : {0.5, 0.25, 1.0 / 32.0}) {
      TreeDynamics dynamics(tree());
      dynamics.set_gravity({0.0, 0.0, -9.81});
      CoupledStep step;
      const auto take = [&](double h) {
        return dynamics.begin_coupled(h, step).ok() &&
               dynamics.end_coupled(step, step.free, Vector::Zero(step.free.size()), false).ok();
      };
      for (int i = 0; i < before; ++i) ASSERT_TRUE(take(1e-3));
      ASSERT_TRUE(take(part * 1e-3)) << before << " " << part;
      EXPECT_LE((dynamics.state().v - step.free).norm(), 1e-12 * step.free.norm()) << before << " " << part;
    }
  }
}

TEST_P(Coupled, AShapeThatStaysMovesAsAWholeWithItsMomentum) {
  TreeDynamics dynamics = moving(tree());
  CoupledStep step;
  ASSERT_TRUE(advance(dynamics, 1e-3, step).ok());
  const TreeMomentum start = dynamics.momentum();
  const Vector q = dynamics.state().q;
  ASSERT_TRUE(dynamics.begin_coupled(1e-3, step, ElasticEnd::rigid).ok());
  EXPECT_EQ(step.free.head(q.size()).norm(), 0.0);
  const SolveReport report = dynamics.end_coupled(step, step.free, Vector::Zero(step.free.size()));
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report.rescued);
  EXPECT_EQ(dynamics.state().q, q);
  EXPECT_EQ(dynamics.state().v.norm(), 0.0);
  if (!tree()->free) return;
  EXPECT_LE((dynamics.momentum().linear - start.linear).norm(), 1e-12 * start.linear.norm());
  EXPECT_LE((dynamics.momentum().angular - start.angular).norm(), 1e-12 * start.angular.norm());
  Eigen::Matrix<double, 6, 1> whole;
  whole << dynamics.state().root.velocity, dynamics.state().root.angular_velocity;
  EXPECT_LE((step.free.tail<6>() - whole).norm(), 0.02 * whole.norm()) << "it turns in the step";
}

INSTANTIATE_TEST_SUITE_P(Trees, Coupled,
                         testing::Values(std::pair{false, false}, std::pair{false, true},
                                         std::pair{true, false}, std::pair{true, true}));

}  // namespace
}  // namespace limber::coupled_test
