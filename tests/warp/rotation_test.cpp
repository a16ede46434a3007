#include "limber/warp/rotation.hpp"

#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

namespace limber::rotation_test {
namespace {

using std::numbers::pi;

/// The sum of (-x)^k / (n + 2k)!, which is s, c, e for n = 1, 2, 3.
long double series(long double x, int n) {
  long double term = 1.0L, sum = 0.0L;
  for (int i = 2; i <= n; ++i) term /= i;
  for (int k = 0; k < 40; ++k) {
    sum += term;
    term *= -x / ((n + 2 * k + 1) * (n + 2 * k + 2));
  }
  return sum;
}

RotationFactors<long double> exact_factors(long double x) {
  const long double t = std::sqrt(x);
  if (t < 2.0L) return {series(x, 1), series(x, 2), series(x, 3)};
  return {std::sin(t) / t, (1.0L - std::cos(t)) / x, (t - std::sin(t)) / (t * x)};
}

/// Rotation vectors of all sizes that matter.
std::vector<Vector3> some_vectors() {
  std::vector<Vector3> vectors;
  for (const double angle : {1e-9, 1e-3, 0.3, 1.0, 1.99, 2.01, 3.0, 5.0, 9.0})
    vectors.emplace_back(angle * Vector3(0.3, -0.8, 0.5).normalized());
  return vectors;
}

template <class Scalar>
class RotationFactorsOf : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RotationFactorsOf, Scalars, );

TYPED_TEST(RotationFactorsOf, AreExactToRounding) {
  const long double rounding = 4.0L * std::numeric_limits<TypeParam>::epsilon();
  const auto check = [&](double t) {
    const auto x = static_cast<TypeParam>(t * t);
    const auto f = rotation_factors(x);
    const auto exact = exact_factors(x);
    // Relative to the largest values near t: a sine may be zero.
    EXPECT_LT(std::abs(f.sine - exact.sine) * std::max(1.0, t), rounding) << "s at " << t;
    EXPECT_LT(std::abs(f.cosine - exact.cosine) * std::max(2.0, t * t), rounding) << "c at " << t;
    EXPECT_LT(std::abs(f.mean - exact.mean) * std::max(6.0, t * t), rounding) << "e at " << t;
  };
  for (double t = 1e-12; t < 0.1; t *= 1.07) check(t);
  for (double t = 0.1; t < 6.3; t += 0.0037) check(t);
}

TYPED_TEST(RotationFactorsOf, AreThoseOfTheLimitAtZero) {
  const auto f = rotation_factors(TypeParam(0));
  EXPECT_EQ(f.sine, TypeParam(1));
  EXPECT_EQ(f.cosine, TypeParam(0.5));
  EXPECT_EQ(f.mean, TypeParam(1) / 6);
}

TEST(Rotation, IsThatOfTheAngleAndTheAxis) {
  for (const Vector3& w : some_vectors()) {
    const Matrix3 expected = Eigen::AngleAxisd(w.norm(), w.normalized()).toRotationMatrix();
    EXPECT_LT((rotation_matrix(w) - expected).norm(), 3e-15) << w.norm();
  }
}

TEST(Rotation, HasAMeanThatIsTheIntegralOverItsWay) {
  // Gauss-Legendre with three points on each of 200 pieces: an error of 1e-14.
  for (const Vector3& w : some_vectors()) {
    Matrix3 sum = Matrix3::Zero();
    const int pieces = 200;
    for (int i = 0; i < pieces; ++i) {
      for (int point = -1; point <= 1; ++point) {
        const double x = (i + 0.5 + 0.5 * point * std::sqrt(0.6)) / pieces;
        sum += (point == 0 ? 4.0 : 2.5) / 9.0 / pieces * rotation_matrix(x * w);
      }
    }
    EXPECT_LT((mean_rotation(w) - sum).norm(), 3e-14) << w.norm();
  }
}

TEST(Rotation, HasAMeanThatIsItsLeftJacobian) {
  const Vector3 direction(0.4, 0.7, -0.2);
  for (const Vector3& w : some_vectors()) {
    const double slope = test::remainder_slope(
        [&](double h) {
          const Matrix3 expected = rotation_matrix(h * mean_rotation(w) * direction) * rotation_matrix(w);
          return (rotation_matrix(w + h * direction) - expected).norm();
        },
        1.0);
    EXPECT_GT(slope, 1.95) << w.norm();
  }
}

TEST(Rotation, HasTheDerivativeOfItsMean) {
  const Vector3 direction(0.4, 0.7, -0.2), x(1.1, -0.6, 0.9);
  for (const Vector3& w : some_vectors()) {
    const double slope = test::remainder_slope(
        [&](double h) {
          const Vector3 change = mean_rotation(w + h * direction) * x - mean_rotation(w) * x;
          return (change - h * mean_rotation_derivative(w, x) * direction).norm();
        },
        1.0);
    EXPECT_NEAR(slope, 2.0, 0.05) << w.norm();
  }
}

TEST(Rotation, HasTheSecondDerivativeOfItsMean) {
  const Vector3 direction(0.4, 0.7, -0.2), x(1.1, -0.6, 0.9), a(0.3, 0.8, -1.2);
  for (const Vector3& w : some_vectors()) {
    const auto gradient = [&](const Vector3& at) -> Vector3 {
      return mean_rotation_derivative(at, x).transpose() * a;
    };
    const double slope = test::remainder_slope(
        [&](double h) {
          const Vector3 change = gradient(w + h * direction) - gradient(w);
          return (change - h * mean_rotation_curvature(w, x, a) * direction).norm();
        },
        1.0);
    EXPECT_NEAR(slope, 2.0, 0.05) << w.norm();
  }
}

TEST(Rotation, HasADerivativeThatIsContinuousWhereItsSeriesEnds) {
  const Vector3 axis = Vector3(0.3, -0.8, 0.5).normalized(), x(1.1, -0.6, 0.9), a(0.3, 0.8, -1.2);
  const Matrix3 flat = mean_rotation_curvature((2.0 - 1e-15) * axis, x, a);
  EXPECT_LT((flat - mean_rotation_curvature((2.0 + 1e-15) * axis, x, a)).norm(), 2e-14);
  const Matrix3 below = mean_rotation_derivative((2.0 - 1e-15) * axis, x);
  const Matrix3 above = mean_rotation_derivative((2.0 + 1e-15) * axis, x);
  EXPECT_LT((below - above).norm(), 2e-14);
}

TEST(RotationVector, IsThatOfTheQuaternion) {
  const Vector3 axis = Vector3(0.3, -0.8, 0.5).normalized();
  for (const double angle : {0.0, 1e-200, 1e-9, 0.3, 2.0, 3.1}) {
    const Eigen::Quaterniond rotation(Eigen::AngleAxisd(angle, axis));
    EXPECT_LT((rotation_vector(rotation) - angle * axis).norm(), 2e-15 * angle + 1e-300) << angle;
  }
}

TEST(RotationVector, IsTheSameForBothQuaternionsOfARotation) {
  const Eigen::Quaterniond rotation(Eigen::AngleAxisd(2.5, Vector3(0.3, -0.8, 0.5).normalized()));
  const Eigen::Quaterniond other(-rotation.coeffs());
  EXPECT_EQ(rotation_vector(rotation), rotation_vector(other));
}

TEST(RotationVector, HasAtMostHalfATurn) {
  const Vector3 axis = Vector3(0.3, -0.8, 0.5).normalized();
  const Eigen::Quaterniond rotation(Eigen::AngleAxisd(4.0, axis));
  EXPECT_LT((rotation_vector(rotation) - (4.0 - 2.0 * pi) * axis).norm(), 4e-15);
  EXPECT_NEAR(rotation_vector(Eigen::Quaterniond(0.0, 1.0, 0.0, 0.0)).x(), pi, 1e-15);
}

TEST(NearestRotationVector, FollowsATargetThroughManyTurnsBothWays) {
  const Vector3 axis = Vector3(0.3, -0.8, 0.5).normalized();
  for (const double direction : {1.0, -1.0}) {
    Vector3 w = Vector3::Zero();
    for (int i = 1; i <= 200; ++i) {
      const double angle = 0.1 * direction * i;  // more than three turns, past pi and 2 pi
      w = nearest_rotation_vector(Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis)), w);
      EXPECT_LT((w - angle * axis).norm(), 1e-13) << angle;
    }
  }
}

TEST(NearestRotationVector, TakesTheSideOfHalfATurnThatIsNear) {
  const Eigen::Quaterniond half_turn(0.0, 0.0, 1.0, 0.0);
  EXPECT_LT((nearest_rotation_vector(half_turn, Vector3(0, 3, 0)) - Vector3(0, pi, 0)).norm(), 1e-15);
  EXPECT_LT((nearest_rotation_vector(half_turn, Vector3(0, -3, 0)) - Vector3(0, -pi, 0)).norm(), 1e-15);
  EXPECT_LT((nearest_rotation_vector(half_turn, Vector3(0, 9, 0)) - Vector3(0, 3 * pi, 0)).norm(), 2e-15);
}

TEST(NearestRotationVector, KeepsWholeTurnsOfTheIdentityAboutTheSameAxis) {
  const Eigen::Quaterniond identity = Eigen::Quaterniond::Identity();
  const Vector3 axis = Vector3(0.3, -0.8, 0.5).normalized();
  for (const int turns : {0, 1, 2, 5}) {
    const Vector3 near = 2.0 * pi * turns * axis;
    EXPECT_LT((nearest_rotation_vector(identity, near) - near).norm(), 1e-14) << turns;
    EXPECT_LT((nearest_rotation_vector(identity, 0.98 * near) - near).norm(), 1e-14) << turns;
  }
}

TEST(NearestRotationVector, IsNotMisledByRoundingOfTheIdentity) {
  const Vector3 near = 2.0 * pi * Vector3::UnitZ();
  const Eigen::Quaterniond almost(1.0, 3e-17, -1e-17, 2e-17);
  EXPECT_LT((nearest_rotation_vector(almost, near) - near).norm(), 1e-14);
}

TEST(NearestRotationVector, StandsForTheSameRotation) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Vector3 w = test::random_vector(3, 3.0, seed), near = test::random_vector(3, 9.0, 100 + seed);
    const Eigen::Quaterniond rotation(rotation_matrix(w));
    const Vector3 nearest = nearest_rotation_vector(rotation, near);
    EXPECT_LT((rotation_matrix(nearest) - rotation_matrix(w)).norm(), 2e-14) << seed;
    for (const double turns : {-2.0, -1.0, 1.0, 2.0}) {
      const Vector3 other = nearest + turns * 2.0 * pi * w.normalized();
      EXPECT_LE((nearest - near).norm(), (other - near).norm() + 1e-13) << seed;
    }
  }
}

TEST(RotationBetween, TurnsOneDirectionToTheOther) {
  const Vector3 from(0.3, -1.0, 2.0);
  for (const Vector3& to :
       {Vector3(0.0, 0.0, 5.0), Vector3(from * 2.0), Vector3(-from), Vector3(-from + Vector3(0.0, 1e-6, 0.0)),
        Vector3(-from + Vector3(1e-11, 0.0, 0.0))}) {
    const Eigen::Quaterniond turn = rotation_between(from, to);
    EXPECT_NEAR(turn.norm(), 1.0, 1e-14) << to.transpose();
    EXPECT_LT((turn * from.normalized() - to.normalized()).norm(), 1e-7) << to.transpose();
    EXPECT_NEAR(turn.vec().dot(from.normalized()), 0.0, 1e-7) << to.transpose();
  }
}

}  // namespace
}  // namespace limber::rotation_test
