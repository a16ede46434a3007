#include "limber/bodies/triangles.hpp"

#include "tests/bodies/support.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace limber::triangles_test {
namespace {

constexpr double pi = std::numbers::pi;

TEST(Triangles, OfBarsAreClosedBoxesTurnedOutward) {
  const std::array<Bar, 2> bars{{{{0, 0, 0}, {2, 0, 0}, 0.5, 0.25}, {{0, 0, 0}, {1, 2, 2}, 0.1, 0.2}}};
  const SurfaceMesh surface = bar_surface(bars);
  EXPECT_EQ(surface.triangle_count(), 24);
  EXPECT_EQ(test::open_sides(surface), 0U);
  EXPECT_NEAR(enclosed_volume(surface), 2 * 0.5 * 0.25 + 3 * 0.1 * 0.2, 1e-12);
  EXPECT_NEAR(surface.vertices.topLeftCorner(3, 8).row(1).maxCoeff(), 0.25, 1e-15);  // its width lies along y
}

TEST(Triangles, OfRoundBodiesAreClosedAndEncloseNearlyTheirVolume) {
  const SurfaceMesh ball = sphere_surface({1, 2, 3}, 2.0, 64);
  EXPECT_EQ(test::open_sides(ball), 0U);
  EXPECT_NEAR(enclosed_volume(ball) / (4.0 / 3.0 * pi * 8.0), 1.0, 0.01);
  const SurfaceMesh can = cylinder_surface({0, 0, 0}, {1, 1, 1}, 0.5, 64);
  EXPECT_EQ(test::open_sides(can), 0U);
  EXPECT_NEAR(enclosed_volume(can) / (pi * 0.25 * std::sqrt(3.0)), 1.0, 0.01);
  const SurfaceMesh ring = torus_surface({0, 0, 0}, {1, 0, 1}, 2.0, 0.5, 64);
  EXPECT_EQ(test::open_sides(ring), 0U);
  EXPECT_NEAR(enclosed_volume(ring) / (2.0 * pi * pi * 2.0 * 0.25), 1.0, 0.02);
}

TEST(Triangles, OfATubeAreClosedAndEncloseNearlyItsVolume) {
  const std::array<TubePoint, 3> path{{{{0, 0, 0}, 0.3}, {{1, 0, 0}, 0.3}, {{2, 0, 0}, 0.3}}};
  const SurfaceMesh surface = tube_surface(path, 48, Vector3::UnitZ());
  EXPECT_EQ(test::open_sides(surface), 0U);
  const double volume = pi * 0.09 * 2.0 + 4.0 / 3.0 * pi * 0.027;
  EXPECT_NEAR(enclosed_volume(surface) / volume, 1.0, 0.01);
}

TEST(Triangles, OfASheetAreClosedAndThinOutToItsEdge) {
  const Sheet sheet{1.0, 0.02, [](double u) { return 0.3 * std::sin(pi * u); },
                    [](double x, double y) { return 0.1 * x * x + 0.2 * y * y; }};
  const SurfaceMesh surface = sheet_surface(sheet);
  EXPECT_EQ(test::open_sides(surface), 0U);
  const double area = 2.0 * 0.3 * 2.0 / pi;
  EXPECT_GT(enclosed_volume(surface), 0.5 * area * 0.02);
  EXPECT_LT(enclosed_volume(surface), area * 0.02);
  EXPECT_NEAR(bounding_box(surface).max.x(), 1.0, 1e-12);
}

TEST(Triangles, MoveByARotationAndAShift) {
  const SurfaceMesh ball = sphere_surface({1, 0, 0}, 0.5, 16);
  const Matrix3 quarter = Eigen::AngleAxisd(0.5 * pi, Vector3::UnitZ()).toRotationMatrix();
  const BoundingBox box = bounding_box(moved(ball, {0, 0, 2}, quarter));
  EXPECT_NEAR(0.5 * (box.min.y() + box.max.y()), 1.0, 1e-12);
  EXPECT_NEAR(0.5 * (box.min.z() + box.max.z()), 2.0, 1e-12);
}

TEST(Triangles, JoinToOnePart) {
  const SurfaceMesh both =
      joined(std::array{sphere_surface({0, 0, 0}, 1.0, 8), sphere_surface({5, 0, 0}, 1.0, 8)});
  EXPECT_EQ(both.parts.size(), 1U);
  EXPECT_EQ(test::open_sides(both), 0U);
  EXPECT_NEAR(enclosed_volume(both), 2.0 * enclosed_volume(sphere_surface({0, 0, 0}, 1.0, 8)), 1e-12);
}

}  // namespace
}  // namespace limber::triangles_test
