#include "limber/multidomain/elimination.hpp"

#include "limber/linalg/symmetric_solve.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

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
  for (const Index rank : {1, 7, 8, 9, 20}) {
    const Index n = rank + 7;
    Padded S(n, 1);
    const Matrix top = S.whole.topLeftCorner(rank, rank), side = S.whole.bottomLeftCorner(7, rank);
    const Matrix schur = S.whole.bottomRightCorner(7, 7) - side * solve_symmetric(top, side.transpose());
    ASSERT_TRUE(eliminate(S.lower, rank));
    const Matrix left = S.lower.block(rank, rank, 7, 7).selfadjointView<Eigen::Lower>();
    EXPECT_LE((left - schur).norm(), 1e-12 * schur.norm()) << rank;

    Vector z = Vector::Zero(padded(n));
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
