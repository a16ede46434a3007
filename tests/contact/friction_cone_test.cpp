#include "limber/contact/friction_cone.hpp"

#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace limber::friction_cone_test {
namespace {

using test::random_vector;

constexpr FrictionCone cone{.friction = 0.6, .normal = 0.02, .tangent = 0.005, .approach = 0.1};

/// Velocities at which it sticks, slides, slides while it is pulled off, and is off.
std::vector<Vector3> some_velocities() {
  return {{0.001, -0.002, -0.5}, {0.3, -0.4, -0.2}, {0.2, 0.1, 0.12}, {0.01, 0.0, 0.5}, {0.0, 0.0, -0.3}};
}

TEST(FrictionCone, PushesByTheDerivativeOfItsCost) {
  for (const Vector3& v : some_velocities()) {
    const Vector3 dv = random_vector(3, 1.0, 7);
    const ConeResponse here = respond(cone, v);
    const auto remainder = [&](double h) {
      return std::abs(respond(cone, v + h * dv).cost - here.cost + h * here.impulse.dot(dv));
    };
    EXPECT_GT(test::remainder_slope(remainder, 1e-3, 1e-4), 1.9) << v.transpose();
  }
}

TEST(FrictionCone, YieldsByTheDerivativeOfItsImpulse) {
  for (const Vector3& v : some_velocities()) {
    const Vector3 dv = random_vector(3, 1.0, 3);
    Matrix3 G;
    const Vector3 impulse = respond(cone, v, &G).impulse;
    const auto remainder = [&](double h) {
      return (respond(cone, v + h * dv).impulse - impulse + h * G * dv).norm();
    };
    EXPECT_GT(test::remainder_slope(remainder, 1.0, 1e-4), 1.9) << v.transpose();
    EXPECT_LE((G - G.transpose()).norm(), 1e-14 * G.norm());
    EXPECT_GE(symmetric_eigen3(G).values(0), -1e-10 * G.norm());
  }
}

TEST(FrictionCone, KeepsImpulsesWithinTheCone) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Vector3 v = random_vector(3, 1.0, seed);
    const Vector3 g = respond(cone, v).impulse;
    EXPECT_LE(g.head<2>().norm(), cone.friction * g.z() * (1.0 + 1e-12));
    EXPECT_LE(g.head<2>().dot(v.head<2>()), 0.0) << "friction must not drive";
  }
}

TEST(FrictionCone, IsTheNearestPointOfTheCone) {
  const Vector3 R(cone.tangent, cone.tangent, cone.normal);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Vector3 v = random_vector(3, 1.0, seed);
    const Vector3 y = -(v - cone.approach * Vector3::UnitZ()).cwiseQuotient(R), g = respond(cone, v).impulse;
    const auto distance = [&](const Vector3& p) { return (p - y).cwiseAbs2().dot(R); };
    for (std::uint64_t other = 0; other < 50; ++other) {
      Vector3 p = g + 0.3 * random_vector(3, std::max(1.0, g.norm()), 1000 + other);
      p.z() = std::max(p.z(), p.head<2>().norm() / cone.friction);
      EXPECT_GE(distance(p), distance(g) * (1.0 - 1e-12));
    }
  }
}

TEST(FrictionCone, IsSmoothAcrossItsRegions) {
  Vector3 last = respond(cone, {-0.5, 0.0, 0.0}).impulse;
  for (int i = 1; i <= 20000; ++i) {
    const Vector3 v(-0.5 + 5e-5 * i, 0.0, 0.0);
    const Vector3 next = respond(cone, v).impulse;
    EXPECT_LT((next - last).norm(), 1.01 * 5e-5 * (1.0 / cone.tangent + 1.0 / cone.normal));
    last = next;
  }
}

TEST(FrictionCone, WithoutFrictionPushesAlongTheNormalAlone) {
  const FrictionCone smooth{.friction = 0.0, .normal = 0.01, .tangent = 0.01};
  Matrix3 G;
  for (const Vector3& v : {Vector3(0.0, 0.0, -1.0), Vector3(0.3, 0.2, -1.0)}) {
    const ConeResponse response = respond(smooth, v, &G);
    EXPECT_NEAR(response.impulse.z(), 100.0, 1e-9);
    EXPECT_NEAR(G(2, 2), 100.0, 1e-9);
    EXPECT_EQ(response.impulse.head<2>().norm(), 0.0);
  }
}

TEST(FrictionCone, HasARootOfItsStiffness) {
  for (const double friction : {0.0, 0.6}) {
    FrictionCone one = cone;
    one.friction = friction;
    for (const Vector3& v : some_velocities()) {
      Matrix3 G;
      const bool pushes = respond(one, v, &G).impulse.z() > 0.0;
      const ConeRoot root = stiffness_root(one, v);
      EXPECT_EQ(root.rows > 0, pushes) << v.transpose();
      const Matrix found = root.F.topRows(root.rows).transpose() * root.F.topRows(root.rows);
      EXPECT_LE((found - G).norm(), 1e-13 * G.norm()) << v.transpose();
    }
  }
}

/// Eight contacts of all kinds along a line, against one after the other.
TEST(FrictionCone, IsTheSameForEightAtOnce) {
  std::vector<Vector3> velocities = some_velocities(), changes;
  ConeLanes lanes;
  EXPECT_EQ(lanes.pushing(), 0U);
  for (int i = 0; i < static_cast<int>(velocities.size()); ++i) {
    changes.emplace_back(random_vector(3, 0.3, static_cast<std::uint64_t>(i)));
    lanes.set_cone(i, cone);
    lanes.set_velocity(i, velocities[static_cast<std::size_t>(i)]);
    lanes.set_change(i, changes.back());
  }
  for (const double x : {0.0, 0.5, 1.0}) {
    Packet slope{}, curvature{};
    lanes.add_line(x, slope, curvature);
    ConeLanes there = lanes;
    there.advance(x);
    for (std::size_t i = 0; i < velocities.size(); ++i) {
      const auto lane = static_cast<int>(i);
      const Vector3 v = velocities[i] + x * changes[i];
      Matrix3 G;
      const Vector3 impulse = respond(cone, v, &G).impulse;
      const double size = impulse.norm() * changes[i].norm(), more = G.norm() * changes[i].squaredNorm();
      EXPECT_NEAR(slope[lane], -impulse.dot(changes[i]), 1e-13 * size);
      EXPECT_NEAR(curvature[lane], changes[i].dot(G * changes[i]), 1e-13 * more);
      EXPECT_EQ((there.pushing() >> lane & 1U) != 0, impulse.z() > 0.0);
      EXPECT_LE((there.velocity(lane) - v).norm(), 1e-15);
    }
    for (int lane = static_cast<int>(velocities.size()); lane < packet_size; ++lane)
      EXPECT_EQ(slope[lane], 0.0);
  }
}

}  // namespace
}  // namespace limber::friction_cone_test
