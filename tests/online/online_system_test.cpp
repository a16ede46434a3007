#include "limber/online/online_system.hpp"

#include "limber/full/dynamics.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace limber::online_system_test {
namespace {

FullModel held_beam() {
  VolumeMesh mesh = make_beam({.size = {1.0, 0.3, 0.2}, .cells = {2, 1, 1}});
  const std::vector<int> fixed = test::vertices_below(mesh, 1e-9);
  return {std::move(mesh), {test::material("stvk")}, fixed};
}

/// The body in the span of `rank` random vectors.
struct Reduced {
  FullModel model = held_beam();
  OnlineBasis basis{model.mass()};
  OnlineForces forces{model, OnlineForces::Kind::polynomial, {}};
  OnlineSystem system;

  Reduced(Index rank, const RayleighDamping& damping) : system(forces, damping) {
    for (std::uint64_t seed = 1; basis.rank() < rank; ++seed)
      basis.add(test::random_vector(model.dof_count(), 0.1, seed), 0.0);
    forces.follow(basis);
    system.resize(rank);
  }
};

using Stiffness = RayleighDamping::Stiffness;

const RayleighDamping dampings[] = {
    {}, {0.5, 0.0, Stiffness::local}, {0.2, 0.05, Stiffness::local}, {0.2, 0.05, Stiffness::linear}};

std::string text_of(const RayleighDamping& damping) {
  return fmt::format("damping {} and {} {}", damping.mass, damping.stiffness,
                     damping.kind == Stiffness::local ? "local" : "linear");
}

TEST(OnlineSystem, InTheWholeSpaceMovesAsTheFullModel) {
  for (const RayleighDamping& damping : dampings) {
    Reduced reduced(24, damping);
    ASSERT_EQ(reduced.model.dof_count(), 24);
    FullSystem full(reduced.model, damping);
    const Vector load = reduced.model.gravity_force({0.3, 0.0, -0.8});
    const Vector v = test::random_vector(24, 0.1, 70);
    DynamicState a{0.0, Vector::Zero(24), v, Vector::Zero(24)};
    DynamicState b{0.0, Vector::Zero(24), reduced.basis.coordinates(v), Vector::Zero(24)};
    NewmarkWorkspace full_work, work;
    const NewmarkOptions options{.tolerance = 1e-11};
    for (int i = 0; i < 12; ++i) {
      ASSERT_TRUE(newmark_step(full, 0.05, load, a, full_work, options).ok());
      ASSERT_TRUE(newmark_step(reduced.system, 0.05, reduced.basis.force(load), b, work, options).ok());
    }
    EXPECT_LT((reduced.basis.vector(b.u) - a.u).norm(), 1e-8 * a.u.norm()) << text_of(damping);
    EXPECT_LT((reduced.basis.vector(b.v) - a.v).norm(), 1e-8 * a.v.norm()) << text_of(damping);
    EXPECT_GT(a.u.norm(), 0.1) << "hardly moves: nothing is tested";
  }
}

TEST(OnlineSystem, DampsAsTheProjectedFullModelDoes) {
  for (const RayleighDamping& damping : dampings) {
    Reduced reduced(5, damping);
    FullSystem full(reduced.model, damping);
    const Vector q = test::random_vector(5, 1.0, 8), x = test::random_vector(5, 1.0, 9);
    reduced.system.evaluate(q);
    full.evaluate(reduced.basis.vector(q));
    Vector y, full_y;
    reduced.system.multiply_damping(x, y);
    full.multiply_damping(reduced.basis.vector(x), full_y);
    EXPECT_LT((y - reduced.basis.force(full_y)).norm(), 1e-11 * y.norm() + 1e-300) << text_of(damping);
  }
}

TEST(OnlineSystem, HasTheDerivativeOfItsEnergyForForce) {
  Reduced reduced(5, {});
  const Vector q = test::random_vector(5, 1.0, 8), w = test::random_vector(5, 1.0, 9);
  reduced.system.evaluate(q);
  const double energy = reduced.system.elastic_energy(), slope = reduced.system.force().dot(w);
  const auto remainder = [&](double t) {
    reduced.system.evaluate(q + t * w);
    return std::abs(reduced.system.elastic_energy() - energy - t * slope);
  };
  EXPECT_NEAR(test::remainder_slope(remainder, energy), 2.0, 0.1);
}

TEST(OnlineSystem, FactorsTheDerivativeOfItsForces) {
  const double mass = 1e4, along = 30.0, stiffness = 1.0;
  for (const RayleighDamping& damping : dampings) {
    Reduced reduced(5, damping);
    OnlineSystem& system = reduced.system;
    const Vector q = test::random_vector(5, 1.0, 8), v = test::random_vector(5, 3.0, 9);
    const Vector b = test::random_vector(5, 1.0, 10);
    system.evaluate(q);
    ASSERT_TRUE(system.factor(mass, along, stiffness, v).ok());
    Vector x, Dx;
    ASSERT_TRUE(system.solve(b, x).ok());
    system.evaluate(q);
    system.multiply_damping(x, Dx);
    // f(q) + D(q) v, to either side.
    const double h = 1e-4 / x.norm();
    Vector sum = Vector::Zero(5), Dv;
    for (const double side : {1.0, -1.0}) {
      system.evaluate(q + side * h * x);
      system.multiply_damping(v, Dv);
      sum += side * (system.force() + Dv) / (2.0 * h);
    }
    const Vector product = mass * x + along * Dx + stiffness * sum;
    EXPECT_LT((product - b).norm(), 1e-4 * b.norm()) << text_of(damping);
  }
}

TEST(OnlineSystem, OfNoVectorsYetCanBeMade) {
  for (const RayleighDamping& damping : dampings) {
    Reduced reduced(0, damping);
    EXPECT_EQ(reduced.system.size(), 0);
  }
}

}  // namespace
}  // namespace limber::online_system_test
