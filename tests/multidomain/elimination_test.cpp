#include "limber/multidomain/elimination.hpp"

#include "limber/linalg/symmetric_solve.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::elimination_test {
namespace {

using test::random_vector;

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  return random_vector(rows * cols, 1.0, seed).reshaped(rows, cols);
}

/// A positive definite matrix, and the same as these functions have it.
struct Padded {
  Matrix whole, lower;

  Padded(Index n, std::uint64_t seed) {
    const Matrix A = random_matrix(n, n, seed);
    whole = A * A.transpose() + Matrix::Identity(n, n);
    lower = Matrix::Zero(padded(n), n);
    lower.topRows(n).triangularView<Eigen::Lower>() = whole;
  }
};

TEST(Elimination, LeavesTheSchurComplement) {
  for (const Index rank : {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 20, 30}) {
    const Index n = rank + 7;
    Padded S(n, 1);
    const Matrix top = S.whole.topLeftCorner(rank, rank), side = S.whole.bottomLeftCorner(7, rank);
    const Matrix schur = S.whole.bottomRightCorner(7, 7) - side * solve_symmetric(top, side.transpose());
    ASSERT_TRUE(eliminate(S.lower, rank));
    const Matrix left = S.lower.block(rank, rank, 7, 7).selfadjointView<Eigen::Lower>();
    EXPECT_LE((left - schur).norm(), 1e-12 * schur.norm()) << rank;

    Vector z = Vector::Zero(padded(n));
    z.head(rank).setConstant(std::numeric_limits<double>::quiet_NaN());  // it is not read
    z.segment(rank, 7) = random_vector(7, 1.0, 2);
    const Vector expected = -solve_symmetric(top, side.transpose() * z.segment(rank, 7));
    substitute(S.lower, rank, z);
    EXPECT_LE((z.head(rank) - expected).norm(), 1e-12 * expected.norm()) << rank;
  }
}

TEST(Elimination, SaysWhenAPivotIsNotPositive) {
  Padded S(12, 3);
  S.lower(4, 4) = -100.0;
  EXPECT_FALSE(eliminate(S.lower, 5));
  Padded T(12, 3);
  T.lower(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(eliminate(T.lower, 5));
}

TEST(Elimination, AddsASymmetricMatrixAndItsProduct) {
  for (const Index rank : {1, 2, 7, 8, 9, 16, 30}) {
    const Index n = rank + 7;
    Padded S(n, 7);
    // What follows the matrix in memory is nobody's business.
    Vector memory = Vector::Constant(rank * rank + packet_size, std::numeric_limits<double>::quiet_NaN());
    const Matrix B = random_matrix(rank, rank, 8), A = B + B.transpose();
    memory.head(rank * rank) = A.reshaped();
    const Vector x = random_vector(rank, 1.0, 9);
    Vector y = random_vector(padded(rank), 1.0, 10);
    Matrix sum = S.whole;
    sum.topLeftCorner(rank, rank) += 0.7 * A;
    const Vector product = y.head(rank) + A * x, rest = y.tail(padded(rank) - rank);
    add_symmetric(S.lower, memory.data(), rank, 0.7, x.data(), y.data());
    const Matrix found = S.lower.topRows(n).selfadjointView<Eigen::Lower>();
    EXPECT_LE((found - sum).norm(), 1e-14 * sum.norm()) << rank;
    EXPECT_LE((y.head(rank) - product).norm(), 1e-14 * product.norm()) << rank;
    EXPECT_EQ(y.tail(padded(rank) - rank), rest) << rank;
  }
}

TEST(Elimination, SolvesForRigidMotions) {
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  const Padded S(6, 11);
  const Matrix6 A = S.whole;
  const Vector6 b = random_vector(6, 1.0, 12);
  EXPECT_LE((A * solve_rigid(A, b) - b).norm(), 1e-13 * b.norm());
  // Point masses on a line do not resist to be turned about it.
  Matrix6 line = Matrix6::Zero();
  line.diagonal() << 2.0, 2.0, 2.0, 0.0, 3.0, 3.0;
  Vector6 load = b;
  load(3) = 0.0;
  const Vector6 x = solve_rigid(line, load);
  EXPECT_LE((line * x - load).norm(), 1e-14);
  EXPECT_EQ(x(3), 0.0);
}

TEST(Elimination, AddsWhatIsCarried) {
  for (const Index n : {7, 15, 16, 27}) {
    Padded S(n, 4);
    Matrix carried = Matrix::Zero(padded(n), 7), work = carried;
    carried.topRows(n) = random_matrix(n, 7, 5);
    const Matrix B = random_matrix(7, 7, 6);
    const Matrix7 C = B + B.transpose();
    const Matrix expected = S.whole + carried.topRows(n) * C * carried.topRows(n).transpose();
    add_carried(S.lower, carried, C, work);
    const Matrix found = S.lower.topRows(n).selfadjointView<Eigen::Lower>();
    EXPECT_LE((found - expected).norm(), 1e-12 * expected.norm()) << n;
  }
}

}  // namespace
}  // namespace limber::elimination_test
