#include "limber/multidomain/tree_dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/reduced/reduced_dynamics.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace limber::tree_dynamics_test {
namespace {

/// A point of a domain far from where it is held.
TreePoint tip_of(const Model& tree, Index domain) {
  const SimulationMesh& simulation = *tree.part(domain).model.simulation;
  Index tip = 0;
  (simulation.mesh.vertices.colwise() -
   simulation.mesh.vertices.col(simulation.fixed.empty() ? 0 : simulation.fixed[0]))
      .colwise()
      .norm()
      .maxCoeff(&tip);
  return {domain, simulation.mesh.vertices.col(tip), simulation.basis.middleRows<3>(3 * tip)};
}

TEST(TreeDynamics, OneDomainIsTheReducedBody) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, 4, 1, 1);
  const Decomposition whole{std::vector<int>(static_cast<std::size_t>(mesh.element_count()), 0), {"all"}};
  const auto tree = test::reduced(make_parts(test::held_body(mesh), whole), 10);
  const Vector3 gravity(0.0, -3.0, -9.81), pull(40.0, 0.0, 90.0);
  const RayleighDamping damping{0.3, 0.004};
  const TreePoint tip = tip_of(*tree, 0);

  TreeDynamics dynamics(tree);
  dynamics.set_gravity(gravity);
  dynamics.set_damping(damping);
  dynamics.set_forces({{{tip, pull}}});
  const Vector3 target = dynamics.position(tip) + Vector3(0.1, 0.2, 0.0);
  dynamics.set_springs({{{tip, target, 3e4}}});
  ASSERT_TRUE(dynamics.balance().ok());

  const ReducedEquations equations = make_equations(tree->parts[0].model);
  ReducedWorkspace work{ReducedSystem(equations, damping)};
  work.system.set_springs({{tip.rows, target - tip.place - tree->domains[0].position, 3e4}});
  const Vector load = equations.weight * gravity + tip.rows.transpose() * pull;
  DynamicState state = make_reduced_state(equations.rank);
  ASSERT_TRUE(balance(work, load, state).ok());
  EXPECT_LE((dynamics.state().a - state.a).norm(), 1e-9 * state.a.norm());
  const NewmarkOptions bare{.max_iterations = 1, .guarded = false};
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(dynamics.step(0.01, bare).ok());
    ASSERT_TRUE(step(work, 0.01, load, state, {.newmark = bare}).ok());
  }
  EXPECT_GT(state.u.norm(), 1.0);
  EXPECT_LE((dynamics.state().q - state.u).norm(), 1e-9 * state.u.norm());
  EXPECT_LE((dynamics.state().v - state.v).norm(), 1e-8 * state.v.norm());
}

/// Elastic, kinetic and potential energy.
double energy(const TreeDynamics& dynamics, const Vector3& gravity) {
  const TreeMomentum momentum = dynamics.momentum();
  return dynamics.elastic_energy() + dynamics.kinetic_energy() - momentum.mass * gravity.dot(momentum.center);
}

/// Largest change of the energy of a tree that falls from rest, over the largest kinetic energy.
double energy_drift(const std::shared_ptr<const Model>& tree, double h, int iterations) {
  const Vector3 gravity(0.0, 0.0, -1.5);
  TreeDynamics dynamics(tree);
  dynamics.set_gravity(gravity);
  EXPECT_TRUE(dynamics.balance().ok());
  const double start = energy(dynamics, gravity);
  double worst = 0.0, kinetic = 0.0;
  for (double t = 0.0; t < 1.0; t += h) {
    EXPECT_TRUE(dynamics.step(h, {.max_iterations = iterations}).ok());
    worst = std::max(worst, std::abs(energy(dynamics, gravity) - start));
    kinetic = std::max(kinetic, dynamics.kinetic_energy());
  }
  return worst / kinetic;
}

TEST(TreeDynamics, FullInertiaConservesEnergy) {
  // Exact equations of motion: with steps that are solved to the end the error is that of Newmark, of second
  // order.
  const auto tree = test::reduced(test::twig_parts());
  const double coarse = energy_drift(tree, 4e-3, 20), fine = energy_drift(tree, 2e-3, 20);
  EXPECT_LE(coarse, 2e-3);
  EXPECT_GT(coarse / fine, 3.0);
  // One linearised step is of first order in what velocities do.
  EXPECT_LE(energy_drift(tree, 2e-3, 1), 0.05);
}

TEST(TreeDynamics, FrequenciesComeNearThoseOfTheWholeBody) {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(3.0, 0.3, 0.3), Eigen::Vector3i(30, 3, 3)});
  Decomposition cut{{}, {"a", "b", "c"}};
  for (Index e = 0; e < mesh.element_count(); ++e)
    cut.domain.push_back(static_cast<int>(test::element_center(mesh, e).x()));
  const DecomposedBody body = test::held_body(mesh);
  const FullModel full(mesh, body.materials, body.fixed, {MassKind::consistent, Executor(1)});
  const double exact = compute_linear_modes(full, 1).frequencies_hz(0);
  TreeDynamics dynamics(test::reduced(make_parts(body, cut), 14));
  const auto lowest = [&](SubtreeInertia inertia) {
    dynamics.set_inertia(inertia);
    return dynamics.natural_frequencies()(0);
  };
  EXPECT_NEAR(lowest(SubtreeInertia::full), exact, 0.1 * exact);
  EXPECT_GT(lowest(SubtreeInertia::center), 1.15 * exact);
  EXPECT_GT(lowest(SubtreeInertia::interface), 1.5 * lowest(SubtreeInertia::center));
}

TEST(TreeDynamics, LumpingAtTheInterfaceAddsAPointMass) {
  const auto tree = test::beam_tree();
  TreeDynamics dynamics(tree);
  dynamics.set_inertia(SubtreeInertia::interface);
  const Vector found = dynamics.natural_frequencies();
  // Each domain by itself, with the mass of what it carries at the interface. [Barbic & Zhao 2011, Eq. 16]
  std::vector<double> expected;
  for (std::size_t d = 0; d < 3; ++d) {
    const ReducedPart& part = tree->part(static_cast<Index>(d));
    ReducedEquations equations = make_equations(part.model);
    if (d < 2) {
      const Matrix3X& a = part.ports[0].center_rows;
      equations.mass += (2.0 - static_cast<double>(d)) * 900.0 * a.transpose() * a;
    }
    const Vector own = natural_frequencies(equations);
    expected.insert(expected.end(), own.begin(), own.end());
  }
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(found.size(), static_cast<Index>(expected.size()));
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found(i), expected[static_cast<std::size_t>(i)], 1e-6 * found(i)) << i;
}

TEST(TreeDynamics, ATwiceAsLargeTreeIsTwiceAsSlow) {
  Model large = *test::beam_tree();
  for (Domain& domain : large.domains) {
    domain.scale *= 2.0;
    domain.position *= 2.0;
  }
  const Vector frequencies = TreeDynamics(test::beam_tree()).natural_frequencies();
  const Vector slower = TreeDynamics(std::make_shared<const Model>(large)).natural_frequencies();
  EXPECT_LE((2.0 * slower - frequencies).norm(), 1e-8 * frequencies.norm());
}

TEST(TreeDynamics, StiffnessScalesFrequenciesByItsRoot) {
  TreeDynamics dynamics(test::beam_tree());
  const Vector frequencies = dynamics.natural_frequencies();
  for (Index d = 0; d < 3; ++d) dynamics.set_stiffness(d, 4.0);
  EXPECT_LE((dynamics.natural_frequencies() - 2.0 * frequencies).norm(), 1e-8 * frequencies.norm());
  EXPECT_EQ(dynamics.stiffness(1), 4.0);
  EXPECT_THROW(dynamics.set_stiffness(1, 0.0), Error);
  EXPECT_THROW(dynamics.set_stiffness(3, 1.0), Error);
}

TEST(TreeDynamics, ATurnedTreeMovesTheSameWay) {
  const Matrix3 R = test::some_rotation();
  Model turned = *test::reduced(test::twig_parts());
  for (Domain& domain : turned.domains) {
    domain.position = R * domain.position;
    domain.rotation = Eigen::Quaterniond(R) * domain.rotation;
  }
  TreeDynamics one(test::reduced(test::twig_parts())), other(std::make_shared<const Model>(turned));
  const Vector3 gravity(0.0, 1.0, -2.0);
  one.set_gravity(gravity);
  other.set_gravity(R * gravity);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(one.step(5e-3).ok());
    ASSERT_TRUE(other.step(5e-3).ok());
  }
  EXPECT_LE((one.state().q - other.state().q).norm(), 1e-8 * one.state().q.norm());
  EXPECT_LE((R * one.frame(3).position - other.frame(3).position).norm(), 1e-9);
}

class Levels : public testing::TestWithParam<SubtreeInertia> {};

TEST(TreeDynamics, LumpingAtTheCenterKeepsTheEquilibrium) {
  // Whatever stands for inertia, loads are passed up the tree. (Lumping at the interface passes on forces,
  // not their torque about it.)
  const auto tree = test::beam_tree();
  const auto settle = [&](SubtreeInertia inertia) {
    TreeDynamics dynamics(tree);
    dynamics.set_inertia(inertia);
    dynamics.set_damping({1.5, 0.02});
    dynamics.set_gravity({0.0, 0.0, -0.2});
    dynamics.set_forces({{{tip_of(*tree, 2), Vector3(0.0, 60.0, 0.0)}}});
    for (int i = 0; i < 2000; ++i) EXPECT_TRUE(dynamics.step(0.02).ok());
    EXPECT_LE(dynamics.state().v.norm(), 1e-4 * dynamics.state().q.norm());
    return dynamics.state().q;
  };
  const Vector exact = settle(SubtreeInertia::full);
  EXPECT_LE((settle(SubtreeInertia::center) - exact).norm(), 1e-6 * exact.norm());
  EXPECT_GT((settle(SubtreeInertia::interface) - exact).norm(), 0.05 * exact.norm());
}

TEST_P(Levels, StiffSpringsHoldAPointAtAnyTimeStep) {
  const auto tree = test::reduced(test::twig_parts());
  const TreePoint tip = tip_of(*tree, 3);
  TreeDynamics dynamics(tree);
  dynamics.set_inertia(GetParam());
  dynamics.set_damping({2.0, 0.01});
  const Vector3 target = dynamics.position(tip) + Vector3(0.05, 0.1, 0.1);
  dynamics.set_springs({{{tip, target, 1e3 * dynamics.stiffness_at(tip)}}});
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(dynamics.step(0.02).ok()) << i;
  EXPECT_LE((dynamics.position(tip) - target).norm(), 0.02);
  EXPECT_GT(dynamics.spring_force(0).norm(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Inertia, Levels,
                         testing::Values(SubtreeInertia::interface, SubtreeInertia::center,
                                         SubtreeInertia::full));

TEST(TreeDynamics, StiffnessAtAPointIsThatOfItsStatics) {
  const auto tree = test::beam_tree();
  const TreePoint tip = tip_of(*tree, 2);
  TreeDynamics dynamics(tree);
  dynamics.set_damping({1.5, 0.02});
  const Vector3 rest = dynamics.position(tip);
  const double stiffness = dynamics.stiffness_at(tip), force = 1e-4 * stiffness;
  double compliance = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    dynamics.reset();
    dynamics.set_forces({{{tip, force * Vector3::Unit(axis)}}});
    for (int i = 0; i < 1500; ++i) ASSERT_TRUE(dynamics.step(0.02).ok());
    compliance += (dynamics.position(tip) - rest)(axis) / (3.0 * force);
  }
  EXPECT_NEAR(compliance * stiffness, 1.0, 1e-3);
}

TEST(TreeDynamics, AStateReadBackGoesOnWithTheSameBits) {
  const auto tree = test::reduced(test::twig_parts());
  TreeDynamics one(tree), other(tree);
  for (TreeDynamics* dynamics : {&one, &other}) dynamics->set_gravity({0.0, 0.5, -2.0});
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(one.step(5e-3).ok());
  StateWriter out;
  one.save(out);
  StateReader in(out.bytes(), "test");
  other.restore(in);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(one.step(5e-3).ok());
    ASSERT_TRUE(other.step(5e-3).ok());
  }
  EXPECT_EQ(one.state().q, other.state().q);
  EXPECT_EQ(one.frame(2).position, other.frame(2).position);
}

TEST(TreeDynamics, AStepThatFailsChangesNothing) {
  const auto tree = test::beam_tree();
  TreeDynamics dynamics(tree), twin(tree);
  const TreePoint tip = tip_of(*tree, 2);
  for (TreeDynamics* one : {&dynamics, &twin}) {
    one->set_gravity({0.0, 0.0, -1.0});
    one->set_damping({1.0, 0.01});
    one->set_springs({{{tip, one->position(tip) + Vector3(0.0, 0.1, 0.0), one->stiffness_at(tip)}}});
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(one->step(5e-3).ok());
  }
  dynamics.set_gravity({0.0, 0.0, -1e308});
  EXPECT_FALSE(dynamics.step(100.0).ok());
  EXPECT_EQ(dynamics.state().q, twin.state().q);
  EXPECT_EQ(dynamics.state().time, twin.state().time);
  dynamics.set_gravity({0.0, 0.0, -1.0});
  for (TreeDynamics* one : {&dynamics, &twin}) ASSERT_TRUE(one->step(5e-3).ok());
  EXPECT_EQ(dynamics.state().q, twin.state().q);
  EXPECT_THROW((void)dynamics.step(0.0), Error);
}

TEST(TreeDynamics, AFirstStepThatFailsIsForgotten) {
  TreeDynamics dynamics(test::beam_tree());
  dynamics.set_gravity({0.0, 0.0, -1e308});
  EXPECT_FALSE(dynamics.step(100.0).ok());
  dynamics.set_gravity({0.0, 0.0, -1.0});
  EXPECT_TRUE(dynamics.step(5e-3).ok());
}

TEST(TreeDynamics, AStateSavedBeforeTheFirstStepIsStillToBeBalanced) {
  const auto tree = test::beam_tree();
  TreeDynamics one(tree), other(tree);
  for (TreeDynamics* dynamics : {&one, &other}) dynamics->set_gravity({0.0, 0.0, -1.0});
  StateWriter out;
  one.save(out);
  StateReader in(out.bytes(), "test");
  other.restore(in);
  for (TreeDynamics* dynamics : {&one, &other}) ASSERT_TRUE(dynamics->step(5e-3).ok());
  EXPECT_EQ(one.state().q, other.state().q);
}

TEST(TreeDynamics, DampingIsTheSameForAllLengthsOfSteps) {
  const auto tree = test::reduced(test::twig_parts());
  const auto end = [&](double h, int iterations) {
    TreeDynamics dynamics(tree);
    dynamics.set_gravity({0.0, 0.5, -1.5});
    dynamics.set_damping({3.0, 2e-3});
    for (int i = 0; i < std::lround(0.4 / h); ++i)
      EXPECT_TRUE(dynamics.step(h, {.max_iterations = iterations}).ok());
    return dynamics.state().q;
  };
  const Vector exact = end(2.5e-4, 20);
  EXPECT_LE((end(2e-3, 20) - exact).norm(), 2e-3 * exact.norm());
  EXPECT_LE((end(2e-3, 1) - exact).norm(), 0.03 * exact.norm());
}

TEST(TreeDynamics, ManyOfAKindMoveAsEachByItself) {
  // Forces of domains of one part are computed some at a time: here as many as fill two such groups and a
  // part of a third.
  PartTree parts = test::twig_parts();
  for (int i = 4; i < 39; ++i) {
    Placement twig = parts.placements[static_cast<std::size_t>(1 + i % 3)];
    twig.name = fmt::format("child {}", i);
    twig.scale *= 1.0 + 0.01 * i;
    parts.placements.push_back(twig);
  }
  const auto together = test::reduced(parts);
  Model apart = *together;
  apart.parts.clear();
  for (Domain& domain : apart.domains) {
    apart.parts.push_back(together->parts[static_cast<std::size_t>(domain.part)]);
    domain.part = static_cast<int>(apart.parts.size()) - 1;
  }
  TreeDynamics one(together), other(std::make_shared<const Model>(apart));
  for (TreeDynamics* dynamics : {&one, &other}) {
    dynamics->set_gravity({0.0, 0.5, -2.0});
    for (int i = 0; i < 60; ++i) ASSERT_TRUE(dynamics->step(5e-3).ok());
  }
  EXPECT_GT(one.state().q.norm(), 0.1);
  EXPECT_LE((one.state().q - other.state().q).norm(), 1e-9 * one.state().q.norm());
}

TEST(TreeDynamics, GapsAreZeroAtRestAndSmallInMotion) {
  TreeDynamics dynamics(test::beam_tree());
  EXPECT_LE(dynamics.largest_gap().share, 1e-14);
  dynamics.set_gravity({0.0, 0.0, -0.5});
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(dynamics.step(5e-3).ok());
  EXPECT_GT(dynamics.largest_gap().share, 1e-6);
  EXPECT_LE(dynamics.largest_gap().share, 0.1);
}

TEST(TreeDynamics, CorotationalDomainsAreSolvedUnderTheSmallestLoads) {
  // Their stresses are taken at I + grad u, where I is rounded.
  PartTree parts = test::twig_parts();
  for (Part& part : parts.parts) part.materials = {test::material("corotational")};
  TreeDynamics dynamics(test::reduced(parts));
  for (const double load : {1e-9, 1e-6, 1e-3}) {
    dynamics.reset();
    dynamics.set_gravity({0.0, 0.0, -load});
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(dynamics.step(0.01, {}).ok()) << load << " m/s^2, step " << i;
    EXPECT_GT(dynamics.state().q.norm(), 0.0);
  }
}

TEST(TreeDynamics, WindBlowsAlong) {
  TreeDynamics dynamics(test::reduced(test::twig_parts()));
  const TreePoint tip = tip_of(dynamics.tree(), 0);
  dynamics.set_damping({1.0, 0.01});
  dynamics.set_wind({.velocity = Vector3(0.0, 30.0, 0.0)});
  const double before = dynamics.position(tip).y();
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(dynamics.step(0.01).ok());
  EXPECT_GT(dynamics.position(tip).y(), before + 1e-3);
}

TEST(CheckTree, RefusesWhatDoesNotFit) {
  const Model tree = *test::beam_tree();
  const auto refused = [&](auto change) {
    Model damaged = tree;
    change(damaged);
    EXPECT_THROW(check_model(damaged, "test"), Error);
  };
  EXPECT_NO_THROW(check_model(tree, "test"));
  refused([](Model& t) { t.domains.clear(); });
  refused([](Model& t) { t.domains[1].part = 7; });
  refused([](Model& t) { t.domains[1].parent = 2; });
  refused([](Model& t) { t.domains[0].parent = 0; });
  refused([](Model& t) { t.domains[1].port = 1; });
  refused([](Model& t) { t.domains[1].scale = 0.0; });
  refused([](Model& t) { t.domains[1].rotation.w() = 2.0; });
  refused([](Model& t) { t.domains[1].name = t.domains[2].name; });
  refused([](Model& t) { t.domains[1].vertices.clear(); });
  refused([](Model& t) { t.domains[1].vertices[0] = 1 << 30; });
  refused([](Model& t) { t.parts[0].model.regions[0].volume = -1.0; });
  refused([](Model& t) { t.parts[0].model.regions[0].moments.second_pairs.conservativeResize(9, 1); });
  refused([](Model& t) { t.parts[0].model.regions[0].moments.second(0, 1) = 1.0; });
  refused([](Model& t) { t.parts[0].ports[0].weights *= 2.0; });
  refused([](Model& t) { t.parts[0].ports[0].covariance.setZero(); });
  refused([](Model& t) { t.parts[0].ports[0].center.x() = std::numeric_limits<double>::quiet_NaN(); });
}

}  // namespace
}  // namespace limber::tree_dynamics_test
