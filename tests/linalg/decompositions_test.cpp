#include "limber/linalg/cholesky.hpp"
#include "limber/linalg/general_eigen.hpp"
#include "limber/linalg/lu.hpp"
#include "limber/linalg/qr.hpp"
#include "limber/linalg/svd.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/linalg/symmetric_solve.hpp"
#include "limber/linalg/symmetric_spectrum.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

// What the decompositions are made of is Eigen's; here is checked what the functions around them promise.

namespace limber::decompositions_test {
namespace {

constexpr double rounding = 1e-12;  // for matrices of a few dozen rows that are far from singular
const double nan = std::numeric_limits<double>::quiet_NaN();

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  return test::random_vector(rows * columns, 1.0, seed).reshaped(rows, columns);
}

Matrix random_symmetric(Index n, std::uint64_t seed) {
  const Matrix A = random_matrix(n, n, seed);
  return A + A.transpose();
}

Matrix random_definite(Index n, std::uint64_t seed) {
  const Matrix A = random_matrix(n, n, seed);
  return A * A.transpose() + Matrix::Identity(n, n);
}

/// The same matrix with other numbers above its diagonal.
Matrix with_any_upper_triangle(Matrix A) {
  A.triangularView<Eigen::StrictlyUpper>().setConstant(7.0);
  return A;
}

double distance_from_orthonormal(const Matrix& Q) {
  return (Q.transpose() * Q - Matrix::Identity(Q.cols(), Q.cols())).norm();
}

TEST(Cholesky, SolvesOneColumnAndManyFromTheLowerTriangle) {
  const Matrix A = random_definite(37, 1);
  const Cholesky factor(with_any_upper_triangle(A));
  ASSERT_TRUE(factor.ok());
  EXPECT_LT((factor.lower() * factor.lower().transpose() - A).norm(), rounding * A.norm());
  for (const Index columns : {1, 5}) {
    const Matrix B = random_matrix(37, columns, 2);
    EXPECT_LT((A * factor.solve(B) - B).norm(), rounding * A.norm() * B.norm()) << columns;
    EXPECT_LT((factor.lower() * factor.solve_lower(B) - B).norm(), rounding * A.norm()) << columns;
    EXPECT_LT((factor.lower().transpose() * factor.solve_upper(B) - B).norm(), rounding * A.norm())
        << columns;
  }
}

TEST(Cholesky, TellsMatricesThatAreNotPositiveDefinite) {
  Cholesky factor(-Matrix::Identity(3, 3));
  EXPECT_FALSE(factor.ok());
  EXPECT_TRUE(factor.compute(Matrix::Identity(3, 3)));
  EXPECT_FALSE(factor.compute(Matrix(Vector3(1.0, nan, 1.0).asDiagonal())));
  EXPECT_TRUE(Cholesky().ok()) << "the matrix without rows";
}

TEST(SolveSymmetric, LeavesOutWhatASemidefiniteMatrixDoesNotSee) {
  const Matrix half = random_matrix(12, 5, 1), A = half * half.transpose(), B = A * random_matrix(12, 3, 2);
  const Matrix X = solve_symmetric(with_any_upper_triangle(A), B);
  EXPECT_LT((A * X - B).norm(), 1e-10 * B.norm());
  EXPECT_LT(X.norm(), 1e3 * B.norm());
}

TEST(SolveSymmetric, OfSixRowsIsTheSame) {
  const Matrix A = random_definite(6, 1);
  const Vector b = random_matrix(6, 1, 2);
  EXPECT_LT((solve_symmetric6(A, b) - solve_symmetric(A, b)).norm(), rounding * b.norm());
}

TEST(SymmetricEigen, TakesAMatrixApart) {
  const Matrix A = random_symmetric(23, 1);
  const auto [values, vectors, found] = symmetric_eigen(with_any_upper_triangle(A));
  ASSERT_TRUE(found);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LT(distance_from_orthonormal(vectors), rounding);
  EXPECT_LT((A * vectors - vectors * values.asDiagonal()).norm(), rounding * A.norm());
  EXPECT_LT((symmetric_eigenvalues(A).values - values).norm(), rounding * A.norm());
}

TEST(SymmetricEigen, TakesAPairOfMatricesApart) {
  const Matrix A = random_symmetric(23, 1), M = random_definite(23, 2);
  const auto [values, vectors, found] =
      symmetric_eigen(with_any_upper_triangle(A), with_any_upper_triangle(M));
  ASSERT_TRUE(found);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LT((vectors.transpose() * M * vectors - Matrix::Identity(23, 23)).norm(), rounding * M.norm());
  EXPECT_LT((A * vectors - M * vectors * values.asDiagonal()).norm(), rounding * A.norm() * M.norm());
  EXPECT_LT((symmetric_eigenvalues(A, M).values - values).norm(), rounding * A.norm());
}

TEST(SymmetricEigen, SaysWhereThereIsNone) {
  const Matrix A = Matrix::Identity(4, 4), indefinite = Eigen::Vector4d(1.0, -1.0, 1.0, 1.0).asDiagonal();
  EXPECT_FALSE(symmetric_eigen(A, indefinite).found);
  EXPECT_FALSE(symmetric_eigenvalues(A, indefinite).found);
  EXPECT_FALSE(symmetric_eigen(Matrix(nan * A)).found);
}

TEST(SymmetricEigen, OfThreeRowsIsTheSame) {
  const Matrix3 A = random_symmetric(3, 4);
  const SymmetricEigen3 found = symmetric_eigen3(A);
  EXPECT_LT((found.values - symmetric_eigen(A).values).norm(), rounding);
  EXPECT_LT((A * found.vectors - found.vectors * found.values.asDiagonal()).norm(), rounding);
}

TEST(AbsoluteSolver, SolvesWithTheAbsoluteValuesOfEigenvalues) {
  for (const Index n : {1, 2, 3, 12}) {
    const Matrix A = random_symmetric(n, 31);
    const SymmetricEigen eigen = symmetric_eigen(A);
    const Matrix absolute = eigen.vectors * eigen.values.cwiseAbs().asDiagonal() * eigen.vectors.transpose();
    AbsoluteSolver solver;
    ASSERT_TRUE(solver.compute(with_any_upper_triangle(A), 0.0, 1e-12));
    const Vector b = test::random_vector(n, 1.0, 32);
    Vector x;
    solver.solve(b, x);
    EXPECT_LT((absolute * x - b).norm(), rounding * b.norm()) << n;
    const AbsoluteSolver copy = solver;
    Vector again = b;
    AbsoluteSolver(copy).solve(again, again);
    EXPECT_EQ(again, x) << n;
  }
}

TEST(AbsoluteSolver, TakesSmallEigenvaluesForTheFloorAndRefusesAllZeros) {
  AbsoluteSolver solver;
  ASSERT_TRUE(solver.compute(Vector3(4.0, 1e-9, -2.0).asDiagonal().toDenseMatrix(), 0.5, 0.0));
  Vector x;
  solver.solve(Vector::Ones(3), x);
  EXPECT_LT((x - Vector3(0.25, 2.0, 0.5)).norm(), rounding);
  EXPECT_FALSE(solver.compute(Matrix::Zero(3, 3), 0.0, 1e-12));
}

TEST(PositivePart, TakesNegativeEigenvaluesForZero) {
  for (const Index n : {1, 2, 3, 12}) {
    const Matrix A = random_symmetric(n, 33);
    const SymmetricEigen eigen = symmetric_eigen(A);
    Matrix positive = with_any_upper_triangle(A);
    PositivePart().take(positive);
    const Matrix expected =
        eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
    EXPECT_LT((positive - expected).norm(), rounding * A.norm()) << n;
  }
}

TEST(GeneralEigenvalues, OfARotationAreComplex) {
  Matrix A(2, 2);
  A << 0.6, -0.8, 0.8, 0.6;
  const Eigen::VectorXcd values = general_eigenvalues(A);
  ASSERT_EQ(values.size(), 2);
  EXPECT_NEAR(values(0).real(), 0.6, rounding);
  EXPECT_NEAR(std::abs(values(0).imag()), 0.8, rounding);
  EXPECT_EQ(general_eigenvalues(Matrix(0, 0)).size(), 0);
}

TEST(GeneralEigenvalues, AreThoseThatAMatrixWasMadeWith) {
  const Vector made = Vector::LinSpaced(9, -2.0, 5.0);
  const Matrix S = random_definite(9, 1),
               A = S * made.asDiagonal() * solve_general(S, Matrix::Identity(9, 9));
  Vector values = general_eigenvalues(A).real();
  std::sort(values.begin(), values.end());
  EXPECT_LT((values - made).norm(), 1e-10);
}

TEST(SolveGeneral, Solves) {
  const Matrix A = random_matrix(31, 31, 1), B = random_matrix(31, 4, 2);
  EXPECT_LT((A * solve_general(A, B) - B).norm(), 1e-10 * B.norm());
}

TEST(OrthonormalColumns, SpanTheColumns) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{20, 6}, {6, 6}, {4, 9}}) {
    const Matrix A = random_matrix(rows, columns, 1), Q = orthonormal_columns(A);
    ASSERT_EQ(Q.cols(), std::min(rows, columns));
    EXPECT_LT(distance_from_orthonormal(Q), rounding);
    EXPECT_LT((A - Q * (Q.transpose() * A)).norm(), rounding * A.norm());
  }
}

TEST(PivotColumns, ComeInTheOrderOfWhatTheyAdd) {
  Matrix A = Matrix::Zero(5, 4);
  A(0, 0) = 1.0;
  A.col(1) << 1.0, 0.1, 0.0, 0.0, 0.0;  // hardly more than column 0
  A(2, 2) = 3.0;
  A(3, 3) = 2.0;
  EXPECT_EQ(pivot_columns(A), (std::vector<Index>{2, 3, 1, 0}));
}

TEST(SolveLeastSquares, IsOrthogonalToWhatItMissesAndToWhatItNeedNotHave) {
  const Matrix A = random_matrix(15, 4, 1) * random_matrix(4, 9, 2), B = random_matrix(15, 2, 3);
  const Matrix X = solve_least_squares(A, B);
  EXPECT_LT((A.transpose() * (A * X - B)).norm(), rounding * A.squaredNorm());
  const Matrix reached = orthonormal_columns(A.transpose() * random_matrix(15, 4, 4));
  EXPECT_LT((X - reached * (reached.transpose() * X)).norm(), rounding * X.norm());
}

TEST(SingularValues, AreThoseOfTwoAlgorithmsForTallWideAndRankDeficientMatrices) {
  const Matrix tall = random_matrix(40, 7, 1);
  for (const Matrix& A : {tall, Matrix(tall.transpose()), Matrix(tall * random_matrix(7, 12, 2))}) {
    const Index k = std::min(A.rows(), A.cols());
    Matrix turned = A, turns(A.cols(), A.cols());
    orthogonalize_columns(turned, turns);
    EXPECT_LT((turned * turns.transpose() - A).norm(), rounding * A.norm());
    EXPECT_LT(distance_from_orthonormal(turns), rounding);
    Vector values = turned.colwise().norm();
    std::sort(values.begin(), values.end(), std::greater<>());

    const LeftSingularVectors left = left_singular_vectors(A), complete = left_singular_vectors(A, true);
    EXPECT_EQ(left.U.cols(), k);
    EXPECT_EQ(complete.U.cols(), A.rows());
    EXPECT_TRUE(std::is_sorted(left.values.begin(), left.values.end(), std::greater<>()));
    EXPECT_LT((left.values - values.head(k)).norm(), rounding * A.norm());
    EXPECT_LT(values.tail(A.cols() - k).norm(), rounding * A.norm());
    EXPECT_LT(distance_from_orthonormal(complete.U), rounding);
    EXPECT_LT((complete.U.leftCols(k) - left.U).norm(), rounding);
    EXPECT_LT(((A.transpose() * left.U).colwise().norm().transpose() - left.values).norm(),
              rounding * A.norm());
  }
}

}  // namespace
}  // namespace limber::decompositions_test
