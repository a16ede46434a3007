#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/reduced/support.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <utility>

namespace limber::system_test {
namespace {

using test::equations_of;
using test::random_vector;
using test::strain_energy;
using Kind = RayleighDamping::Stiffness;

/// The matrix that a system has factored, column by column.
Matrix inverse_of_factored(ReducedSystem& system) {
  Matrix inverse(system.size(), system.size());
  Vector x;
  for (Index k = 0; k < system.size(); ++k) {
    EXPECT_TRUE(system.solve(Vector::Unit(system.size(), k), x).ok());
    inverse.col(k) = x;
  }
  return inverse;
}

TEST(ReducedSystem, MultipliesAndSolvesWithMassAndDamping) {
  for (const bool unit : {true, false}) {
    const Matrix M = unit ? Matrix::Identity(5, 5) : test::some_mass(5);
    const ReducedEquations equations = equations_of(5, strain_energy(5, 1), M);
    const Vector q = random_vector(5, 1.0, 2), x = random_vector(5, 1.0, 3);
    const Matrix K = test::evaluate(equations, q).stiffness,
                 K0 = test::evaluate(equations, Vector::Zero(5)).stiffness;
    for (const Kind kind : {Kind::local, Kind::linear}) {
      ReducedSystem system(equations, {0.3, 0.2, kind});
      system.evaluate(q);
      Vector y;
      system.multiply_mass(x, y);
      EXPECT_LT((y - M * x).norm(), 1e-14 * y.norm());
      ASSERT_TRUE(system.solve_mass(y, y).ok());
      EXPECT_LT((y - x).norm(), 1e-13 * x.norm());
      system.multiply_damping(x, y);
      EXPECT_LT((y - (0.3 * M + 0.2 * (kind == Kind::local ? K : K0)) * x).norm(), 1e-13 * y.norm());
    }
  }
}

TEST(ReducedSystem, DampsWithTheStiffnessOfTheStateWhereOnlyTheForceIsEvaluated) {
  const ReducedEquations equations = equations_of(4, strain_energy(4, 1));
  const Vector q = random_vector(4, 1.0, 2), x = random_vector(4, 1.0, 3);
  ReducedSystem system(equations, {0.0, 0.2, Kind::local});
  system.evaluate_force(q);
  Vector y;
  system.multiply_damping(x, y);
  EXPECT_LT((y - 0.2 * test::evaluate(equations, q).stiffness * x).norm(), 1e-13 * y.norm());
}

TEST(ReducedSystem, FactorsTheCombinationAskedFor) {
  const Matrix M = test::some_mass(5);
  const ReducedEquations equations = equations_of(5, strain_energy(5, 1), M);
  const Vector q = random_vector(5, 0.2, 2);
  const Matrix K = test::evaluate(equations, q).stiffness,
               K0 = test::evaluate(equations, Vector::Zero(5)).stiffness;
  for (const Kind kind : {Kind::local, Kind::linear}) {
    ReducedSystem system(equations, {0.3, 0.2, kind});
    system.evaluate(q);
    ASSERT_TRUE(system.factor(7.0, 3.0, 1.5, Vector::Ones(5)).ok());
    const Matrix D = 0.3 * M + 0.2 * (kind == Kind::local ? K : K0);
    const double error =
        ((7.0 * M + 3.0 * D + 1.5 * K) * inverse_of_factored(system) - Matrix::Identity(5, 5)).norm();
    EXPECT_LT(error, 1e-12);
  }
}

TEST(ReducedSystem, WithExactDampingFactorsTheDerivativeOfAllForces) {
  // R(q) = c1 M (q - p) + D(q) v(q) + f(q), v(q) = c2 (q - p) + w: the equation that a Newmark step solves.
  const ReducedEquations equations = equations_of(6, strain_energy(6, 1), test::some_mass(6));
  const double c1 = 30.0, c2 = 10.0;
  const Vector q = random_vector(6, 0.5, 2), p = random_vector(6, 0.5, 3), w = random_vector(6, 2.0, 4),
               direction = random_vector(6, 1.0, 5);
  for (const bool exact : {true, false}) {
    ReducedSystem system(equations, {0.3, 0.2, Kind::local});
    system.exact_damping = exact;
    const auto residual = [&](const Vector& x) {
      Vector inertia, damping;
      system.evaluate(x);
      system.multiply_mass(c1 * (x - p), inertia);
      system.multiply_damping(c2 * (x - p) + w, damping);
      return Vector(inertia + damping + system.force());
    };
    const Vector start = residual(q);
    ASSERT_TRUE(system.factor(c1, c2, 1.0, c2 * (q - p) + w).ok());
    const double slope = test::remainder_slope(
        [&](double h) {
          Vector moved;
          EXPECT_TRUE(system.solve(residual(q + h * direction) - start, moved).ok());
          return (moved - h * direction).norm();
        },
        direction.norm());
    EXPECT_NEAR(slope, exact ? 2.0 : 1.0, 0.1);
  }
}

TEST(ReducedSystem, KeepsTheDigitsOfTheDampingDerivativeAtEveryScale) {
  // The same body in coordinates a million times smaller or larger: the matrix must only be scaled.
  const Vector energy = strain_energy(4, 1), q = random_vector(4, 0.5, 2), v = random_vector(4, 1.0, 3);
  const auto inverse = [&](double scale, double speed) {
    Vector scaled = energy;
    for (Index i = 0, m = 0; i <= 4; ++i) {
      for (Index j = 0; j <= i; ++j) {
        for (Index k = 0; k <= j; ++k) {
          for (Index l = 0; l <= k; ++l, ++m) {
            const int degree = (i > 0) + (j > 0) + (k > 0) + (l > 0);
            scaled(m) *= std::pow(scale, 2 - degree);
          }
        }
      }
    }
    const ReducedEquations equations = equations_of(4, scaled);
    ReducedSystem system(equations, {0.0, 1.0 / speed, Kind::local});
    system.exact_damping = true;
    system.evaluate(scale * q);
    EXPECT_TRUE(system.factor(10.0, 0.0, 1.0, scale * speed * v).ok());
    return inverse_of_factored(system);
  };
  const Matrix expected = inverse(1.0, 1.0);
  for (const double scale : {1e-6, 1e6}) {
    for (const double speed : {1e-6, 1e6}) {
      EXPECT_LT((inverse(scale, speed) - expected).norm(), 1e-10 * expected.norm())
          << "scale " << scale << ", speed " << speed;
    }
  }
}

TEST(ReducedSystem, TurnsNegativeEigenvaluesPositive) {
  const Matrix K = Eigen::Vector4d(4.0, -2.0, 1.0, -0.5).asDiagonal();
  const ReducedEquations equations = equations_of(4, test::spring_energy(K));
  ReducedSystem system(equations);
  system.evaluate(Vector::Zero(4));
  ASSERT_TRUE(system.factor(0.0, 0.0, 1.0, Vector::Zero(4)).ok());
  EXPECT_LT(
      (inverse_of_factored(system) - Matrix(K.cwiseAbs().diagonal().cwiseInverse().asDiagonal())).norm(),
      1e-13);
  ASSERT_TRUE(system.factor(1.0, 0.0, 1.0, Vector::Zero(4)).ok());  // eigenvalues 5, -1, 2, 1/2
  EXPECT_LT((inverse_of_factored(system) - Matrix(Eigen::Vector4d(0.2, 1.0, 0.5, 2.0).asDiagonal())).norm(),
            1e-13);
}

TEST(AbsoluteSolver, SolvesWithTheAbsoluteValuesOfTheEigenvalues) {
  AbsoluteSolver solver;
  for (const Index size : {1, 2, 3, 7, 60, 5}) {
    const Matrix half =
        Eigen::Map<const Matrix>(random_vector(size * size, 1.0, 1).eval().data(), size, size);
    const Matrix A = half + half.transpose();
    const SymmetricEigen spectrum = symmetric_eigen(A);
    const Vector b = random_vector(size, 1.0, 2);
    const Vector expected =
        spectrum.vectors * (spectrum.vectors.transpose() * b).cwiseQuotient(spectrum.values.cwiseAbs());
    Vector x;
    ASSERT_TRUE(solver.compute(A, 0.0, 1e-10));
    solver.solve(b, x);
    EXPECT_LT((x - expected).norm(), 1e-10 * expected.norm()) << size;
  }
  EXPECT_FALSE(solver.compute(Matrix::Zero(4, 4), 0.0, 1e-10));
}

TEST(ReducedSystem, NeverFallsBelowATenthOfTheInertia) {
  const Matrix K = Eigen::Vector2d(1.0, -3.0 - 1e-9).asDiagonal();
  const ReducedEquations equations = equations_of(2, test::spring_energy(K));
  ReducedSystem system(equations);
  system.evaluate(Vector::Zero(2));
  ASSERT_TRUE(system.factor(3.0, 0.0, 1.0, Vector::Zero(2)).ok());
  EXPECT_NEAR(inverse_of_factored(system)(1, 1), 1.0 / 0.3, 1e-12);
}

TEST(ReducedSystem, FactorsAgainByCholeskyAfterAnIndefiniteMatrix) {
  const Matrix K = Eigen::Vector2d(1.0, -3.0).asDiagonal();
  const ReducedEquations equations = equations_of(2, test::spring_energy(K));
  ReducedSystem system(equations);
  system.evaluate(Vector::Zero(2));
  ASSERT_TRUE(system.factor(0.0, 0.0, 1.0, Vector::Zero(2)).ok());
  ASSERT_TRUE(system.factor(4.0, 0.0, 1.0, Vector::Zero(2)).ok());
  EXPECT_LT((inverse_of_factored(system) - Matrix(Eigen::Vector2d(0.2, 1.0).asDiagonal())).norm(), 1e-13);
}

TEST(ReducedSystem, ReportsNumbersThatAreNotFinite) {
  const ReducedEquations equations = equations_of(3, strain_energy(3, 1));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e200}) {
    for (Index k = 0; k < 3; ++k) {
      ReducedSystem system(equations);
      system.evaluate(bad * Vector::Unit(3, k));
      EXPECT_EQ(system.factor(1.0, 0.0, 1.0, Vector::Zero(3)).status, SolveStatus::not_finite);
    }
  }
  ReducedSystem system(equations);
  Vector x;
  system.evaluate(Vector::Zero(3));
  ASSERT_TRUE(system.factor(1.0, 0.0, 1.0, Vector::Zero(3)).ok());
  EXPECT_EQ(system.solve(Vector::Constant(3, std::nan("")), x).status, SolveStatus::not_finite);
}

TEST(ReducedSystem, TakesOtherEquationsOfAnotherRank) {
  const ReducedModel model = test::small_model(5);
  const ReducedEquations all = make_equations(model), few = make_equations(model, model.materials(), 2);
  ReducedSystem system(all, {0.1, 0.1, Kind::linear});
  system.set_equations(few);
  const Vector q = random_vector(2, 1.0, 1);
  ASSERT_EQ(system.size(), 2);
  system.evaluate(q);
  EXPECT_EQ(system.force(), test::evaluate(few, q).force);
  Vector y;
  system.multiply_damping(q, y);
  EXPECT_LT((y - 0.1 * q - 0.1 * test::evaluate(few, Vector::Zero(2)).stiffness * q).norm(),
            1e-13 * y.norm());
}

TEST(ReducedSystem, KeepsItsEquationsWhereOthersAreRefused) {
  const ReducedEquations equations = equations_of(3, strain_energy(3, 1), test::some_mass(3));
  ReducedSystem system(equations);
  const ReducedEquations massless = equations_of(2, strain_energy(2, 1), Matrix::Ones(2, 2));
  EXPECT_EQ(test::error_text([&] { system.set_equations(massless); }),
            "the mass of the reduced equations is not positive definite");
  ASSERT_EQ(system.size(), 3);
  const Vector x = random_vector(3, 1.0, 2);
  Vector y;
  ASSERT_TRUE(system.solve_mass(equations.mass * x, y).ok());
  EXPECT_LT((y - x).norm(), 1e-13 * x.norm());
  system.evaluate(x);
  EXPECT_EQ(system.force(), test::evaluate(equations, x).force);
}

// It keeps a reference: a temporary would be gone before the first step.
template <class System, class Equations>
concept TakesEquations = requires(System system, Equations&& equations) {
  system.set_equations(std::forward<Equations>(equations));
};
static_assert(std::is_constructible_v<ReducedSystem, const ReducedEquations&>);
static_assert(!std::is_constructible_v<ReducedSystem, ReducedEquations>);
static_assert(!std::is_constructible_v<ReducedSystem, const ReducedEquations, RayleighDamping>);
static_assert(TakesEquations<ReducedSystem, const ReducedEquations&>);
static_assert(!TakesEquations<ReducedSystem, ReducedEquations>);

TEST(ReducedSystem, RefusesImpossibleDampingAndMass) {
  const ReducedEquations equations = equations_of(2, strain_energy(2, 1));
  EXPECT_EQ(test::error_text([&] {
              ReducedSystem(equations, {-1.0, 0.5, Kind::local});
            }),
            "Rayleigh damping is alpha = -1, beta = 0.5; expected finite numbers of at least 0");
  const ReducedEquations massless = equations_of(2, strain_energy(2, 1), Matrix::Ones(2, 2));
  EXPECT_EQ(test::error_text([&] { ReducedSystem{massless}; }),
            "the mass of the reduced equations is not positive definite");
}

}  // namespace
}  // namespace limber::system_test
