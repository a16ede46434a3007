#include "tests/reduced/points.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace limber::linear_test {
namespace {

using test::error_text;
using test::random_vector;

/// Bodies of six coordinates: exact forces, cubature, and cubature whose forces have no potential.
std::vector<ReducedEquations> bodies() {
  return {test::Swing().equations, test::swing_of_points().equations, test::swing_of_points(0.2).equations};
}

TEST(LinearElasticity, IsTheEnergyOfAMatrix) {
  const Matrix K = test::some_mass(4);
  const ReducedEquations equations{4, LinearElasticity(K), Matrix::Identity(4, 4),
                                   Eigen::MatrixX3d::Zero(4, 3)};
  const Vector q = random_vector(4, 3.0, 1);
  const test::Evaluation at = test::evaluate(equations, q);
  EXPECT_NEAR(at.energy, 0.5 * q.dot(K * q), 1e-14 * at.energy);
  EXPECT_LT((at.force - K * q).norm(), 1e-14 * at.force.norm());
  EXPECT_EQ(at.stiffness, K);
  EXPECT_EQ(equations.elastic.quartic(), nullptr);
  EXPECT_EQ(equations.elastic.cubature(), nullptr);
  EXPECT_TRUE(equations.elastic.conservative());
}

TEST(LinearElasticity, RefusesMatricesThatAreNotSymmetric) {
  Matrix K = Matrix::Identity(3, 3);
  K(0, 1) = 1e-9;
  EXPECT_EQ(error_text([&] { LinearElasticity{K}; }), "a linear stiffness is not symmetric or not finite");
  EXPECT_EQ(error_text([] { LinearElasticity{Matrix::Zero(3, 2)}; }),
            "a linear stiffness is 3 x 2, expected as many columns as rows");
}

TEST(LinearizedEquations, HaveTheStiffnessAtRestEverywhere) {
  for (const ReducedEquations& equations : bodies()) {
    const ReducedEquations linear = linearized(equations);
    const Matrix K = test::evaluate(equations, Vector::Zero(6)).stiffness;
    const Vector q = random_vector(6, 2.0, 3);
    const test::Evaluation at = test::evaluate(linear, q);
    EXPECT_LT((at.stiffness - K).norm(), 1e-14 * K.norm());
    EXPECT_LT((at.force - K * q).norm(), 1e-13 * at.force.norm());
    EXPECT_EQ(linear.mass, equations.mass);
    EXPECT_EQ(linear.weight, equations.weight);
  }
}

TEST(LinearizedEquations, OfAQuadraticEnergyMoveAsItDoes) {
  const Matrix K = test::some_mass(5);
  const ReducedEquations springs = test::equations_of(5, test::spring_energy(K)),
                         linear = linearized(springs);
  for (const ReducedStepOptions& options :
       {ReducedStepOptions{}, test::iterate(), test::matrix_free(test::iterate())}) {
    DynamicState expected = make_reduced_state(5), state = expected;
    ReducedWorkspace slow{ReducedSystem(springs, {0.1, 0.02})}, fast{ReducedSystem(linear, {0.1, 0.02})};
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(step(slow, 0.1, Vector::Ones(5), expected, options).ok());
      ASSERT_TRUE(step(fast, 0.1, Vector::Ones(5), state, options).ok());
    }
    EXPECT_LT((state.u - expected.u).norm(), 1e-9 * expected.u.norm());
    EXPECT_LT((state.v - expected.v).norm(), 1e-9 * expected.v.norm());
  }
}

TEST(LinearizedEquations, AreSolvedForInOneStep) {
  for (const ReducedEquations& equations : bodies()) {
    const ReducedEquations linear = linearized(equations);
    ReducedSystem system(linear);
    const Vector load = random_vector(6, 5.0, 4);
    Vector q = Vector::Zero(6);
    const SolveReport report = solve_static(system, load, q);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.iterations, 1);
    EXPECT_LT((test::evaluate(linear, q).force - load).norm(), 1e-10 * load.norm());
  }
}

TEST(NaturalModes, SolveTheEigenproblemAtRest) {
  for (const ReducedEquations& equations : bodies()) {
    const NaturalModes modes = natural_modes(equations);
    const Matrix K = test::evaluate(equations, Vector::Zero(6)).stiffness;
    const Matrix& S = modes.shapes;
    const Vector squares = (2.0 * std::numbers::pi * modes.frequencies).cwiseAbs2();
    EXPECT_LT((S.transpose() * equations.mass * S - Matrix::Identity(6, 6)).norm(), 1e-12);
    EXPECT_LT((K * S - equations.mass * S * squares.asDiagonal()).norm(), 1e-12 * K.norm() * S.norm());
    EXPECT_LT((modes.frequencies - natural_frequencies(equations)).norm(), 1e-12 * modes.frequencies.norm());
  }
}

TEST(NaturalModes, HaveTheirLargestEntryPositive) {
  for (const ReducedEquations& equations : bodies()) {
    const Matrix shapes = natural_modes(equations).shapes;
    for (Index i = 0; i < 6; ++i) EXPECT_GE(shapes.col(i).maxCoeff(), -shapes.col(i).minCoeff()) << i;
  }
}

}  // namespace
}  // namespace limber::linear_test
