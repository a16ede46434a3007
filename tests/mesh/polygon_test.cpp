#include "limber/mesh/polygon.hpp"

#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>
#include <numeric>

namespace limber::polygon_test {
namespace {

using testing::HasSubstr;

/// Corners x, y of a polygon in the plane.
using Outline = std::vector<Eigen::Vector2d>;

Matrix3X place(const Outline& outline, const Matrix3& rotation = Matrix3::Identity()) {
  Matrix3X vertices(3, static_cast<Index>(outline.size()));
  for (std::size_t i = 0; i < outline.size(); ++i) {
    vertices.col(static_cast<Index>(i)) = rotation * Vector3(outline[i].x(), outline[i].y(), 0.5);
  }
  return vertices;
}

std::vector<Eigen::Vector3i> cut(const Matrix3X& vertices) {
  std::vector<int> corners(static_cast<std::size_t>(vertices.cols()));
  std::iota(corners.begin(), corners.end(), 0);
  std::vector<Eigen::Vector3i> triangles;
  triangulate_polygon(vertices, corners, triangles);
  return triangles;
}

/// Area vectors of the triangles: their sum, and the sum of their lengths.
struct Areas {
  Vector3 sum = Vector3::Zero();
  double total = 0.0;
  double smallest = std::numeric_limits<double>::infinity();
};

Areas areas(const Matrix3X& vertices, const std::vector<Eigen::Vector3i>& triangles) {
  Areas result;
  for (const Eigen::Vector3i& t : triangles) {
    const Vector3 area =
        0.5 * (vertices.col(t[1]) - vertices.col(t[0])).cross(vertices.col(t[2]) - vertices.col(t[0]));
    result.sum += area;
    result.total += area.norm();
    result.smallest = std::min(result.smallest, area.norm());
  }
  return result;
}

double outline_area(const Outline& outline) {
  double sum = 0.0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Eigen::Vector2d& a = outline[i];
    const Eigen::Vector2d& b = outline[(i + 1) % outline.size()];
    sum += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  return sum;
}

/// A star with `points` tips: every other corner is concave.
Outline star(int points) {
  Outline outline;
  for (int i = 0; i < 2 * points; ++i) {
    const double angle = std::numbers::pi * i / points;
    outline.push_back((i % 2 == 0 ? 1.0 : 0.3) * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  }
  return outline;
}

/// A spiral corridor of some turns, as concave as can be.
Outline spiral(int turns) {
  Outline outline;
  const int steps = 16 * turns;
  const auto at = [](int i, double offset) {
    const double angle = 2.0 * std::numbers::pi * i / 16;
    return Eigen::Vector2d((angle + offset) * std::cos(angle), (angle + offset) * std::sin(angle));
  };
  for (int i = 4; i <= steps; ++i) outline.push_back(at(i, 2.0));
  for (int i = steps; i >= 4; --i) outline.push_back(at(i, 0.0));
  return outline;
}

struct Shape {
  std::string name;
  Outline outline;
};

std::ostream& operator<<(std::ostream& stream, const Shape& shape) { return stream << shape.name; }

class SimplePolygon : public testing::TestWithParam<Shape> {};

TEST_P(SimplePolygon, IsCoveredOnceByTrianglesThatTurnItsWay) {
  const Outline& outline = GetParam().outline;
  for (const Matrix3& rotation : {Matrix3(Matrix3::Identity()), test::some_rotation()}) {
    const Matrix3X vertices = place(outline, rotation);
    const std::vector<Eigen::Vector3i> triangles = cut(vertices);
    EXPECT_EQ(triangles.size(), outline.size() - 2);
    const double area = outline_area(outline);
    const Areas found = areas(vertices, triangles);
    // Equal sums of areas with and without signs: no triangle is turned over, so none overlap.
    EXPECT_NEAR(found.total, std::abs(area), 1e-12 * std::abs(area));
    EXPECT_LT((found.sum - area * rotation.col(2)).norm(), 1e-12 * std::abs(area));
  }
}

Outline reversed(Outline outline) { return {outline.rbegin(), outline.rend()}; }

INSTANTIATE_TEST_SUITE_P(
    Shapes, SimplePolygon,
    testing::Values(Shape{"Triangle", {{0, 0}, {1, 0}, {0, 1}}},
                    Shape{"Square", {{0, 0}, {1, 0}, {1, 1}, {0, 1}}},
                    Shape{"SquareTurnedOver", {{0, 0}, {0, 1}, {1, 1}, {1, 0}}},
                    Shape{"ArrowHead", {{0, 0}, {2, 1}, {0, 2}, {1, 1}}},
                    Shape{"ArrowHeadFromItsNotch", {{1, 1}, {0, 0}, {2, 1}, {0, 2}}},
                    Shape{"LetterL", {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}},
                    Shape{"LetterU", {{0, 0}, {3, 0}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}},
                    Shape{"CornersOnEdges", {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}}},
                    Shape{"SquareHoleBehindACut",
                          {{0, 0}, {3, 0}, {3, 3}, {0, 3}, {0, 0}, {1, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 1}}},
                    Shape{"Star", star(7)}, Shape{"StarTurnedOver", reversed(star(5))},
                    Shape{"Spiral", spiral(4)}),
    [](const auto& shape) { return shape.param.name; });

TEST(Polygon, ThatIsConvexBecomesAFan) {
  const std::vector<Eigen::Vector3i> triangles = cut(place({{0, 0}, {2, 0}, {3, 1}, {1, 2}, {0, 1}}));
  EXPECT_THAT(triangles, testing::ElementsAre(Eigen::Vector3i(0, 1, 2), Eigen::Vector3i(0, 2, 3),
                                              Eigen::Vector3i(0, 3, 4)));
}

TEST(Polygon, WithCornersOnItsEdgesHasNoTrianglesWithoutArea) {
  const Matrix3X vertices = place({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}});
  EXPECT_GT(areas(vertices, cut(vertices)).smallest, 0.1);
}

TEST(Polygon, ThatIsNotQuitePlanarIsCoveredToo) {
  const Outline outline = star(6);
  Matrix3X vertices = place(outline);
  vertices.row(2) += 0.01 * test::random_vector(vertices.cols(), 1.0, 1).transpose();
  const Areas found = areas(vertices, cut(vertices));
  EXPECT_NEAR(found.sum.z(), outline_area(outline), 1e-12);
}

TEST(Polygon, IsCutTheSameWhateverItsSize) {
  for (const double size : {1e-200, 1e-20, 1e20, 1e150}) {
    EXPECT_EQ(cut(size * place(star(5))), cut(place(star(5)))) << size;
  }
}

TEST(Polygon, UsesCornersThatRepeatOnce) {
  Matrix3X vertices = place({{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  std::vector<Eigen::Vector3i> triangles;
  triangulate_polygon(vertices, std::vector<int>{0, 0, 1, 2, 2, 2, 3, 0}, triangles);
  EXPECT_THAT(triangles, testing::ElementsAre(Eigen::Vector3i(0, 1, 2), Eigen::Vector3i(0, 2, 3)));
}

TEST(Polygon, OfFewerThanThreeCornersGivesNothing) {
  std::vector<Eigen::Vector3i> triangles;
  for (const std::vector<int>& corners : {std::vector<int>{}, {0}, {0, 1}}) {
    triangulate_polygon(Matrix3X::Zero(3, 2), corners, triangles);
  }
  EXPECT_TRUE(triangles.empty());
}

TEST(Polygon, WithoutAreaOrThatCrossesItselfStillGivesTriangles) {
  const double huge = std::numeric_limits<double>::max();
  const std::vector<Outline> outlines{{{1, 1}, {1, 1}, {1, 1}, {1, 1}},
                                      {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {1.5, 1.5}},
                                      {{0, 0}, {1, 1}, {1, 0}, {0, 1}},
                                      {{0, 0}, {2, 2}, {2, 0}, {0, 1}, {3, 1}},
                                      {{-huge, 0}, {huge, 0}, {huge, huge}, {0, 1}, {-huge, huge}}};
  for (const Outline& outline : outlines) EXPECT_EQ(cut(place(outline)).size(), outline.size() - 2);
}

TEST(Polygon, WithTooManyCornersIsRefusedUnlessConvex) {
  EXPECT_THAT(test::error_text([] { cut(place(star(6000))); }),
              HasSubstr("a polygon that is not convex has 12000 corners, expected at most 10000"));
  Outline circle;
  for (int i = 0; i < 12000; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 12000;
    circle.emplace_back(std::cos(angle), std::sin(angle));
  }
  EXPECT_EQ(cut(place(circle)).size(), circle.size() - 2);
}

TEST(PolygonSoup, GivesItsTrianglesThePartsOfTheirPolygons) {
  PolygonSoup soup;
  soup.coordinates = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  soup.corners = {0, 1, 2, 3, 0, 1, 0, 1, 2};
  const int a = soup.parts.number_of("a");
  const int b = soup.parts.number_of("b");
  soup.ends = {4, 6, 9};
  soup.part = {b, a, a};
  const SurfaceMesh surface = triangulate(soup, "test");
  EXPECT_EQ(surface.triangle_count(), 3);
  EXPECT_THAT(surface.part, testing::ElementsAre(b, b, a));
  EXPECT_THAT(surface.parts, testing::ElementsAre("a", "b"));
}

}  // namespace
}  // namespace limber::polygon_test
