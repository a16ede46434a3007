#include "limber/contact/point_shell.hpp"

#include "limber/contact/shape.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace limber::point_shell_test {
namespace {

using test::error_text;
using test::random_vector;

SurfaceMesh bar_surface() {
  return boundary_surface(make_beam({.size = {1.0, 0.2, 0.2}, .cells = {40, 8, 8}}));
}

/// Bending, twist, stretch and waves of a bar: 3n x 12.
Matrix smooth_columns(const Matrix3X& x) {
  Matrix columns(3 * x.cols(), 12);
  for (Index i = 0; i < x.cols(); ++i) {
    for (Index k = 0; k < 12; ++k) {
      const double wave = std::sin((1.0 + 0.5 * static_cast<double>(k)) * x(0, i)) * x(0, i);
      columns.block<3, 1>(3 * i, k) = wave * Vector3::Unit(k % 3) + 0.1 * Vector3(x(2, i), x(0, i), x(1, i));
    }
  }
  return columns;
}

TEST(ShellSample, LeavesNoVertexFartherThanItSays) {
  const SurfaceMesh surface = bar_surface();
  for (const Index count : {1, 8, 100, 500}) {
    const ShellSample sample = sample_shell(surface.vertices, surface.triangles, count);
    EXPECT_EQ(static_cast<Index>(sample.vertices.size()), count);
    EXPECT_EQ(std::set<int>(sample.vertices.begin(), sample.vertices.end()).size(), sample.vertices.size());
    double farthest = 0.0;
    for (const auto& x : surface.vertices.colwise()) {
      double nearest = 1e9;
      for (const int v : sample.vertices) nearest = std::min(nearest, (x - surface.vertices.col(v)).norm());
      farthest = std::max(farthest, nearest);
    }
    EXPECT_NEAR(sample.spacing, farthest, 1e-12);
  }
}

TEST(ShellSample, TakesOppositeCornersFirstAndAllWhereThereAreFew) {
  const SurfaceMesh surface = bar_surface();
  const ShellSample few = sample_shell(surface.vertices, surface.triangles, 2);
  const Vector3 across = surface.vertices.col(few.vertices[0]) - surface.vertices.col(few.vertices[1]);
  EXPECT_LT((across.cwiseAbs() - Vector3(1.0, 0.2, 0.2)).norm(), 1e-12);
  const ShellSample all = sample_shell(surface.vertices, surface.triangles, 1000000);
  EXPECT_EQ(static_cast<Index>(all.vertices.size()), surface.vertex_count());
  EXPECT_EQ(all.spacing, 0.0);
}

TEST(PointShell, FindsWhatLookingAtAllPointsFinds) {
  const SurfaceMesh surface = bar_surface();
  const Matrix columns = smooth_columns(surface.vertices);
  const ShellSample sample = sample_shell(surface.vertices, surface.triangles, 700);
  const PointShell shell(surface.vertices, columns, sample.vertices);
  ASSERT_EQ(shell.size(), 700);
  PointShell::Coordinates coordinates;
  int found_any = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Vector q = random_vector(12, 0.15, seed);
    coordinates.set(q);
    const SolidShape ball = Sphere{0.15};
    const Vector3 center = Vector3(0.5, 0.1, 0.1) + random_vector(3, 0.6, 100 + seed);
    const double margin = 0.01;
    const auto distance = [&](const Vector3& x) { return distance_to(ball, x - center).distance; };
    std::map<int, Vector3> found;
    const Index calls = shell.for_each_near(
        coordinates, margin, distance,
        [&](Index point, const Vector3& x) { EXPECT_TRUE(found.emplace(shell.vertex(point), x).second); });
    std::set<int> expected;
    for (const int v : sample.vertices) {
      const Vector3 x = surface.vertices.col(v) + columns.middleRows<3>(3 * v) * q;
      if (distance(x) <= margin - 1e-6) expected.insert(v);
      if (found.contains(v)) {
        EXPECT_LT((found[v] - x).norm(), 1e-6);
      }
    }
    for (const int v : expected) EXPECT_TRUE(found.contains(v));
    EXPECT_LE(found.size(), expected.size() + 2);
    if (expected.empty()) {
      EXPECT_LT(calls, 120);
    }
    found_any += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(found_any, 5);
}

TEST(PointShell, CoversHoldAllPointsAndTheirWays) {
  const SurfaceMesh surface = bar_surface();
  const Matrix columns = smooth_columns(surface.vertices);
  // Of one group, of as many as a node has, and of more.
  for (const Index count : {9, 200, 700}) {
    const ShellSample sample = sample_shell(surface.vertices, surface.triangles, count);
    const PointShell shell(surface.vertices, columns, sample.vertices);
    PointShell::Coordinates q, way;
    std::vector<PointShell::Ball> balls, ways;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      q.set(random_vector(12, 0.15, seed));
      const Vector v = random_vector(12, 0.1, 50 + seed);
      way.set(v);
      shell.cover(q, balls);
      shell.cover_ways(way, ways);
      ASSERT_EQ(balls.size(), ways.size());
      for (Index i = 0; i < shell.size(); ++i) {
        const Vector3 x = shell.position(i, q), u = columns.middleRows<3>(3 * shell.vertex(i)) * v;
        double outside = 1e9;
        for (std::size_t b = 0; b < balls.size(); ++b)
          outside = std::min(outside, std::max((x - balls[b].center).norm() - balls[b].radius,
                                               (u - ways[b].center).norm() - ways[b].radius));
        EXPECT_LE(outside, 1e-6);
      }
    }
  }
}

TEST(PointShell, LooksAtTheFirstPointsAlone) {
  const SurfaceMesh surface = bar_surface();
  const Matrix columns = smooth_columns(surface.vertices);
  const ShellSample sample = sample_shell(surface.vertices, surface.triangles, 700);
  const PointShell shell(surface.vertices, columns, sample.vertices);
  PointShell::Coordinates q;
  q.set(random_vector(12, 0.15, 3));
  const auto distance = [](const Vector3& x) { return x.x() - 0.4; };
  std::set<Index> found;
  shell.for_each_near(
      q, 0.01, distance, [&](Index point, const Vector3&) { found.insert(point); }, 100);
  std::set<Index> expected;
  for (Index i = 0; i < shell.size(); ++i)
    if (shell.turn(i) < 100 && distance(shell.position(i, q)) <= 0.01) expected.insert(i);
  EXPECT_EQ(found, expected);
  EXPECT_GT(expected.size(), 20u);
  EXPECT_LT(expected.size(), 100u);
}

TEST(PointShell, TakesFewerCoordinatesThanItHas) {
  const SurfaceMesh surface = bar_surface();
  const Matrix columns = smooth_columns(surface.vertices);
  const PointShell shell(surface.vertices, columns, {0, 5, 9});
  PointShell::Coordinates few, all;
  Vector q = Vector::Zero(12);
  q.head(5) = random_vector(5, 0.1, 1);
  few.set(q.head(5));
  all.set(q);
  for (Index i = 0; i < 3; ++i) EXPECT_LT((shell.position(i, few) - shell.position(i, all)).norm(), 1e-7);
}

TEST(PointShell, RefusesWhatHasNoPoints) {
  const SurfaceMesh surface = bar_surface();
  EXPECT_NE(
      error_text([&] { (void)sample_shell(surface.vertices, surface.triangles, 0); }).find("a shell of 0"),
      std::string::npos);
  EXPECT_NE(
      error_text([&] { PointShell(surface.vertices, Matrix::Zero(5, 2), {0}); }).find("a basis of 5 rows"),
      std::string::npos);
}

}  // namespace
}  // namespace limber::point_shell_test
