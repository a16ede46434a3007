#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/reduced/points.hpp"

#include <gtest/gtest.h>

namespace limber::statics_cubature_test {
namespace {

using test::equations_of;
using test::random_rule;
using test::random_vector;

constexpr ReducedSolver both_solvers[] = {ReducedSolver::direct, ReducedSolver::conjugate_gradient};

double balance_error(const ReducedEquations& equations, const Vector& load, const Vector& q) {
  return (test::evaluate(equations, q).force - load).norm() / load.norm();
}

TEST(CubatureStatics, BalanceTheLoadForEveryMaterial) {
  for (const std::string_view law : material_names) {
    const ReducedEquations equations = equations_of(random_rule(8, 30, 1), Matrix::Identity(8, 8), law);
    for (const ReducedSolver solver : both_solvers) {
      ReducedSystem system(equations);
      system.solver = solver;
      for (const double size : {1e-4, 0.1, 1.0}) {
        const Vector load = random_vector(8, size, 2);
        Vector q = Vector::Zero(8);
        const SolveReport report = solve_static(system, load, q);
        ASSERT_TRUE(report.ok()) << law << ", load " << size << ", residual " << report.residual;
        EXPECT_LT(balance_error(equations, load, q), 1e-9) << law << ", load " << size;
        EXPECT_LE(report.iterations, 30) << law << ", load " << size;
      }
    }
  }
}

TEST(CubatureStatics, AreInProportionToLoadsThatAreTiny) {
  // A law that turns each point back, as the corotational one, must not take rounding for a rotation. (The
  // stress at rest of the two laws that are not here is a difference, 1e-17 of the moduli in place of 0.)
  for (const std::string_view law : {"linear", "stvk", "corotational", "neo-hookean"}) {
    const ReducedEquations equations = equations_of(random_rule(8, 30, 1), Matrix::Identity(8, 8), law);
    for (const ReducedSolver solver : both_solvers) {
      ReducedSystem system(equations);
      system.solver = solver;
      const Vector load = random_vector(8, 1.0, 2);
      Vector first;
      for (const double size : {1e-8, 1e-10, 1e-12, 1e-14, 1e-16, 1e-20}) {
        Vector q = Vector::Zero(8);
        ASSERT_TRUE(solve_static(system, size * load, q).ok()) << law << ", load " << size;
        if (first.size() == 0) first = q / size;
        // The first one is off by the curvature of the law, as large as the load.
        EXPECT_LT((q / size - first).norm(), 1e-6 * first.norm()) << law << ", load " << size;
      }
    }
  }
}

TEST(CubatureStatics, BalanceTheLoadWhereTheForcesHaveNoPotential) {
  for (const double spread : {0.1, 1.0}) {
    const ReducedEquations equations = equations_of(random_rule(8, 30, 1, spread), Matrix::Identity(8, 8));
    for (const ReducedSolver solver : both_solvers) {
      ReducedSystem system(equations);
      system.solver = solver;
      for (const double size : {1e-4, 0.1, 1.0}) {
        const Vector load = random_vector(8, size, 2);
        Vector q = Vector::Zero(8);
        const SolveReport report = solve_static(system, load, q);
        ASSERT_TRUE(report.ok()) << "spread " << spread << ", load " << size << ", residual "
                                 << report.residual;
        EXPECT_LT(balance_error(equations, load, q), 1e-9);
        EXPECT_LE(report.iterations, 50);
      }
    }
  }
}

TEST(CubatureStatics, BalanceTheLoadWhereTheStiffnessIsFarFromSymmetric) {
  // Each coordinate has points of its own, as non-negative least squares choose them: a third of all.
  CubatureRule rule = random_rule(8, 90, 1, 1.0);
  Random random(5);
  for (Index j = 0; j < 8; ++j) {
    for (Index p = 0; p < 90; ++p)
      rule.weights(p, j) = random.uniform() < 1.0 / 3.0 ? 3.0 * rule.energy_weights(p) : 0.0;
  }
  const ReducedEquations equations = equations_of(rule, Matrix::Identity(8, 8));
  for (const ReducedSolver solver : both_solvers) {
    ReducedSystem system(equations);
    system.solver = solver;
    const Vector load = random_vector(8, 1.0, 2);
    Vector q = Vector::Zero(8);
    const SolveReport report = solve_static(system, load, q);
    ASSERT_TRUE(report.ok()) << "residual " << report.residual;
    EXPECT_LT(balance_error(equations, load, q), 1e-9);
    EXPECT_LE(report.iterations, 12);
  }
}

TEST(CubatureStatics, DoNotDependOnTheUnitsOfTheCoordinates) {
  // The same body, each coordinate measured in units of its own.
  CubatureRule rule = random_rule(6, 30, 1, 0.3);
  Vector units(6);
  units << 1.0, 1e-3, 1e3, 10.0, 1e-2, 1e5;
  Vector load = random_vector(6, 0.5, 2), q = Vector::Zero(6), scaled = q;
  const ReducedEquations equations = equations_of(rule, Matrix::Identity(6, 6));
  ReducedSystem system(equations);
  ASSERT_TRUE(solve_static(system, load, q).ok());
  rule.gradients = (rule.gradients * units.asDiagonal()).eval();
  const ReducedEquations other = equations_of(rule, Matrix::Identity(6, 6));
  ReducedSystem other_system(other);
  const SolveReport report = solve_static(other_system, units.cwiseProduct(load), scaled);
  ASSERT_TRUE(report.ok()) << report.residual;
  EXPECT_LT((units.cwiseProduct(scaled) - q).norm(), 1e-6 * q.norm());
}

TEST(CubatureStatics, ComeHomeFromStartsThatAreIndefinite) {
  const ReducedEquations equations = equations_of(random_rule(6, 60, 1), Matrix::Identity(6, 6));
  ReducedSystem system(equations);
  int indefinite = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Vector q = random_vector(6, 1.5, seed);
    const double least = symmetric_eigenvalues(test::evaluate(equations, q).stiffness).values(0);
    indefinite += least < 0.0 ? 1 : 0;
    ASSERT_TRUE(solve_static(system, Vector::Zero(6), q).ok()) << "seed " << seed;
    // It may be another equilibrium, but none that rests on a maximum.
    EXPECT_GT(symmetric_eigenvalues(test::evaluate(equations, q).stiffness).values(0), 0.0);
  }
  EXPECT_GE(indefinite, 5);
}

TEST(CubatureStatics, StopAtWhatRoundingLeaves) {
  for (const double spread : {0.0, 0.1}) {
    const ReducedEquations equations = equations_of(random_rule(10, 40, 1, spread), Matrix::Identity(10, 10));
    for (const ReducedSolver solver : both_solvers) {
      ReducedSystem system(equations);
      system.solver = solver;
      Vector q = Vector::Zero(10);
      const SolveReport report = solve_static(system, random_vector(10, 0.3, 2), q, 0.0);
      EXPECT_TRUE(report.ok()) << report.residual;
      EXPECT_LT(report.residual, 1e-12);
    }
  }
}

/// A body that bends: its parts turn far more than they are strained, and rounding is at the size of the
/// moduli.
TEST(CubatureStatics, OfSoftModesConvergeWhereTheEnergyIsLostInRounding) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CubatureRule rule = random_rule(1, 12, seed);
    for (Index p = 0; p < 12; ++p) {
      const Matrix3 gradient = rule.gradients.col(0).segment<9>(9 * p).reshaped(3, 3);
      rule.gradients.col(0).segment<9>(9 * p) = (gradient - 0.98 * gradient.transpose()).reshaped();
    }
    const ReducedEquations equations = equations_of(rule, Matrix::Identity(1, 1));
    ReducedSystem system(equations);
    Vector q = Vector::Zero(1);
    const SolveReport report = solve_static(system, Vector::Constant(1, 1e-6), q);
    ASSERT_TRUE(report.ok()) << "seed " << seed << ", residual " << report.residual;
    EXPECT_LE(report.iterations, 5) << "seed " << seed;
  }
}

TEST(CubatureStatics, AreWhereDampedMotionComesToRest) {
  for (const double spread : {0.0, 0.3}) {
    const ReducedEquations equations = equations_of(random_rule(6, 40, 1, spread), test::some_mass(6));
    const Vector load = random_vector(6, 0.3, 2);
    ReducedWorkspace work{ReducedSystem(equations, {1.0, 0.5})};
    DynamicState state = make_reduced_state(6);
    for (int i = 0; i < 600; ++i) ASSERT_TRUE(step(work, 0.2, load, state, test::matrix_free()).ok());
    Vector q = Vector::Zero(6);
    ASSERT_TRUE(solve_static(work.system, load, q).ok());
    EXPECT_LT((state.u - q).norm(), 1e-8 * q.norm());
  }
}

TEST(CubatureStatics, WithoutALoadReturnToRest) {
  for (const double spread : {0.0, 0.3}) {
    const ReducedEquations equations = equations_of(random_rule(5, 30, 1, spread), Matrix::Identity(5, 5));
    ReducedSystem system(equations);
    Vector q = random_vector(5, 0.2, 2);
    ASSERT_TRUE(solve_static(system, Vector::Zero(5), q).ok());
    EXPECT_LT(q.norm(), 1e-8);
  }
}

TEST(CubatureStatics, ReportALoadThatIsNotFinite) {
  const ReducedEquations equations = equations_of(random_rule(3, 10, 1), Matrix::Identity(3, 3));
  for (const ReducedSolver solver : both_solvers) {
    ReducedSystem system(equations);
    system.solver = solver;
    Vector q = random_vector(3, 0.1, 1);
    const Vector start = q;
    EXPECT_EQ(solve_static(system, Vector::Constant(3, std::nan("")), q).status, SolveStatus::not_finite);
    EXPECT_EQ(q, start);
  }
}

TEST(CubatureStatics, ReportALoadThatNothingBalances) {
  CubatureRule rule = random_rule(2, 10, 1);
  rule.gradients.col(1).setZero();  // the second coordinate moves freely
  const ReducedEquations equations = equations_of(rule, Matrix::Identity(2, 2));
  for (const ReducedSolver solver : both_solvers) {
    ReducedSystem system(equations);
    system.solver = solver;
    Vector q = Vector::Zero(2);
    EXPECT_EQ(solve_static(system, Vector::Ones(2), q).status, SolveStatus::not_converged);
    EXPECT_TRUE(q.allFinite());
  }
}

}  // namespace
}  // namespace limber::statics_cubature_test
