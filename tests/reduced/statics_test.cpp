#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/reduced/support.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::statics_test {
namespace {

using test::equations_of;
using test::random_vector;
using test::strain_energy;
using Kind = RayleighDamping::Stiffness;

TEST(ReducedStatics, OfSpringsIsOneLinearSolve) {
  const Matrix K = test::some_mass(4);
  const ReducedEquations equations = equations_of(4, test::spring_energy(K));
  ReducedSystem system(equations);
  const Vector load = random_vector(4, 1.0, 1);
  Vector q = Vector::Zero(4);
  const SolveReport report = solve_static(system, load, q);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.iterations, 1);
  EXPECT_LT((K * q - load).norm(), 1e-13 * load.norm());
}

TEST(ReducedStatics, BalanceTheLoadToTheTolerance) {
  const ReducedEquations equations = equations_of(8, strain_energy(8, 1));
  ReducedSystem system(equations);
  for (const double size : {1e-6, 1.0, 1e6}) {
    const Vector load = random_vector(8, size, 2);
    Vector q = Vector::Zero(8);
    const SolveReport report = solve_static(system, load, q);
    ASSERT_TRUE(report.ok()) << "load " << size << ", residual " << report.residual;
    EXPECT_LE(report.residual, 1e-10);
    EXPECT_LT((test::evaluate(equations, q).force - load).norm(), 1e-9 * load.norm());
    EXPECT_LE(report.iterations, 20);
  }
}

TEST(ReducedStatics, ComeHomeFromFarStarts) {
  const ReducedEquations equations = equations_of(6, strain_energy(6, 1, 0.2));
  ReducedSystem system(equations);
  const Vector load = random_vector(6, 0.2, 2);
  Vector near = Vector::Zero(6);
  ASSERT_TRUE(solve_static(system, load, near).ok());
  for (const double distance : {10.0, 1e3, 1e6}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Vector q = random_vector(6, distance, seed);
      const SolveReport report = solve_static(system, load, q);
      ASSERT_TRUE(report.ok()) << "distance " << distance << ", seed " << seed;
      EXPECT_LE(report.iterations, 60);
      // It may be another equilibrium, but none that rests on a maximum.
      EXPECT_GT(symmetric_eigenvalues(test::evaluate(equations, q).stiffness).values(0), 0.0);
    }
  }
}

TEST(ReducedStatics, LeaveAnUnstableEquilibriumForAStableOne) {
  Matrix K = -Matrix::Identity(1, 1);
  Vector energy = test::spring_energy(K);
  energy(monomial_index(1, 1, 1, 1)) = 0.25;  // wells at q = +-1
  const ReducedEquations equations = equations_of(1, energy);
  ReducedSystem system(equations);
  Vector q = Vector::Constant(1, 1e-3);
  ASSERT_TRUE(solve_static(system, Vector::Zero(1), q).ok());
  EXPECT_NEAR(q(0), 1.0, 1e-9);
}

TEST(ReducedStatics, WithoutALoadReturnToRest) {
  const ReducedEquations equations = equations_of(5, strain_energy(5, 1, 0.2));
  ReducedSystem system(equations);
  Vector q = random_vector(5, 0.3, 2);
  ASSERT_TRUE(solve_static(system, Vector::Zero(5), q).ok());
  EXPECT_LT(q.norm(), 1e-8);
  q.setZero();
  const SolveReport report = solve_static(system, Vector::Zero(5), q);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.iterations, 0);
}

TEST(ReducedStatics, AreWhereDampedMotionComesToRest) {
  const ReducedEquations equations = equations_of(6, strain_energy(6, 1), test::some_mass(6));
  const Vector load = random_vector(6, 0.5, 2);
  ReducedWorkspace work{ReducedSystem(equations, {1.0, 0.5, Kind::local})};
  DynamicState state = make_reduced_state(6);
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(step(work, 0.1, load, state).ok());
  Vector q = Vector::Zero(6);
  ASSERT_TRUE(solve_static(work.system, load, q).ok());
  EXPECT_LT((state.u - q).norm(), 1e-8 * q.norm());
}

TEST(ReducedStatics, StopAtWhatRoundingLeaves) {
  const ReducedEquations equations = equations_of(10, strain_energy(10, 1));
  ReducedSystem system(equations);
  Vector q = Vector::Zero(10);
  const SolveReport report = solve_static(system, random_vector(10, 3.0, 2), q, 0.0);
  EXPECT_TRUE(report.ok()) << report.residual;
  EXPECT_LT(report.residual, 1e-13);
}

TEST(ReducedStatics, ReportALoadThatNothingBalances) {
  Matrix K = Matrix::Identity(2, 2);
  K(1, 1) = 0.0;  // the second coordinate moves freely
  const ReducedEquations equations = equations_of(2, test::spring_energy(K));
  ReducedSystem system(equations);
  Vector q = Vector::Zero(2);
  EXPECT_EQ(solve_static(system, Vector::Ones(2), q).status, SolveStatus::not_converged);
  EXPECT_TRUE(q.allFinite());
}

TEST(ReducedStatics, ReportALoadThatIsNotFinite) {
  const ReducedEquations equations = equations_of(3, strain_energy(3, 1));
  ReducedSystem system(equations);
  Vector q = random_vector(3, 0.1, 1);
  const Vector start = q;
  EXPECT_EQ(solve_static(system, Vector::Constant(3, std::nan("")), q).status, SolveStatus::not_finite);
  EXPECT_EQ(q, start);
}

TEST(ReducedStatics, ThatRunOutOfIterationsKeepTheBestPoint) {
  const ReducedEquations equations = equations_of(6, strain_energy(6, 1));
  ReducedSystem system(equations);
  const Vector load = random_vector(6, 10.0, 2);
  Vector q = Vector::Zero(6);
  const SolveReport report = solve_static(system, load, q, 1e-10, 2);
  EXPECT_EQ(report.status, SolveStatus::not_converged);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_LT(test::evaluate(equations, q).energy - load.dot(q), 0.0);
}

TEST(ReducedStatics, RefuseVectorsOfTheWrongSize) {
  const ReducedEquations equations = equations_of(3, strain_energy(3, 1));
  ReducedSystem system(equations);
  Vector q = Vector::Zero(3);
  EXPECT_EQ(test::error_text([&] { (void)solve_static(system, Vector::Zero(2), q); }),
            "load has 2 and displacement 3 entries, the reduced equations need 3");
}

}  // namespace
}  // namespace limber::statics_test
