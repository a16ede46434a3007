#include "limber/warp/damped_inverse.hpp"

#include "limber/linalg/qr.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::damped_inverse_test {
namespace {

using test::random_vector;

Matrix damped_inverse(const Matrix& A, double scale) {
  DampedInverse result;
  result.compute(A, scale);
  return result.inverse();
}

TEST(DampedInverse, IsThePseudoInverseOfAWellConditionedMatrix) {
  const Matrix A = random_vector(12, 1.0, 2).reshaped(3, 4);
  const Matrix expected = solve_least_squares(A, Matrix::Identity(3, 3));
  EXPECT_LT((damped_inverse(A, A.norm()) - expected).norm(), 1e-12 * expected.norm());
}

TEST(DampedInverse, StaysBoundedNextToASingularMatrix) {
  for (const double s : {1e-4, 1e-6, 1e-7, 1e-9, 1e-16, 0.0}) {
    const Matrix A = Vector3(1.0, 0.5, s).asDiagonal();
    EXPECT_LE(damped_inverse(A, 1.0).norm(), 1.3 / DampedInverse::singular_share) << s;
  }
}

}  // namespace
}  // namespace limber::damped_inverse_test
