#include "limber/reduced/picking.hpp"

#include "tests/mesh/shapes.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::picking_test {
namespace {

/// Two parallel squares, at z = 0 (vertices 0 to 3) and z = -1 (4 to 7).
struct Squares {
  Matrix3X positions{3, 8};
  Eigen::Matrix3Xi triangles{3, 4};

  Squares() {
    positions.leftCols<4>() << 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0;
    positions.rightCols<4>() = positions.leftCols<4>();
    positions.row(2).tail<4>().setConstant(-1);
    triangles << 0, 0, 4, 4, 1, 2, 5, 6, 2, 3, 6, 7;
  }
  [[nodiscard]] std::optional<Pick> pick(const Vector3& origin, const Vector3& direction) const {
    return pick_vertex(positions, triangles, origin, direction);
  }
};

TEST(PickVertex, TakesTheCornerNearestToWhereTheRayFirstMeetsTheSurface) {
  const Squares squares;
  const std::optional<Pick> pick = squares.pick({0.9, 0.8, 2}, {0, 0, -4});
  ASSERT_TRUE(pick);
  EXPECT_EQ(pick->vertex, 2);
  EXPECT_TRUE(pick->hit);
  EXPECT_DOUBLE_EQ(pick->distance, 0.5);  // in lengths of the direction
  EXPECT_EQ(squares.pick({0.1, 0.2, 2}, {0, 0, -1})->vertex, 0);
}

TEST(PickVertex, MeetsTrianglesFromBehindToo) {
  const std::optional<Pick> pick = Squares().pick({0.9, 0.1, -3}, {0, 0, 1});
  ASSERT_TRUE(pick && pick->hit);
  EXPECT_EQ(pick->vertex, 5);
}

TEST(PickVertex, LooksOnlyForward) {
  const std::optional<Pick> between = Squares().pick({0.9, 0.9, -0.5}, {0, 0, -1});
  ASSERT_TRUE(between && between->hit);
  EXPECT_EQ(between->vertex, 6);
  EXPECT_FALSE(Squares().pick({0.5, 0.5, 1}, {0, 0, 1}));
}

TEST(PickVertex, TakesTheVertexNearestToARayThatPassesBy) {
  const std::optional<Pick> pick = Squares().pick({1.2, 1.1, 2}, {0, 0.01, -1});
  ASSERT_TRUE(pick);
  EXPECT_FALSE(pick->hit);
  EXPECT_EQ(pick->vertex, 2);
  EXPECT_NEAR(pick->distance, 2.0, 0.01);
}

TEST(PickVertex, SkipsVerticesBehindTheOriginOfARayThatPassesBy) {
  const std::optional<Pick> pick = Squares().pick({1.2, 1.2, -0.5}, {0, 0, -1});
  ASSERT_TRUE(pick);
  EXPECT_EQ(pick->vertex, 6);
}

TEST(PickVertex, LeavesNoGapBetweenNeighbouringTriangles) {
  const SurfaceMesh sphere = test::icosphere(2);
  for (Index t = 0; t < sphere.triangle_count(); ++t) {
    const Vector3 a = sphere.vertices.col(sphere.triangles(0, t)),
                  b = sphere.vertices.col(sphere.triangles(1, t));
    const Vector3 aim = 0.7 * a + 0.3 * b;  // on an edge
    const std::optional<Pick> pick = pick_vertex(sphere.vertices, sphere.triangles, 3.0 * aim, -aim);
    ASSERT_TRUE(pick && pick->hit) << "triangle " << t;
    EXPECT_EQ(pick->vertex, sphere.triangles(0, t)) << "triangle " << t;
  }
}

TEST(PickVertex, FollowsAnyRotationOfBodyAndRay) {
  const SurfaceMesh sphere = test::icosphere(1);
  const Matrix3 R = test::some_rotation();
  const Vector3 origin(2, 1.5, 1), direction(-2.1, -1.4, -0.9);
  const std::optional<Pick> before = pick_vertex(sphere.vertices, sphere.triangles, origin, direction);
  const std::optional<Pick> after =
      pick_vertex(R * sphere.vertices, sphere.triangles, R * origin, R * direction);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->vertex, after->vertex);
  EXPECT_NEAR(before->distance, after->distance, 1e-13);
}

TEST(PickVertex, FindsNothingInAnEmptyMesh) {
  EXPECT_FALSE(pick_vertex(Matrix3X(3, 0), Eigen::Matrix3Xi(3, 0), Vector3::Zero(), Vector3::UnitX()));
}

TEST(PickVertex, DoesNotTakeAVertexThatNoTriangleUses) {
  Squares squares;
  squares.positions.conservativeResize(3, 9);
  squares.positions.col(8) << 5, 5, 0;
  const std::optional<Pick> pick = squares.pick({5, 5, 1}, {0, 0, -1});
  ASSERT_TRUE(pick);
  EXPECT_EQ(pick->vertex, 2);
}

TEST(PickVertex, IgnoresTrianglesWithoutArea) {
  Squares squares;
  squares.triangles.col(0) << 0, 2, 2;
  const std::optional<Pick> pick = squares.pick({0.9, 0.1, 2}, {0, 0, -1});
  ASSERT_TRUE(pick && pick->hit);
  EXPECT_EQ(pick->vertex, 5);
}

TEST(PickVertex, RefusesARayWithoutDirection) {
  EXPECT_EQ(test::error_text([] { (void)Squares().pick(Vector3::Zero(), Vector3::Zero()); }),
            "the ray points along (0, 0, 0), expected a finite direction that is not zero");
}

}  // namespace
}  // namespace limber::picking_test
