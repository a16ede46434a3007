#include "limber/bodies/implicit.hpp"

#include "limber/base/random.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace limber::implicit_test {
namespace {

struct Named {
  std::string name;
  Implicit body;
};

Matrix3 some_rotation() {
  return Eigen::AngleAxisd(1.1, Vector3(1, -2, 0.5).normalized()).toRotationMatrix();
}

std::vector<Implicit> some_balls() {
  std::vector<Implicit> balls;
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const Vector3 center(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    balls.push_back(sphere(center, random.uniform(0.05, 0.2)));
  }
  return balls;
}

/// Every primitive and every operation, within two units of the origin.
std::vector<Named> all_bodies() {
  const Implicit ball = sphere({0.3, 0.1, -0.2}, 0.7);
  const Implicit block = rounded_box({-0.2, 0.0, 0.1}, {0.6, 0.4, 0.3}, 0.1, some_rotation());
  const std::array<TubePoint, 4> path{
      {{{-1, 0, 0}, 0.2}, {{0, 0.5, 0}, 0.1}, {{0.5, 0, 0.6}, 0.15}, {{1, 0, 0}, 0.05}}};
  return {{"sphere", ball},
          {"ellipsoid", ellipsoid({0.1, 0, 0}, {0.9, 0.5, 0.1}, some_rotation())},
          {"capsule", capsule({-0.5, 0, 0}, {0.6, 0.3, 0.1}, 0.3)},
          {"round cone", round_cone({-0.5, 0, 0}, {0.6, 0.3, 0.1}, 0.4, 0.1)},
          {"round cone of one ball", round_cone({0, 0, 0}, {0.1, 0, 0}, 0.1, 0.6)},
          {"box", block},
          {"torus", torus({0, 0.1, 0}, {1, 1, 0.3}, 0.7, 0.2)},
          {"cylinder", cylinder({-0.4, 0, 0}, {0.5, 0.2, 0.3}, 0.4, 0.05)},
          {"half space", half_space({0.1, 0, 0}, {1, 2, 3})},
          {"leaf", leaf_plate(1.2, 0.5, 0.1)},
          {"petal", petal_plate(1.2, 0.1, 0.4, 0.1)},
          {"tube", tube(smooth_path(path, 6))},
          {"union", unite(some_balls())},
          {"blended union", unite(some_balls(), 0.2)},
          {"intersection", intersect(ball, block, 0.1)},
          {"difference", subtract(ball, block, 0.1)},
          {"grown", grow(block, 0.2)},
          {"shell", shell(ball, 0.1)},
          {"mirrored", with_mirror_image(ball, 0, 0.1)},
          {"moved", moved(block, {0.2, 0.1, 0}, some_rotation())},
          {"stretched", stretched(block, {0.4, 1.5, 1.0})},
          {"curled", curled(leaf_plate(1.2, 0.5, 0.1), -0.6, 0.9)}};
}

Vector3 random_point(Random& random, double reach) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach)};
}

TEST(Implicit, IsNowhereSteeperThanDistance) {
  for (const auto& [name, body] : all_bodies()) {
    Random random(1);
    double steepest = 0.0;
    for (int i = 0; i < 3000; ++i) {
      const Vector3 x = random_point(random, 2.0);
      const Vector3 y = x + random_point(random, i % 2 == 0 ? 1.0 : 0.01);
      steepest = std::max(steepest, std::abs(body.distance(x) - body.distance(y)) / (x - y).norm());
    }
    EXPECT_LE(steepest, 1.0 + 1e-6) << name;
    EXPECT_GT(steepest, 0.3) << name << ": hardly changes, so that meshing would be slow";
  }
}

TEST(Implicit, LiesWithinItsBounds) {
  for (const auto& [name, body] : all_bodies()) {
    Random random(2);
    int inside = 0;
    for (int i = 0; i < 4000; ++i) {
      const Vector3 x = random_point(random, 2.0);
      if (body.distance(x) >= 0.0) continue;
      ++inside;
      EXPECT_EQ(distance_to_box(body.bounds, x), 0.0) << name << " at " << x.transpose();
    }
    EXPECT_GT(inside, 0) << name;
  }
}

TEST(Implicit, HasTheDistancesOfItsPrimitives) {
  const auto expect = [](const Implicit& body, const Vector3& x, double distance) {
    EXPECT_NEAR(body.distance(x), distance, 1e-9) << "at " << x.transpose();
  };
  expect(sphere({1, 0, 0}, 0.5), {3, 0, 0}, 1.5);
  expect(sphere({1, 0, 0}, 0.5), {1, 0, 0}, -0.5);
  const Implicit egg = ellipsoid({0, 0, 0}, {3, 2, 1});
  expect(egg, {5, 0, 0}, 2.0);
  expect(egg, {0, 0, 3}, 2.0);
  expect(egg, {0, 0, 0.5}, -0.5);
  EXPECT_NEAR(egg.distance({0, 0, 0}), -1.0, 1e-7);  // on the planes of symmetry: 1e-9 radii off them
  expect(capsule({0, 0, 0}, {2, 0, 0}, 0.5), {1, 2, 0}, 1.5);
  expect(capsule({0, 0, 0}, {2, 0, 0}, 0.5), {4, 0, 0}, 1.5);
  expect(round_cone({0, 0, 0}, {2, 0, 0}, 1.0, 0.5), {-3, 0, 0}, 2.0);
  expect(round_cone({0, 0, 0}, {2, 0, 0}, 1.0, 0.5), {4, 0, 0}, 1.5);
  const Implicit block = rounded_box({0, 0, 0}, {2, 1, 1}, 0.25);
  expect(block, {3, 0, 0}, 1.0);
  expect(block, {0, 0, 0}, -1.0);
  expect(block, {2, 1, 0}, std::sqrt(2.0) * 0.25 - 0.25);
  expect(torus({0, 0, 0}, {0, 0, 1}, 2.0, 0.5), {0, 0, 0}, 1.5);
  expect(torus({0, 0, 0}, {0, 0, 1}, 2.0, 0.5), {0, 2, 1}, 0.5);
  const Implicit can = cylinder({0, 0, 0}, {0, 0, 2}, 0.5);
  expect(can, {0, 0, 3}, 1.0);
  expect(can, {2, 0, 1}, 1.5);
  expect(can, {0, 0, 1}, -0.5);
  expect(half_space({0, 0, 1}, {0, 0, 2}), {5, 5, 3}, 2.0);
  expect(leaf_plate(2, 1, 0.2), {1, 0, 1}, 0.9);
  expect(leaf_plate(2, 1, 0.2), {1, 1, 0}, 0.5);
  expect(petal_plate(2, 0.2, 0.5, 0.2), {3, 0, 0}, 1.0);
  expect(petal_plate(2, 0.2, 0.5, 0.2), {1.5, 1, 0}, 0.5);
}

TEST(Implicit, MeetsTheSurfaceOfAnEllipsoidEverywhere) {
  const Vector3 radii(0.9, 0.4, 0.05);
  const Implicit body = ellipsoid({0, 0, 0}, radii);
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    const Vector3 n = random_point(random, 1.0).normalized();
    const Vector3 x = radii.cwiseProduct(n);
    const Vector3 normal = n.cwiseQuotient(radii).normalized();
    EXPECT_NEAR(body.distance(x), 0.0, 1e-9);
    EXPECT_NEAR(body.distance(x + 0.3 * normal), 0.3, 1e-9);
  }
}

TEST(Union, IsTheSmallestDistanceWhateverIsSkipped) {
  const std::vector<Implicit> balls = some_balls();
  const Implicit all = unite(balls);
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    const Vector3 x = random_point(random, 2.0);
    double smallest = balls[0].distance(x);
    for (const Implicit& ball : balls) smallest = std::min(smallest, ball.distance(x));
    EXPECT_DOUBLE_EQ(all.distance(x), smallest);
  }
}

TEST(Union, DoesNotDependOnTheOrderOfItsBodies) {
  std::vector<Implicit> balls = some_balls();
  const Implicit forward = unite(balls, 0.3);
  const Implicit backward = unite({balls.rbegin(), balls.rend()}, 0.3);
  Random random(6);
  for (int i = 0; i < 500; ++i) {
    const Vector3 x = random_point(random, 2.0);
    EXPECT_EQ(forward.distance(x), backward.distance(x));
  }
}

TEST(Union, BlendsByAQuarterOfTheWidthWhereTwoBodiesAreEquallyFar) {
  const Implicit pair = unite({sphere({-1, 0, 0}, 0.5), sphere({1, 0, 0}, 0.5)}, 0.4);
  EXPECT_NEAR(pair.distance({0, 0, 0}), 0.5 - 0.1, 1e-12);
  EXPECT_NEAR(pair.distance({-1, 0, 0}), -0.5, 1e-12);
}

TEST(SmoothPath, PassesThroughItsPoints) {
  const std::array<TubePoint, 3> path{{{{0, 0, 0}, 0.1}, {{1, 1, 0}, 0.2}, {{2, 0, 0}, 0.1}}};
  const std::vector<TubePoint> fine = smooth_path(path, 5);
  ASSERT_EQ(fine.size(), 11U);
  for (std::size_t i = 0; i < path.size(); ++i) {
    EXPECT_NEAR((fine[5 * i].position - path[i].position).norm(), 0.0, 1e-15);
    EXPECT_NEAR(fine[5 * i].radius, path[i].radius, 1e-15);
  }
}

TEST(ToSolid, IsClearAsFarAsItIsDistant) {
  const Solid solid = to_solid(sphere({0, 0, 0}, 1.0));
  EXPECT_DOUBLE_EQ(solid.sample({3, 0, 0}).distance, 2.0);
  EXPECT_DOUBLE_EQ(solid.sample({3, 0, 0}).clear, 2.0);
  EXPECT_DOUBLE_EQ(solid.sample({0, 0, 0}).distance, -1.0);
  EXPECT_DOUBLE_EQ(solid.sample({0, 0, 0}).clear, 1.0);
  EXPECT_EQ(solid.bounds.max, Vector3(1, 1, 1));
}

}  // namespace
}  // namespace limber::implicit_test
