#include "limber/mesh/sheet.hpp"

#include "tests/mesh/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::sheet_test {
namespace {

bool found(const SurfaceMesh& surface) { return is_sheet(surface, SurfaceQuery(surface)); }

/// A square of 2 x 2, whose height is that of a function.
template <class Height>
SurfaceMesh terrain(const Height& height) {
  constexpr int n = 40;
  Matrix3X vertices(3, (n + 1) * (n + 1));
  Eigen::Matrix3Xi triangles(3, 2 * n * n);
  for (int i = 0; i < vertices.cols(); ++i) {
    const double x = -1.0 + 2.0 * (i % (n + 1)) / n, y = -1.0 + 2.0 * (i / (n + 1)) / n;
    vertices.col(i) = Vector3(x, y, height(x, y));
  }
  for (int c = 0; c < n * n; ++c) {
    const int v = c % n + c / n * (n + 1);
    triangles.col(2 * c) << v, v + 1, v + n + 2;
    triangles.col(2 * c + 1) << v, v + n + 2, v + n + 1;
  }
  return make_surface_mesh(vertices, triangles);
}

double ripples(double x, double y) { return 0.1 * std::sin(5.0 * x) * std::sin(4.0 * y); }

TEST(Sheet, IsWhatLooksTheSameFromBehind) {
  EXPECT_TRUE(found(terrain(ripples)));
  EXPECT_TRUE(found(terrain([](double x, double) { return 0.1 * x * x; })));
}

TEST(Sheet, IsNoBodyWithHoles) {
  EXPECT_FALSE(found(test::icosphere(3, 1.0)));
  EXPECT_FALSE(found(test::without(test::icosphere(3, 1.0), [](int t) { return t % 4 == 0; })));
}

TEST(Sheet, IsNoBowlAndNoHill) {
  const SurfaceMesh ball = test::icosphere(3, 1.0);
  EXPECT_FALSE(
      found(test::without(ball, [&](int t) { return ball.vertices(2, ball.triangles(0, t)) < 0.0; })));
  EXPECT_FALSE(found(terrain([](double x, double y) { return 2.0 * std::exp(-3.0 * (x * x + y * y)); })));
}

TEST(Sheet, IsNotABodyOnAPlane) {
  const SurfaceMesh ball = test::moved(test::icosphere(3, 0.3), Vector3(0.0, 0.0, 1.0));
  EXPECT_FALSE(found(test::joined(terrain(ripples), ball)));
}

}  // namespace
}  // namespace limber::sheet_test
