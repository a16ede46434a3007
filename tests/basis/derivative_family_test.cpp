#include "limber/basis/derivative_family.hpp"

#include "limber/basis/basis_quality.hpp"
#include "limber/full/statics.hpp"
#include "limber/linalg/pairs.hpp"
#include "tests/basis/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/modal_derivatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber::derivative_family_test {
namespace {

using test::contains;
using test::error_text;
using test::Support;

class EveryFamily : public testing::TestWithParam<Support> {
 protected:
  FullModel model = test::supported_beam(GetParam());
  RestStiffness rest{model};
  LinearModes modes = compute_linear_modes(rest, rest.rigid_modes().cols() + 3);
  Matrix Psi = modes.elastic_shapes();
  Vector lambda = modes.elastic_eigenvalues();
};

TEST_P(EveryFamily, IsTheModesAndTheirDerivativesInFirstOrder) {
  const DerivativeFamily family = compute_derivative_family(rest, Psi, lambda, 1);
  ASSERT_TRUE(family.report.ok());
  const Matrix expected =
      test::scale_modes_and_derivatives(Psi, lambda, test::compute_modal_derivatives(rest, Psi).shapes);
  ASSERT_EQ(family.shapes.cols(), 9);
  EXPECT_EQ(family.first, (std::vector<Index>{0, 3, 9}));
  const Matrix scaled = family.shapes * family.weights.asDiagonal();
  for (Index c = 0; c < 9; ++c)
    EXPECT_LT((scaled.col(c) - expected.col(c)).norm(), 1e-12 * expected.col(c).norm()) << "column " << c;
}

TEST_P(EveryFamily, HoldsADerivativeForEachPairOnce) {
  const DerivativeFamily family = compute_derivative_family(rest, Psi.leftCols(2), lambda.head(2), 2);
  ASSERT_TRUE(family.report.ok());
  EXPECT_EQ(family.first, (std::vector<Index>{0, 2, 5, 17}));
  const Matrix& N = rest.rigid_modes();
  for (const auto& [i, j] : std::vector<std::pair<Index, Index>>{{2, 0}, {3, 1}, {4, 2}, {4, 4}}) {
    const Vector load = -(model.stiffness_derivative(Vector::Zero(model.dof_count()), family.shapes.col(i)) *
                          family.shapes.col(j));
    Matrix expected(model.dof_count(), 1);
    ASSERT_TRUE(rest.solve(load, expected).ok());
    const auto found = family.shapes.col(2 + pair_index(i, j));
    EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm()) << "pair " << i << ", " << j;
    EXPECT_LT((N.transpose() * (model.mass() * found)).norm(),
              1e-9 * std::sqrt(found.dot(model.mass() * found)));
    EXPECT_DOUBLE_EQ(family.weights(2 + pair_index(i, j)), family.weights(i) * family.weights(j));
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryFamily, testing::ValuesIn(test::all_supports),
                         [](const auto& tested) { return test::name_of(tested.param); });

class DerivativeFamilyTest : public testing::Test {
 protected:
  FullModel model = test::supported_beam(Support::held);
  RestStiffness rest{model};
  LinearModes modes = compute_linear_modes(rest, 2);

  /// How fast error(size) shrinks between `largest` and half of it.
  template <class Error>
  static double slope(const Error& error, double largest) {
    return std::log2(error(largest) / error(0.5 * largest));
  }

  /// Distance of u from the span of the shapes up to an order, in the mass metric.
  double distance(const DerivativeFamily& family, int order, const Vector& u) const {
    const Matrix U = family.shapes.leftCols(family.first[static_cast<std::size_t>(order) + 1]);
    return projection_error(U, u, model.mass()) * std::sqrt(u.dot(model.mass() * u));
  }
};

TEST_F(DerivativeFamilyTest, HoldsTheNeumannSeriesOfTheTangentOrderByOrder) {
  // (K + s H : a)^-1 f = sum_k s^k (-K^-1 (H : a))^k K^-1 f, for a mode a and its own inertia load f.
  const DerivativeFamily family =
      compute_derivative_family(rest, modes.shapes.leftCols(1), modes.eigenvalues.head(1), 3);
  const Vector a = modes.shapes.col(0) / model.largest_gradient(modes.shapes.col(0));
  const Vector f = model.mass() * modes.shapes.col(0);
  const SparseMatrix H = model.stiffness_derivative(Vector::Zero(model.dof_count()), a);
  const auto solver = make_sparse_solver();
  const auto response = [&](double s) {
    Matrix x(model.dof_count(), 1);
    EXPECT_TRUE(solver->factor(rest.matrix() + s * H).ok());
    EXPECT_TRUE(solver->solve(f, x).ok());
    return Vector(x);
  };
  for (int order = 0; order <= 3; ++order) {
    const double found = slope([&](double s) { return distance(family, order, response(s)); }, 0.05);
    EXPECT_NEAR(found, order + 1.0, 0.3) << "order " << order;
  }
}

TEST_F(DerivativeFamilyTest, HoldsStaticShapesToSecondOrder) {
  // A load along one mode: the shape is a p + b p^2 + c p^3 with b in the first derivatives. c is not in the
  // second ones, as it has a part from the second derivative of the stiffness: they need not raise the order,
  // but they take away some of it.
  const DerivativeFamily family =
      compute_derivative_family(rest, modes.shapes.leftCols(1), modes.eigenvalues.head(1), 2);
  const Vector a = modes.shapes.col(0) / model.largest_gradient(modes.shapes.col(0));
  const auto shape = [&](double p) {
    Vector u = Vector::Zero(model.dof_count());
    EXPECT_TRUE(solve_static(model, p * (rest.matrix() * a), u, {.tolerance = 1e-12}).ok());
    return u;
  };
  const auto error = [&](int order) {
    return [&, order](double p) { return distance(family, order, shape(p)); };
  };
  EXPECT_NEAR(slope(error(0), 0.05), 2.0, 0.2);
  EXPECT_NEAR(slope(error(1), 0.05), 3.0, 0.2);
  EXPECT_GT(slope(error(2), 0.05), 2.8);
  EXPECT_LT(error(2)(0.05), 0.7 * error(1)(0.05));
}

TEST_F(DerivativeFamilyTest, OfOrderZeroIsTheModes) {
  const DerivativeFamily family = compute_derivative_family(rest, modes.shapes, modes.eigenvalues, 0);
  EXPECT_EQ(family.shapes, modes.shapes);
  EXPECT_EQ(family.first, (std::vector<Index>{0, 2}));
  EXPECT_DOUBLE_EQ(family.weights(1), modes.eigenvalues(0) / modes.eigenvalues(1));
}

TEST_F(DerivativeFamilyTest, ReportsItsProgressToTheEnd) {
  std::vector<double> seen;
  (void)compute_derivative_family(rest, modes.shapes, modes.eigenvalues, 3,
                                  [&](std::string_view, double fraction) { seen.push_back(fraction); });
  ASSERT_GE(seen.size(), 4u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1.0);
}

TEST_F(DerivativeFamilyTest, RefusesWrongNumbersAndRigidModes) {
  const auto text = [&](const Matrix& shapes, const Vector& eigenvalues, int order) {
    return error_text([&] { (void)compute_derivative_family(rest, shapes, eigenvalues, order); });
  };
  EXPECT_TRUE(contains(text(Matrix::Ones(6, 2), modes.eigenvalues, 1), "modes have 6 rows"));
  EXPECT_TRUE(contains(text(modes.shapes, Vector::Ones(3), 1), "3 eigenvalues for 2 modes"));
  EXPECT_TRUE(contains(text(modes.shapes, Vector{{0.0, 1.0}}, 1), "leave the rigid modes out"));
  EXPECT_TRUE(contains(text(modes.shapes, modes.eigenvalues, -1), "expected 0 or more"));
  EXPECT_TRUE(contains(text(Matrix(model.dof_count(), 0), Vector(), 1), "one mode at least"));
}

TEST_F(DerivativeFamilyTest, RefusesToFillTheMemory) {
  const std::string text =
      error_text([&] { (void)compute_derivative_family(rest, modes.shapes, modes.eigenvalues, 6); });
  EXPECT_TRUE(contains(text, "ask for fewer modes or a lower order")) << text;
}

TEST(DerivativeFamilySize, CountsPairsOnce) {
  EXPECT_EQ(derivative_family_size(2, 0), 2.0);
  EXPECT_EQ(derivative_family_size(2, 1), 5.0);
  EXPECT_EQ(derivative_family_size(2, 2), 17.0);
  EXPECT_EQ(derivative_family_size(12, 1), 90.0);
  EXPECT_EQ(derivative_family_size(30, 1), 495.0);
}

}  // namespace
}  // namespace limber::derivative_family_test
