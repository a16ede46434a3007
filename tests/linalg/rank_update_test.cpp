#include "limber/linalg/rank_update.hpp"

#include "tests/support/files.hpp"

#include <gtest/gtest.h>

namespace limber::rank_update_test {
namespace {

TEST(RankUpdate, AddsTheProductsOfColumnsToTheLowerTriangle) {
  const Matrix A = Matrix::Random(40, 17), start = Matrix::Random(17, 17);
  const Matrix expected = start - 0.7 * A.topRows(33).transpose() * A.topRows(33);
  for (const auto update : {add_rank_update, add_rank_update_by_eigen}) {
    Matrix C = start;
    update(-0.7, A.topRows(33), C);
    const Matrix error = C - expected;
    EXPECT_LT(Matrix(error.triangularView<Eigen::Lower>()).norm(), 1e-14 * expected.norm());
    EXPECT_EQ(Matrix(C.triangularView<Eigen::StrictlyUpper>()),
              Matrix(start.triangularView<Eigen::StrictlyUpper>()));
  }
}

TEST(RankUpdate, OfNoRowsChangesNothing) {
  const Matrix start = Matrix::Random(5, 5);
  for (const auto update : {add_rank_update, add_rank_update_by_eigen}) {
    Matrix C = start;
    update(1.0, Matrix(0, 5), C);
    EXPECT_EQ(C, start);
  }
}

TEST(RankUpdate, RefusesAMatrixOfAnotherSize) {
  Matrix C = Matrix::Zero(5, 4);
  for (const auto update : {add_rank_update, add_rank_update_by_eigen}) {
    EXPECT_EQ(test::error_text([&] { update(1.0, Matrix::Ones(3, 5), C); }),
              "a 5 x 4 matrix cannot take the products of 5 columns");
  }
}

}  // namespace
}  // namespace limber::rank_update_test
