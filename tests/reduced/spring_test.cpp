#include "tests/reduced/allocations.hpp"
#include "tests/reduced/points.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber::spring_test {
namespace {

using test::error_text;
using test::iterate;
using test::matrix_free;
using test::random_vector;
using test::Swing;
using Kind = RayleighDamping::Stiffness;

ReducedSpring some_spring(Index rank, double stiffness, std::uint64_t seed = 1) {
  return {random_vector(3 * rank, 1.0, seed).reshaped(3, rank), random_vector(3, 0.2, seed + 1), stiffness};
}

std::vector<ReducedSpring> two_springs(double stiffness = 2.0) {
  return {some_spring(6, stiffness, 11), some_spring(6, 0.3 * stiffness, 21)};
}

Vector force_of(const std::vector<ReducedSpring>& springs, const Vector& q) {
  Vector sum = Vector::Zero(q.size());
  for (const auto& [B, d, k] : springs) sum += k * B.transpose() * (B * q - d);
  return sum;
}
Matrix stiffness_of(const std::vector<ReducedSpring>& springs) {
  Matrix sum = Matrix::Zero(6, 6);
  for (const auto& [B, d, k] : springs) sum += k * B.transpose() * B;
  return sum;
}

/// Polynomial, cubature, and cubature whose forces have no potential.
std::vector<Swing> swings(const RayleighDamping& damping = {}) {
  std::vector<Swing> all{Swing(), test::swing_of_points(), test::swing_of_points(0.2)};
  for (Swing& swing : all) swing.damping = damping;
  return all;
}

TEST(Springs, AddToEnergyForceAndStiffness) {
  const Swing swing;
  const test::Evaluation body = test::evaluate(swing.equations, swing.start);
  double energy = body.energy;
  for (const auto& [B, d, k] : two_springs()) energy += 0.5 * k * (B * swing.start - d).squaredNorm();
  ReducedSystem system(swing.equations);
  system.set_springs(two_springs());
  system.evaluate(swing.start);
  EXPECT_NEAR(system.elastic_energy(), energy, 1e-14 * energy);
  EXPECT_LT((system.force() - body.force - force_of(two_springs(), swing.start)).norm(), 1e-13);
  EXPECT_LT((system.stiffness() - body.stiffness - stiffness_of(two_springs())).norm(), 1e-13);
}

TEST(Springs, HaveAForceThatIsTheSlopeOfTheEnergyAndAStiffnessThatIsTheSlopeOfTheForce) {
  const Swing swing;
  ReducedSystem system(swing.equations);
  system.set_springs(two_springs());
  system.evaluate(swing.start);
  const Vector direction = random_vector(6, 1.0, 5), force = system.force();
  const Matrix stiffness = system.stiffness();
  const double energy = system.elastic_energy();
  const double of_energy = test::remainder_slope(
      [&](double h) {
        system.evaluate(swing.start + h * direction);
        return std::abs(system.elastic_energy() - energy - h * force.dot(direction));
      },
      energy);
  const double of_force = test::remainder_slope(
      [&](double h) {
        system.evaluate(swing.start + h * direction);
        return (system.force() - force - h * stiffness * direction).norm();
      },
      force.norm());
  EXPECT_NEAR(of_energy, 2.0, 0.1);
  EXPECT_NEAR(of_force, 2.0, 0.1);
}

TEST(Springs, AreInTheProductsOfBothSolvers) {
  const Vector x = random_vector(6, 1.0, 3);
  for (const Swing& swing : swings()) {
    for (const double k : {2.0, 1e9}) {
      const Vector of_body = test::evaluate(swing.equations, swing.start).stiffness * x,
                   expected = of_body + stiffness_of(two_springs(k)) * x;
      for (const ReducedSolver solver : {ReducedSolver::direct, ReducedSolver::conjugate_gradient}) {
        ReducedSystem system(swing.equations);
        system.solver = solver;
        system.set_springs(two_springs(k));
        system.evaluate(swing.start);
        Vector y, z;
        system.multiply_stiffness(x, y);
        system.multiply_force_derivative(x, z);
        if (swing.equations.elastic.conservative()) {
          EXPECT_LT((y - expected).norm(), 1e-5 * of_body.norm() + 1e-13 * expected.norm());
          EXPECT_LT((z - expected).norm(), 1e-5 * of_body.norm() + 1e-13 * expected.norm());
        } else {  // K is the symmetric part of df/dq
          EXPECT_NEAR(x.dot(y), x.dot(expected), 1e-5 * of_body.norm() + 1e-13 * expected.norm());
          EXPECT_NEAR(x.dot(z), x.dot(expected), 1e-5 * of_body.norm() + 1e-13 * expected.norm());
        }
      }
    }
  }
}

TEST(Springs, AreNotDamped) {
  const Vector x = random_vector(6, 1.0, 3);
  for (const Kind kind : {Kind::local, Kind::linear}) {
    for (const Swing& swing : swings({0.3, 0.2, kind})) {
      for (const ReducedSolver solver : {ReducedSolver::direct, ReducedSolver::conjugate_gradient}) {
        ReducedSystem system(swing.equations, swing.damping);
        system.solver = solver;
        Vector without, with;
        system.evaluate(swing.start);
        system.multiply_damping(x, without);
        system.set_springs(two_springs(1e9));
        system.evaluate(swing.start);
        system.multiply_damping(x, with);
        EXPECT_EQ(with, without);
      }
    }
  }
}

TEST(Springs, AreInTheMatrixThatIsFactored) {
  for (const Kind kind : {Kind::local, Kind::linear}) {
    const Swing swing{.damping = {0.3, 0.2, kind}, .start = random_vector(6, 0.2, 2)};
    const Matrix K = test::evaluate(swing.equations, swing.start).stiffness,
                 K0 = test::evaluate(swing.equations, Vector::Zero(6)).stiffness, &M = swing.equations.mass;
    const Matrix A = 7.0 * M + 3.0 * (0.3 * M + 0.2 * (kind == Kind::local ? K : K0)) + 1.5 * K +
                     stiffness_of(two_springs());
    for (const ReducedSolver solver : {ReducedSolver::direct, ReducedSolver::conjugate_gradient}) {
      ReducedSystem system(swing.equations, swing.damping);
      system.solver = solver;
      system.conjugate_gradient_options.tolerance = 1e-8;
      system.set_springs(two_springs());
      system.evaluate(swing.start);
      ASSERT_TRUE(system.factor(7.0, 3.0, 1.5, Vector::Zero(6)).ok());
      const Vector b = random_vector(6, 1.0, 4);
      Vector x;
      ASSERT_TRUE(system.solve(b, x).ok());
      EXPECT_LT((A * x - b).norm(), (solver == ReducedSolver::direct ? 1e-12 : 1e-5) * b.norm());
    }
  }
}

TEST(Springs, HoldTheVertexHoweverStiffAndHoweverLongTheStep) {
  for (const Swing& swing : swings({0.5, 0.05})) {
    const double stiffness = 1e9 * test::evaluate(swing.equations, Vector::Zero(6)).stiffness.norm();
    const ReducedSpring spring = some_spring(6, stiffness);
    for (const double h : {0.1, 1.0, 100.0}) {
      for (const ReducedStepOptions& options : {ReducedStepOptions{}, matrix_free()}) {
        ReducedWorkspace work = swing.workspace();
        work.system.set_springs({spring});
        DynamicState state = make_reduced_state(6);
        for (int i = 0; i < 200; ++i) {
          ASSERT_TRUE(step(work, h, Vector::Zero(6), state, options).ok());
          // The jump leaves a vibration of 2 / (omega h) of it, which Newmark's rule neither damps nor feeds.
          ASSERT_LT((spring.rows * state.u - spring.anchor).norm(),
                    1e-3 * std::max(1.0, 1.0 / h) * spring.anchor.norm())
              << "step " << i << ", h " << h;
          ASSERT_LT(state.u.norm(), 2.0) << "step " << i << ", h " << h;
        }
      }
    }
  }
}

/// Two springs that begin nearly slack: what pulls strongly from afar sets off motions that no step resolves.
std::vector<ReducedSpring> springs_near(const Vector& q, double stiffness) {
  std::vector<ReducedSpring> springs = two_springs(stiffness);
  for (ReducedSpring& spring : springs) spring.anchor = spring.rows * q + 0.1 * spring.anchor;
  return springs;
}

TEST(Springs, MoveTheBodyAlikeForBothSolvers) {
  for (const Kind kind : {Kind::local, Kind::linear}) {
    for (const Swing& swing : swings({0.1, 0.05, kind})) {
      // Solvers differ in the local damping of forces without a potential.
      if (kind == Kind::local && !swing.equations.elastic.conservative()) continue;
      for (const double k : {2.0, 1e4}) {
        ReducedWorkspace direct = swing.workspace(), free = swing.workspace();
        DynamicState a = swing.at_start(direct), b = a;
        for (ReducedWorkspace* work : {&direct, &free}) work->system.set_springs(springs_near(a.u, k));
        ReducedStepOptions options = iterate(60, 1e-11);
        options.max_halvings = 0;
        for (int i = 0; i < 20; ++i) {
          ASSERT_TRUE(step(direct, 0.05, swing.load, a, options).ok()) << "step " << i;
          ASSERT_TRUE(step(free, 0.05, swing.load, b, matrix_free(options)).ok()) << "step " << i;
        }
        EXPECT_LT((a.u - b.u).norm(), 1e-6 * a.u.norm()) << "stiffness " << k;
      }
    }
  }
}

TEST(Springs, ConserveTheEnergyOfBodyAndSpringTogether) {
  for (const Swing& swing : {Swing(), test::swing_of_points()}) {
    std::vector<double> drifts;
    for (const double h : {0.02, 0.01}) {
      ReducedWorkspace work = swing.workspace();
      work.system.set_springs(two_springs());
      DynamicState state = swing.at_start(work);
      const double start = total_energy(work, state);
      double drift = 0.0;
      for (int i = 0; i < static_cast<int>(std::lround(2.0 / h)); ++i) {
        ASSERT_TRUE(step(work, h, swing.load, state, iterate()).ok());
        drift = std::max(drift, std::abs(total_energy(work, state) - start) / start);
      }
      drifts.push_back(drift);
    }
    EXPECT_LT(drifts[0], 0.02);
    EXPECT_LT(drifts[1], 0.3 * drifts[0]);  // of second order
  }
}

TEST(Springs, BalanceTheBodyInStaticEquilibrium) {
  const Vector load = random_vector(6, 0.05, 7);
  for (const Swing& swing : swings()) {
    for (const double k : {0.5, 1e6}) {
      for (const ReducedSolver solver : {ReducedSolver::direct, ReducedSolver::conjugate_gradient}) {
        ReducedSystem system(swing.equations);
        system.solver = solver;
        system.set_springs(two_springs(k));
        Vector q = Vector::Zero(6);
        ASSERT_TRUE(solve_static(system, load, q).ok()) << "stiffness " << k;
        const Vector of_springs = force_of(two_springs(k), q);
        EXPECT_LT((test::evaluate(swing.equations, q).force + of_springs - load).norm(),
                  1e-8 * of_springs.norm());
      }
    }
  }
}

TEST(Springs, ThatChangeActLikeThoseOfAFreshSystem) {
  const Swing swing = test::swing_of_points();
  std::vector<ReducedSpring> moved = two_springs(), stiffer = two_springs(50.0);
  moved[0].anchor.array() += 0.1;
  for (const ReducedStepOptions& options : {ReducedStepOptions{}, matrix_free()}) {
    ReducedWorkspace used = swing.workspace();
    used.system.set_springs(two_springs());
    DynamicState start = swing.at_start(used);
    ASSERT_TRUE(step(used, 0.05, swing.load, start, options).ok());
    for (const std::vector<ReducedSpring>& springs : {moved, stiffer, {}}) {
      ReducedWorkspace fresh = swing.workspace();
      fresh.system.set_springs(springs);
      used.system.set_springs(springs);
      DynamicState a = start, b = start;
      ASSERT_TRUE(step(used, 0.05, swing.load, a, options).ok());
      ASSERT_TRUE(step(fresh, 0.05, swing.load, b, options).ok());
      EXPECT_TRUE(test::same_state(a, b)) << springs.size() << " springs";
    }
  }
}

TEST(Springs, AreCurrentWithoutAnotherEvaluation) {
  const Swing swing;
  ReducedSystem system(swing.equations);
  system.evaluate(swing.start);
  const Vector force = system.force();
  const double energy = system.elastic_energy();
  system.set_springs(two_springs());
  EXPECT_LT((system.force() - force - force_of(two_springs(), swing.start)).norm(), 1e-13);
  system.set_springs({});
  EXPECT_EQ(system.force(), force);
  EXPECT_EQ(system.elastic_energy(), energy);
}

TEST(Springs, AreDroppedWithTheEquations) {
  const Swing swing;
  ReducedSystem system(swing.equations);
  system.set_springs(two_springs());
  system.set_equations(swing.equations);
  system.evaluate(swing.start);
  EXPECT_EQ(system.force(), test::evaluate(swing.equations, swing.start).force);
}

TEST(Springs, ThatAreImpossibleAreRefusedAndTheOldOnesKept) {
  const Swing swing;
  ReducedSystem system(swing.equations);
  system.set_springs(two_springs());
  system.evaluate(swing.start);
  const Vector force = system.force();
  const auto refusal = [&](const ReducedSpring& bad) {
    return error_text([&] { system.set_springs({some_spring(6, 1.0), bad}); });
  };
  EXPECT_EQ(refusal(some_spring(5, 1.0)), "spring 1 has 5 columns, the reduced equations need 6");
  EXPECT_EQ(refusal(some_spring(6, -1.0)),
            "the stiffness of spring 1 is -1, expected a finite number of at least 0");
  EXPECT_EQ(refusal(some_spring(6, std::numeric_limits<double>::infinity())),
            "the stiffness of spring 1 is inf, expected a finite number of at least 0");
  ReducedSpring lost = some_spring(6, 1.0);
  lost.anchor.y() = std::nan("");
  EXPECT_EQ(refusal(lost), "spring 1 has rows or an anchor with entries that are not finite");
  system.evaluate(swing.start);
  EXPECT_EQ(system.force(), force);
}

TEST(Springs, AllocateNothingInAWarmStep) {
  for (const Kind kind : {Kind::local, Kind::linear}) {
    for (const Swing& swing : swings({0.1, 0.01, kind})) {
      for (const ReducedStepOptions& options :
           {ReducedStepOptions{}, iterate(10, 1e-8), matrix_free(), matrix_free(iterate(10, 1e-8))}) {
        ReducedWorkspace work = swing.workspace();
        work.system.set_springs(two_springs());
        DynamicState state = swing.at_start(work);
        for (int i = 0; i < 2; ++i) ASSERT_TRUE(step(work, 1e-3, swing.load, state, options).ok());
        EXPECT_EQ(test::allocations_of([&] {
                    for (int i = 0; i < 3; ++i) (void)step(work, 1e-3, swing.load, state, options);
                    (void)total_energy(work, state);
                  }),
                  0);
      }
    }
  }
}

}  // namespace
}  // namespace limber::spring_test
