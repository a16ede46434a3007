#include "limber/warp/pose.hpp"

#include "limber/base/error.hpp"
#include "tests/support/files.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace limber::pose_test {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;

const Vector3 some_axis = Vector3(0.3, -0.7, 0.6).normalized();

void expect_part(const std::string& text, std::string_view part) {
  EXPECT_TRUE(test::contains(text, part)) << text;
}

double distance(const Pose& a, const Pose& b) {
  return (a.position - b.position).norm() + a.rotation.angularDistance(b.rotation);
}

Pose some_pose(double x) {
  return {Vector3(std::sin(x), 2.0 * x, -x * x),
          Quaterniond(AngleAxisd(x, some_axis)) * Quaterniond(AngleAxisd(0.5 * x, Vector3::UnitX()))};
}

std::vector<PoseKey> some_keys() {
  return {{-0.5, some_pose(0.2)}, {0.25, some_pose(-0.4)}, {0.5, some_pose(0.9)}, {2.0, some_pose(1.3)}};
}

/// The order in h with which an error shrinks.
template <class Error>
double order(const Error& error, double h) {
  return std::log2(error(h) / error(0.5 * h));
}

TEST(Pose, TimesItsInverseIsTheIdentity) {
  const Pose pose = some_pose(0.7);
  EXPECT_LT(distance(pose * pose.inverse(), Pose()), 1e-15);
  EXPECT_LT(distance(pose.inverse() * pose, Pose()), 1e-15);
}

TEST(Pose, OfAProductIsThatOfOneAfterTheOther) {
  const Pose a = some_pose(0.7);
  const Pose b = some_pose(-1.9);
  const Vector3 x(1.0, 2.0, 3.0);
  EXPECT_LT(((a * b).apply(x) - a.apply(b.apply(x))).norm(), 1e-14);
}

class Interpolated : public testing::TestWithParam<Interpolation> {};

TEST_P(Interpolated, MotionPassesThroughItsKeys) {
  const PoseFunction motion = interpolate_poses(some_keys(), GetParam());
  for (const PoseKey& key : some_keys()) EXPECT_LT(distance(motion(key.time), key.pose), 1e-15) << key.time;
}

TEST_P(Interpolated, MotionStaysWhereItIsBeforeAndAfterItsKeys) {
  const PoseFunction motion = interpolate_poses(some_keys(), GetParam());
  EXPECT_LT(distance(motion(-100.0), some_keys().front().pose), 1e-15);
  EXPECT_LT(distance(motion(100.0), some_keys().back().pose), 1e-15);
}

TEST_P(Interpolated, MotionOfOneKeyStandsStill) {
  const PoseFunction motion = interpolate_poses({{1.0, some_pose(0.3)}}, GetParam());
  for (const double t : {0.0, 1.0, 2.0}) EXPECT_LT(distance(motion(t), some_pose(0.3)), 1e-15) << t;
}

TEST_P(Interpolated, MotionDoesNotDependOnTheSignsOfQuaternions) {
  std::vector<PoseKey> keys = some_keys();
  for (std::size_t k = 1; k < keys.size(); k += 2) keys[k].pose.rotation.coeffs() *= -1.0;
  const PoseFunction motion = interpolate_poses(some_keys(), GetParam());
  const PoseFunction flipped = interpolate_poses(keys, GetParam());
  for (double t = -0.5; t < 2.0; t += 0.1) EXPECT_LT(distance(motion(t), flipped(t)), 1e-14) << t;
}

TEST_P(Interpolated, RotationsAreOfUnitLength) {
  std::vector<PoseKey> keys = some_keys();
  keys[1].pose.rotation.coeffs() *= 1.0 + 5e-7;  // as text files round them
  const PoseFunction motion = interpolate_poses(keys, GetParam());
  for (double t = -0.5; t < 2.0; t += 0.1) EXPECT_NEAR(motion(t).rotation.norm(), 1.0, 1e-15) << t;
}

TEST_P(Interpolated, MotionTurnsTheShortWayHalfWayThere) {
  const PoseFunction motion = interpolate_poses(
      {{0.0, Pose()}, {1.0, {Vector3::UnitX(), Quaterniond(AngleAxisd(1.2, some_axis))}}}, GetParam());
  EXPECT_LT(distance(motion(0.5), {0.5 * Vector3::UnitX(), Quaterniond(AngleAxisd(0.6, some_axis))}), 1e-14);
}

TEST_P(Interpolated, KeysThatSayNoMotionAreRefused) {
  const auto refusal = [](const std::vector<PoseKey>& keys) {
    return test::error_text([&] { (void)interpolate_poses(keys, GetParam()); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_part(refusal({}), "at least one key");
  expect_part(refusal({{0.0, Pose()}, {0.0, Pose()}}), "keys 0 and 1 are at 0 s and 0 s, expected ascending");
  expect_part(refusal({{nan, Pose()}}), "key 0: its time is nan");
  expect_part(refusal({{0.0, Pose()}, {1.0, {Vector3(0.0, nan, 0.0), Quaterniond::Identity()}}}),
              "key 1 at 1 s: its position is not finite");
  expect_part(refusal({{0.0, {Vector3::Zero(), Quaterniond(2.0, 0.0, 0.0, 0.0)}}}),
              "its quaternion has length 2, expected 1");
  expect_part(refusal({{0.0, {Vector3::Zero(), Quaterniond(nan, 0.0, 0.0, 0.0)}}}), "length nan");
  const Quaterniond far(AngleAxisd(175.0 / 180.0 * std::numbers::pi, some_axis));
  expect_part(refusal({{0.0, Pose()}, {1.0, {Vector3::Zero(), far}}}),
              "keys 0 and 1 differ by a rotation of 175 degrees, expected at most 170");
}

INSTANTIATE_TEST_SUITE_P(All, Interpolated, testing::Values(Interpolation::linear, Interpolation::smooth),
                         [](const testing::TestParamInfo<Interpolation>& kind) {
                           return kind.param == Interpolation::linear ? "linear" : "smooth";
                         });

TEST(LinearMotion, HasConstantSpeeds) {
  const PoseFunction motion = interpolate_poses(
      {{0.0, Pose()}, {2.0, {Vector3(4.0, 0.0, -2.0), Quaterniond(AngleAxisd(1.2, some_axis))}}},
      Interpolation::linear);
  for (const double t : {0.25, 0.5, 1.7}) {
    const Pose expected{t * Vector3(2.0, 0.0, -1.0), Quaterniond(AngleAxisd(0.6 * t, some_axis))};
    EXPECT_LT(distance(motion(t), expected), 1e-14) << t;
  }
}

/// A cubic with zero velocity at both ends is its own clamped spline.
TEST(SmoothMotion, ReproducesACubic) {
  const auto cubic = [](double t) {
    return Vector3(t * t * (3.0 - 2.0 * t), 0.0, -4.0 * t * t * (3.0 - 2.0 * t));
  };
  std::vector<PoseKey> keys;
  for (const double t : {0.0, 0.1, 0.45, 0.5, 0.8, 1.0})
    keys.push_back({t, {cubic(t), Quaterniond::Identity()}});
  const PoseFunction motion = interpolate_poses(keys, Interpolation::smooth);
  for (double t = 0.0; t <= 1.0; t += 0.05) EXPECT_LT((motion(t).position - cubic(t)).norm(), 1e-14) << t;
}

TEST(SmoothMotion, IsAtRestAtItsEnds) {
  const PoseFunction motion = interpolate_poses(some_keys(), Interpolation::smooth);
  for (const double end : {-0.5, 2.0}) {
    const double h = 1e-5;
    EXPECT_LT(distance(motion(end - h), motion(end + h)) / h, 1e-3)
        << end;  // O(h) from one side, 0 from the other
  }
}

/// Second differences on either side of a key differ by O(h) where accelerations are continuous, by O(1)
/// where not.
TEST(SmoothMotion, HasContinuousAccelerationsAtItsKeys) {
  const PoseFunction motion = interpolate_poses(some_keys(), Interpolation::smooth);
  for (const double key : {0.25, 0.5}) {
    const auto jump = [&](double h) {
      const FrameMotion before = frame_motion(motion, key - h, h);
      const FrameMotion after = frame_motion(motion, key + h, h);
      const Vector3 turned = motion(key - h).rotation * before.acceleration;
      return (motion(key + h).rotation * after.acceleration - turned).norm() +
             (after.angular_acceleration - before.angular_acceleration).norm();
    };
    EXPECT_NEAR(order(jump, 1e-2), 1.0, 0.15) << key;
  }
}

/// A spline through ever more keys of a smooth motion that starts and ends at rest.
TEST(SmoothMotion, ApproachesAMotionWithOrderFour) {
  const auto truth = [](double t) {
    const double angle = 0.8 * (1.0 - std::cos(std::numbers::pi * t));
    return Pose{Vector3(angle, 0.0, angle * angle), Quaterniond(AngleAxisd(angle, some_axis))};
  };
  const auto error = [&](double h) {
    std::vector<PoseKey> keys;
    for (double t = 0.0; t < 1.0 + 0.5 * h; t += h) keys.push_back({t, truth(t)});
    const PoseFunction motion = interpolate_poses(keys, Interpolation::smooth);
    double largest = 0.0;
    for (double t = 0.0; t <= 1.0; t += 0.003) largest = std::max(largest, distance(motion(t), truth(t)));
    return largest;
  };
  EXPECT_NEAR(order(error, 1.0 / 16.0), 4.0, 0.3);
}

TEST(SmoothMotion, RefusesKeysThatAreTooNearInTime) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<PoseKey> keys{{0.0, Pose()}, {tiny, some_pose(1.0)}, {1.0, Pose()}};
  expect_part(test::error_text([&] { (void)interpolate_poses(keys, Interpolation::smooth); }),
              "too near in time");
}

TEST(MotionFromItsStart, IsTheIdentityAtTimeZero) {
  const PoseFunction motion = interpolate_poses(some_keys(), Interpolation::smooth);
  const PoseFunction change = from_start(motion);
  EXPECT_LT(distance(change(0.0), Pose()), 1e-15);
  EXPECT_LT(distance(change(0.4) * motion(0.0), motion(0.4)), 1e-15);
}

TEST(FrameMotionOf, AUniformAccelerationIsExact) {
  const Vector3 a(1.0, -2.0, 0.5);
  const Quaterniond turn(AngleAxisd(0.9, some_axis));
  const auto motion = [&](double t) { return Pose{0.5 * t * t * a + t * Vector3::UnitY(), turn}; };
  const FrameMotion found = frame_motion(motion, 0.7, 0.01);
  EXPECT_LT((found.acceleration - turn.conjugate() * a).norm(), 1e-11);
  EXPECT_LT(found.angular_velocity.norm(), 1e-13);
  EXPECT_LT(found.angular_acceleration.norm(), 1e-11);
}

TEST(FrameMotionOf, AUniformRotationIsExactButForTheCentripetalForce) {
  const double speed = 3.0;
  const Vector3 arm(0.0, 2.0, 0.0);  // from the axis to the origin
  const auto motion = [&](double t) {
    const Quaterniond turn(AngleAxisd(speed * t, Vector3::UnitZ()));
    return Pose{turn * arm, turn};
  };
  const FrameMotion found = frame_motion(motion, 1.3, 0.01);
  EXPECT_LT((found.angular_velocity - speed * Vector3::UnitZ()).norm(), 1e-12);
  EXPECT_LT(found.angular_acceleration.norm(), 1e-10);
  const auto error = [&](double h) {
    return (frame_motion(motion, 1.3, h).acceleration + speed * speed * arm).norm();
  };
  EXPECT_NEAR(order(error, 0.1), 2.0, 0.1);
}

/// A bob on a rod of length 2 that swings as angle = 0.5 sin 3t, in its own axes: y along the rod.
TEST(FrameMotionOf, APendulumHasOrderTwo) {
  const auto angle = [](double t) { return 0.5 * std::sin(3.0 * t); };
  const Vector3 rod(0.0, -2.0, 0.0);
  const auto motion = [&](double t) {
    const Quaterniond turn(AngleAxisd(angle(t), Vector3::UnitZ()));
    return Pose{turn * rod, turn};
  };
  const double t = 0.4;
  const double speed = 1.5 * std::cos(3.0 * t);
  const double change = -4.5 * std::sin(3.0 * t);
  const Vector3 expected(2.0 * change, 2.0 * speed * speed, 0.0);  // tangential, and towards the pivot
  const auto acceleration_error = [&](double h) {
    return (frame_motion(motion, t, h).acceleration - expected).norm();
  };
  const auto velocity_error = [&](double h) {
    return (frame_motion(motion, t, h).angular_velocity - speed * Vector3::UnitZ()).norm();
  };
  const auto change_error = [&](double h) {
    return (frame_motion(motion, t, h).angular_acceleration - change * Vector3::UnitZ()).norm();
  };
  EXPECT_LT(acceleration_error(1e-3), 1e-4);
  EXPECT_NEAR(order(acceleration_error, 0.05), 2.0, 0.1);
  EXPECT_NEAR(order(velocity_error, 0.05), 2.0, 0.1);
  EXPECT_NEAR(order(change_error, 0.05), 2.0, 0.1);
}

/// Turning about two axes at once: R = Rz(at) Rx(bt) has the angular velocity (b, a sin bt, a cos bt) in its
/// own axes.
TEST(FrameMotionOf, ATurnAboutTwoAxesIsInTheAxesOfTheFrame) {
  const double a = 2.0;
  const double b = -1.3;
  const auto motion = [&](double t) {
    return Pose{Vector3::Zero(), Quaterniond(AngleAxisd(a * t, Vector3::UnitZ())) *
                                     Quaterniond(AngleAxisd(b * t, Vector3::UnitX()))};
  };
  const double t = 0.6;
  const Vector3 velocity(b, a * std::sin(b * t), a * std::cos(b * t));
  const Vector3 change(0.0, a * b * std::cos(b * t), -a * b * std::sin(b * t));
  const auto velocity_error = [&](double h) {
    return (frame_motion(motion, t, h).angular_velocity - velocity).norm();
  };
  const auto change_error = [&](double h) {
    return (frame_motion(motion, t, h).angular_acceleration - change).norm();
  };
  EXPECT_LT(velocity_error(1e-3), 1e-5);
  EXPECT_NEAR(order(velocity_error, 0.1), 2.0, 0.1);
  EXPECT_GT(order(change_error, 0.1), 1.9) << "its error of second order cancels in this motion";
}

/// Steps of length h with the accelerations found end at the speed that the motion has then.
TEST(FrameMotionOf, AJumpOfVelocityHasItsImpulse) {
  const PoseFunction motion = interpolate_poses(
      {{0.0, Pose()}, {1.0, {Vector3(3.0, 0.0, 0.0), Quaterniond::Identity()}}}, Interpolation::linear);
  const double h = 0.01;
  double speed = 0.0;
  for (int step = -5; step <= 5; ++step) speed += h * frame_motion(motion, step * h, h).acceleration.x();
  EXPECT_NEAR(speed, 3.0, 1e-12);
}

TEST(FrameMotionOf, NoStepAtAllIsRefused) {
  const auto motion = [](double) { return Pose(); };
  for (const double h : {0.0, -0.1, std::numeric_limits<double>::infinity()}) {
    expect_part(test::error_text([&] { (void)frame_motion(motion, 0.0, h); }), "positive step");
  }
}

}  // namespace
}  // namespace limber::pose_test
