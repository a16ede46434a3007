#include "limber/multidomain/interface_frame.hpp"

#include "limber/linalg/svd3.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

namespace limber::interface_frame_test {
namespace {

using test::random_matrix3;

/// The covariance of points with these spreads along the axes; 0 for a planar interface.
Matrix3 covariance(double thickness) { return Vector3(1.0, 0.6, thickness).asDiagonal(); }

/// A(t): an interface that turns and deforms along a parabola.
struct MovingInterface {
  Matrix3 A0, A1, A2;

  explicit MovingInterface(double thickness)
      : A0((test::some_rotation() + random_matrix3(0.2, 1)) * covariance(thickness)),
        A1(random_matrix3(1.0, 2) * covariance(thickness)),
        A2(random_matrix3(1.0, 3) * covariance(thickness)) {}

  [[nodiscard]] Matrix3 at(double t) const { return A0 + t * A1 + 0.5 * t * t * A2; }
  [[nodiscard]] Matrix3 rotation(double t) const { return polar_decomposition(at(t)).R; }
};

class Interfaces : public testing::TestWithParam<double> {};

TEST_P(Interfaces, RotationIsThatOfThePolarDecomposition) {
  const MovingInterface interface(GetParam());
  EXPECT_LE((nearest_rotation(interface.A0, Matrix3::Identity()) - interface.rotation(0.0)).norm(), 1e-14);
  EXPECT_LE((nearest_rotation(interface.A0, interface.rotation(-0.1)) - interface.rotation(0.0)).norm(),
            1e-14);
}

TEST_P(Interfaces, FirstDerivativeOfTheRotation) {
  const MovingInterface interface(GetParam());
  const Matrix3 R = interface.rotation(0.0);
  const Vector3 w = PolarRates(interface.A0, R).velocity(interface.A1);
  const auto remainder = [&](double h) {
    return (interface.rotation(h) - R - h * cross_matrix(w) * R).norm();
  };
  EXPECT_GT(test::remainder_slope(remainder, 1.0), 1.9);
}

TEST_P(Interfaces, DerivativesOfTheSpreads) {
  const MovingInterface interface(GetParam());
  const Matrix3 R = interface.rotation(0.0);
  const Spreads start = spreads_of(interface.A0, R);
  Vector3 rates;
  for (int i = 0; i < 3; ++i) {
    const Vector3 axis = start.axes.col(i);
    rates(i) = ((Matrix3::Identity() - axis * axis.transpose()) * R).cwiseProduct(interface.A1).sum();
  }
  const auto remainder = [&](double h) {
    return (spreads_of(interface.at(h), interface.rotation(h)).values - start.values - h * rates).norm();
  };
  EXPECT_GT(test::remainder_slope(remainder, 1.0), 1.9);
}

TEST_P(Interfaces, SecondDerivativeOfTheRotation) {
  const MovingInterface interface(GetParam());
  const Matrix3 R = interface.rotation(0.0);
  const PolarRates rates(interface.A0, R);
  const Matrix3 W = cross_matrix(rates.velocity(interface.A1));
  const Matrix3 W1 =
      cross_matrix(rates.acceleration(interface.A1, interface.A2, rates.velocity(interface.A1)));
  const auto remainder = [&](double h) {
    return (interface.rotation(h) - R - h * W * R - 0.5 * h * h * (W1 + W * W) * R).norm();
  };
  EXPECT_GT(test::remainder_slope(remainder, 1.0), 2.9);
}

TEST_P(Interfaces, MatrixOfTheVelocityIsTheVelocity) {
  const MovingInterface interface(GetParam());
  const PolarRates rates(interface.A0, interface.rotation(0.0));
  const Vector3 product = rates.velocity_matrix() * interface.A1.reshaped();
  EXPECT_LE((product - rates.velocity(interface.A1)).norm(), 1e-13 * product.norm());
}

INSTANTIATE_TEST_SUITE_P(Thickness, Interfaces, testing::Values(0.4, 1e-3, 1e-8, 0.0));

TEST(NearestRotation, APlaneThatTurnsIsFollowedAllTheWay) {
  // An extra point on the normal that stays where it is, [Barbic & Zhao 2011, section 3], would make this
  // half of the angle.
  for (double angle = 0.1; angle < 3.1; angle += 0.3) {
    const Matrix3 turned = Eigen::AngleAxisd(angle, Vector3(1.0, 0.4, 0.0).normalized()).toRotationMatrix();
    EXPECT_LE((nearest_rotation(turned * covariance(0.0), Matrix3::Identity()) - turned).norm(), 1e-13)
        << angle;
  }
}

TEST(NearestRotation, StaysARotationOverManySteps) {
  Matrix3 R = Matrix3::Identity();
  for (int i = 0; i < 20000; ++i) {
    const Matrix3 turned =
        Eigen::AngleAxisd(0.01 * i, Vector3(1.0, -0.4, 0.3).normalized()).toRotationMatrix();
    R = nearest_rotation(turned * covariance(0.0), R);
  }
  EXPECT_LE((R.transpose() * R - Matrix3::Identity()).norm(), 1e-14);
  EXPECT_GT(R.determinant(), 0.0);
}

TEST(NearestRotation, FindsItsWayFromABadStart) {
  const Matrix3 turned = test::some_rotation();
  const Matrix3 opposite = Eigen::AngleAxisd(3.1, Vector3::UnitX()) * turned;
  EXPECT_LE((nearest_rotation(turned * covariance(0.3), opposite) - turned).norm(), 1e-13);
}

}  // namespace
}  // namespace limber::interface_frame_test
