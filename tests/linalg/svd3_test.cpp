#include "limber/linalg/svd3.hpp"

#include "limber/linalg/svd.hpp"
#include "tests/support/fixtures.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace limber::svd3_test {
namespace {

void expect_valid(const Matrix3& F) {
  const RotationSvd svd = rotation_svd(F);
  const double scale = F.norm();
  EXPECT_LT((svd.U * svd.sigma.asDiagonal() * svd.V.transpose() - F).norm(), 2e-15 * scale + 1e-300) << F;
  EXPECT_LT((svd.U.transpose() * svd.U - Matrix3::Identity()).norm(), 1e-14) << F;
  EXPECT_LT((svd.V.transpose() * svd.V - Matrix3::Identity()).norm(), 1e-14) << F;
  EXPECT_NEAR(svd.U.determinant(), 1.0, 1e-14);
  EXPECT_NEAR(svd.V.determinant(), 1.0, 1e-14);
  EXPECT_GE(svd.sigma(0), svd.sigma(1));
  EXPECT_GE(svd.sigma(1), std::abs(svd.sigma(2)) - 1e-15 * scale);
  if (F.determinant() < -1e-14 * scale * scale * scale) {
    EXPECT_LT(svd.sigma(2), 0.0);
  }
}

TEST(RotationSvd, RecoversRandomMatricesBothWaysRound) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) expect_valid(test::random_matrix3(1.0, seed));
}

TEST(RotationSvd, HandlesMatricesWithoutAUniqueAnswer) {
  expect_valid(Matrix3::Identity());
  expect_valid(-Matrix3::Identity());
  expect_valid(Matrix3::Zero());
  expect_valid(test::some_rotation());
  expect_valid(Vector3(1.0, 0.0, 0.0).asDiagonal());
  expect_valid(Vector3(0.0, 2.0, 0.0).asDiagonal());
  expect_valid(Vector3(1.0, 1.0, 0.0).asDiagonal());
  expect_valid(Matrix3::Ones());
  expect_valid(1e-200 * test::random_matrix3(1.0, 1));
  expect_valid(1e150 * test::random_matrix3(1.0, 2));
}

TEST(RotationSvd, AgreesWithAnIndependentSolver) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Matrix3 F = test::random_matrix3(1.0, seed);
    const Vector3 expected = left_singular_vectors(F).values;
    EXPECT_LT((rotation_svd(F).sigma.cwiseAbs() - expected).norm(), 1e-14);
  }
}

TEST(PolarDecomposition, GivesTheNearestRotation) {
  const Matrix3 R = test::some_rotation();
  const Matrix3 A = test::random_matrix3(0.2, 3);
  const Matrix3 S = Matrix3::Identity() + A + A.transpose();
  const PolarDecomposition polar = polar_decomposition(R * S);
  EXPECT_LT((polar.R - R).norm(), 1e-14);
  EXPECT_LT((polar.S - S).norm(), 1e-14);
}

}  // namespace
}  // namespace limber::svd3_test
