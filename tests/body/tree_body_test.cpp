#include "limber/body/body.hpp"
#include "tests/multidomain/small_trees.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace limber::tree_body_test {
namespace {

using test::contains;
using test::error_text;

constexpr RayleighDamping damping{.mass = 1.0, .stiffness = 0.3};  // the beam swings once in five seconds

Body live_beam() { return Body(test::beam_tree()); }

/// The vertex at the free end, on its upper edge.
int tip_of(const Body& tree) {
  Index tip = 0;
  (Vector3(1.0, 0.1, 0.5).transpose() * tree.surface().mesh().vertices).maxCoeff(&tip);
  return static_cast<int>(tip);
}

void take_steps(Body& tree, int count, double h = 0.01) {
  for (int i = 0; i < count; ++i) ASSERT_TRUE(tree.step(h).ok()) << i;
}

TEST(TreeBody, IsPulledWhereAHandWantsIt) {
  Body tree = live_beam();
  const int tip = tip_of(tree);
  const Vector3 start = tree.position(tip), target = start + Vector3(0.0, 0.0, 0.1);
  const std::array<Spring, 1> springs{{{tip, target, 100.0 * tree.stiffness_at(tip)}}};
  tree.set_damping(damping);
  tree.set_springs(springs);
  take_steps(tree, 500, 0.05);
  const Vector3 reached = tree.position(tip);
  EXPECT_LT((reached - target).norm(), 0.01) << "at " << reached.transpose();
  EXPECT_LT((tree.spring_force(0) - springs[0].stiffness * (target - reached)).norm(),
            1e-9 * springs[0].stiffness);
  tree.set_springs({});
  take_steps(tree, 1000, 0.05);
  EXPECT_LT((tree.position(tip) - start).norm(), 0.01);
}

TEST(TreeBody, YieldsToAForceAsItsStiffnessSays) {
  Body tree = live_beam();
  const int tip = tip_of(tree);
  const double stiffness = tree.stiffness_at(tip);
  double compliance = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3 force = 1e-4 * stiffness * Vector3::Unit(axis);
    tree.reset();
    tree.set_force(tip, Vector3(1.0, 2.0, 3.0));
    tree.set_force(tip, force);  // in its place
    const Vector3 start = tree.position(tip);
    tree.set_damping(damping);
    take_steps(tree, 1000, 0.05);
    compliance += (tree.position(tip) - start)(axis) / (3.0 * force(axis));
  }
  EXPECT_NEAR(compliance * stiffness, 1.0, 0.02);
  tree.set_forces({});
  take_steps(tree, 2000, 0.05);
  EXPECT_LT(tree.energy().elastic + tree.energy().kinetic, 1e-12);
}

TEST(TreeBody, IsPickedWhereItIsNow) {
  Body tree = live_beam();
  const int tip = tip_of(tree);
  const auto above = [&] { return Vector3(tree.position(tip) + Vector3(-1e-3, -1e-3, 5.0)); };
  const Vector3 down(0.0, 0.0, -1.0);
  ASSERT_TRUE(tree.pick(above(), down).has_value());
  EXPECT_EQ(tree.pick(above(), down)->vertex, tip);
  EXPECT_TRUE(tree.pick(above(), down)->hit);
  tree.set_force(tip, {0.0, 0.0, 50.0});
  take_steps(tree, 20);
  EXPECT_NEAR(tree.pick(above(), down)->distance, 5.0, 0.05);
}

TEST(TreeBody, DrawsTheVertexWhereItIs) {
  Body tree = live_beam();
  tree.set_gravity({0.0, 0.0, -1.0});
  take_steps(tree, 30);
  const int tip = tip_of(tree);  // of one domain alone
  Eigen::Matrix3Xf x(3, tree.surface().mesh().vertex_count());
  tree.positions(x);
  EXPECT_LT((x.col(tip).cast<double>() - tree.position(tip)).norm(), 1e-6);
  EXPECT_LT(x(2, tip), tree.surface().mesh().vertices(2, tip) - 1e-4);
}

TEST(TreeBody, KnowsAboutItsLowestFrequency) {
  Body beam = live_beam();
  Body bush(test::reduced(test::twig_parts()));
  for (Body* tree : {&beam, &bush}) {
    const double exact = TreeDynamics(tree->shared_model()).natural_frequencies()(0),
                 found = tree->frequencies()(0);
    EXPECT_GT(found, 0.999 * exact);
    EXPECT_LT(found, 1.1 * exact);
  }
  for (Index d = 0; d < beam.model().domain_count(); ++d) beam.set_stiffness(d, 4.0);
  EXPECT_NEAR(beam.frequencies()(0), 2.0 * live_beam().frequencies()(0), 1e-6);
}

TEST(TreeBody, HasTheSameLowestFrequencyByEveryLaw) {
  Body bush(test::reduced(test::twig_parts()));
  for (const char* law : {"neo-hookean", "arruda-boyce"}) {
    PartTree parts = test::twig_parts();
    for (Part& part : parts.parts) part.materials = {test::material(law)};
    Body other(test::reduced(parts));
    EXPECT_NEAR(other.frequencies()(0) / bush.frequencies()(0), 1.0, 0.02) << law;
    EXPECT_TRUE(other.solve_static().ok()) << law;
  }
}

TEST(TreeBody, RefusesWhatMakesNoSenseAndStaysAsItWas) {
  Body tree = live_beam();
  const int count = static_cast<int>(tree.surface().mesh().vertex_count());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto pull = [&](const Spring& one) { return error_text([&] { tree.set_springs({&one, 1}); }); };
  EXPECT_PRED2(contains, pull({count, Vector3::Zero(), 1.0}), "vertices 0 to");
  EXPECT_PRED2(contains, pull({0, Vector3(nan, 0.0, 0.0), 1.0}), "expected finite numbers");
  EXPECT_PRED2(contains, pull({0, Vector3::Zero(), -1.0}), "at least 0");
  EXPECT_PRED2(contains, error_text([&] { tree.set_force(-1, Vector3::Zero()); }), "vertices 0 to");
  EXPECT_PRED2(contains, error_text([&] { tree.set_force(0, Vector3(nan, 0.0, 0.0)); }), "finite");
  EXPECT_PRED2(contains, error_text([&] { (void)tree.spring_force(0); }), "0 springs");
  take_steps(tree, 3);
  EXPECT_EQ(tree.energy().elastic, 0.0);
}

}  // namespace
}  // namespace limber::tree_body_test
