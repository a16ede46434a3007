#include "tests/reduced/points.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

namespace limber::dynamics_cubature_test {
namespace {

using test::equations_of;
using test::iterate;
using test::matrix_free;
using test::random_vector;
using test::Swing;
using test::swing_of_points;
using Kind = RayleighDamping::Stiffness;

const std::vector<RayleighDamping> all_dampings{{}, {0.1, 0.05, Kind::local}, {0.1, 0.05, Kind::linear}};
const std::vector<ReducedStepOptions> both_solvers{iterate(), matrix_free(iterate())};

double observed_order(const Swing& swing, double h, const ReducedStepOptions& options) {
  const Vector coarse = swing.run(h, 1.0, options).u, middle = swing.run(h / 2, 1.0, options).u,
               fine = swing.run(h / 4, 1.0, options).u;
  return std::log2((coarse - middle).norm() / (middle - fine).norm());
}

/// |M a + D v + f - f_ext| over the largest of the four, by the equations themselves. The damping is linear
/// or none.
double residual(const Swing& swing, const DynamicState& state) {
  const Matrix& M = swing.equations.mass;
  const Matrix K0 = test::evaluate(swing.equations, Vector::Zero(6)).stiffness;
  const Vector inertia = M * state.a,
               damping = swing.damping.mass * M * state.v + swing.damping.stiffness * K0 * state.v,
               elastic = test::evaluate(swing.equations, state.u).force;
  return (inertia + damping + elastic - swing.load).norm() / std::max(inertia.norm(), elastic.norm());
}

TEST(CubatureDynamics, IsInProportionToLoadsThatAreTiny) {
  for (const std::string_view law : material_names) {
    Swing swing = swing_of_points();
    swing.equations = equations_of(test::random_rule(6, 40, 5), test::some_mass(6), law);
    swing.start.setZero();
    const Vector load = random_vector(6, 1.0, 3);
    for (const ReducedStepOptions& options : both_solvers) {
      Vector first;
      for (const double size : {1e-6, 1e-8, 1e-10}) {
        swing.load = size * load;
        const Vector q = swing.run(0.05, 1.0, options).u;
        if (first.size() == 0) first = q / size;
        // Of displacement gradients of 1e-10, added to 1, six digits are left.
        EXPECT_LT((q / size - first).norm(), 1e-4 * first.norm()) << law << ", load " << size;
      }
    }
  }
}

TEST(CubatureSystem, WithExactDampingFactorsTheDerivativeOfAllForces) {
  // R(q) = c1 M (q - p) + D(q) v(q) + f(q), v(q) = c2 (q - p) + w: the equation that a Newmark step solves.
  const Swing swing = swing_of_points();
  const double c1 = 30.0, c2 = 10.0;
  const Vector q = random_vector(6, 0.2, 2), p = random_vector(6, 0.2, 3), w = random_vector(6, 2.0, 4),
               direction = random_vector(6, 0.2, 5);
  for (const bool exact : {true, false}) {
    ReducedSystem system(swing.equations, {0.3, 0.2, Kind::local});
    system.exact_damping = exact;
    const auto forces = [&](const Vector& x) {
      Vector inertia, damping;
      system.evaluate(x);
      system.multiply_mass(c1 * (x - p), inertia);
      system.multiply_damping(c2 * (x - p) + w, damping);
      return Vector(inertia + damping + system.force());
    };
    const Vector start = forces(q);
    ASSERT_TRUE(system.factor(c1, c2, 1.0, c2 * (q - p) + w).ok());
    const double slope = test::remainder_slope(
        [&](double h) {
          Vector moved;
          EXPECT_TRUE(system.solve(forces(q + h * direction) - start, moved).ok());
          return (moved - h * direction).norm();
        },
        direction.norm());
    EXPECT_NEAR(slope, exact ? 2.0 : 1.0, 0.1);
  }
}

TEST(CubatureNewmark, IsOfSecondOrder) {
  for (const RayleighDamping& damping : all_dampings) {
    Swing swing = swing_of_points();
    swing.damping = damping;
    for (const ReducedStepOptions& options : both_solvers) {
      EXPECT_NEAR(observed_order(swing, 0.02, options), 2.0, 0.1);
    }
  }
}

TEST(CubatureNewmark, WithOneMatrixFreeIterationIsOfSecondOrderWithoutDamping) {
  ReducedStepOptions options = matrix_free();
  options.conjugate_gradient.tolerance = 1e-6;  // its errors do not shrink with h
  EXPECT_NEAR(observed_order(swing_of_points(), 0.02, options), 2.0, 0.1);
}

TEST(CubatureNewmark, KeepsTheEnergyWithinBoundsOverTenThousandSteps) {
  Swing swing = swing_of_points();
  swing.equations = test::equations_of(test::random_rule(6, 16, 5), test::some_mass(6));
  for (const ReducedStepOptions& options : {iterate(30, 1e-8), matrix_free(iterate(30, 1e-8))}) {
    ReducedWorkspace work = swing.workspace();
    DynamicState state = swing.at_start(work);
    const double start = total_energy(work, state);
    double lowest = start, highest = start;
    for (int i = 0; i < 10000; ++i) {
      ASSERT_TRUE(step(work, 0.1, swing.load, state, options).ok()) << "step " << i;
      const double energy = total_energy(work, state);
      lowest = std::min(lowest, energy);
      highest = std::max(highest, energy);
    }
    EXPECT_GT(lowest, 0.9 * start);
    EXPECT_LT(highest, 1.1 * start);
  }
}

TEST(CubatureNewmark, LosesEnergyToDamping) {
  for (const Kind kind : {Kind::local, Kind::linear}) {
    Swing swing = swing_of_points();
    swing.damping = {0.1, 0.05, kind};
    for (const ReducedStepOptions& options : both_solvers) {
      ReducedWorkspace work = swing.workspace();
      DynamicState state = swing.at_start(work);
      const double start = total_energy(work, state);
      double before = start;
      for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(step(work, 0.05, swing.load, state, options).ok());
        const double energy = total_energy(work, state);
        EXPECT_LT(energy, before) << "step " << i;
        before = energy;
      }
      EXPECT_LT(before, 0.2 * start);
    }
  }
}

TEST(CubatureNewmark, ConvergesWhereTheForcesHaveNoPotential) {
  for (const double spread : {0.1, 1.0}) {
    for (const RayleighDamping& damping : {RayleighDamping{}, RayleighDamping{0.1, 0.05, Kind::linear}}) {
      Swing swing = swing_of_points(spread);
      swing.damping = damping;
      swing.load = random_vector(6, 0.1, 3);
      for (const ReducedStepOptions& options : both_solvers) {
        ReducedWorkspace work = swing.workspace();
        DynamicState state = swing.at_start(work);
        for (int i = 0; i < 20; ++i) {
          const SolveReport report = step(work, 0.1, swing.load, state, options);
          ASSERT_TRUE(report.ok()) << "spread " << spread << ", step " << i;
          EXPECT_LE(report.iterations, 15);
          EXPECT_LT(residual(swing, state), 1e-11);
        }
      }
    }
  }
}

TEST(CubatureNewmark, ConvergesWithLocalDampingWhereTheForcesHaveNoPotential) {
  Swing swing = swing_of_points(0.3);
  swing.damping = {0.1, 0.2, Kind::local};
  for (const ReducedStepOptions& options : both_solvers) {
    ReducedWorkspace work = swing.workspace();
    DynamicState state = swing.at_start(work);
    for (int i = 0; i < 40; ++i) {
      const SolveReport report = step(work, 0.1, swing.load, state, options);
      ASSERT_TRUE(report.ok()) << "step " << i;
      EXPECT_LE(report.iterations, 20);
    }
  }
}

TEST(CubatureNewmark, IsTheSameForBothSolversWhereTheForcesHaveNoPotential) {
  Swing swing = swing_of_points(0.3);
  swing.damping = {0.1, 0.05, Kind::linear};
  const DynamicState direct = swing.run(0.05, 1.0, iterate()),
                     free = swing.run(0.05, 1.0, matrix_free(iterate()));
  EXPECT_LT((direct.u - free.u).norm(), 1e-9 * direct.u.norm());
}

TEST(CubatureNewmark, OfStvkPointsIsThatOfTheirPolynomial) {
  // The energy of St. Venant-Kirchhoff points is a polynomial of degree four; here of one coordinate, whose
  // coefficients follow from its values.
  const CubatureRule rule = test::random_rule(1, 20, 3);
  const ReducedEquations points = test::equations_of(rule, Matrix::Identity(1, 1), "stvk");
  const auto energy = [&](double q) { return test::evaluate(points, Vector::Constant(1, q)).energy; };
  const double even1 = 0.5 * (energy(1.0) + energy(-1.0)), even2 = 0.5 * (energy(2.0) + energy(-2.0));
  const double quartic = (even2 - 4.0 * even1) / 12.0, cubic = 0.5 * (energy(1.0) - energy(-1.0));
  Vector coefficients = Vector::Zero(monomial_count(1));
  coefficients(monomial_index(1, 1, 0, 0)) = even1 - quartic;
  coefficients(monomial_index(1, 1, 1, 0)) = cubic;
  coefficients(monomial_index(1, 1, 1, 1)) = quartic;
  const ReducedEquations polynomial = test::equations_of(1, coefficients);
  const RayleighDamping damping{0.1, 0.1, Kind::local};
  ReducedWorkspace a{ReducedSystem(points, damping)}, b{ReducedSystem(polynomial, damping)};
  for (const ReducedStepOptions& options : both_solvers) {
    DynamicState of_points = make_reduced_state(1), of_polynomial = of_points;
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(step(a, 0.1, Vector::Ones(1), of_points, options).ok());
      ASSERT_TRUE(step(b, 0.1, Vector::Ones(1), of_polynomial, options).ok());
    }
    EXPECT_LT((of_points.u - of_polynomial.u).norm(), 1e-8 * of_polynomial.u.norm());
  }
}

TEST(CubatureCentralDifferences, NeedNoStiffnessForLocalDampingWithoutMatrices) {
  Swing swing = swing_of_points();
  swing.damping = {0.1, 0.02, Kind::local};
  ReducedStepOptions direct;
  direct.integrator = Integrator::central_differences;
  const double h = 0.2 * critical_timestep(swing.equations, swing.damping);
  const DynamicState expected = swing.run(h, 100 * h, direct),
                     found = swing.run(h, 100 * h, matrix_free(direct));
  EXPECT_LT((found.u - expected.u).norm(), 1e-5 * expected.u.norm());
}

}  // namespace
}  // namespace limber::dynamics_cubature_test
