#include "limber/scene/selection.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::selection_test {
namespace {

/// Eight vertices: x in {0, 1}, y and z in {-0.5, 0.5}; vertex number 4 x + 2 y + z.
const VolumeMesh cube = test::unit_beam(ElementKind::brick, 1, 1, 1);

std::vector<int> where(const std::string& expression) {
  return select_vertices(cube, {.where = expression}, "test");
}

TEST(Selection, ComparesCoordinates) {
  EXPECT_EQ(where("x < 0.5"), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(where("x>=1"), (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(where("x <= 0 and z > 0"), (std::vector<int>{1, 3}));
  EXPECT_EQ(where("  y > -1e-1 and  x > 0.5 and z < 0 "), (std::vector<int>{6}));
}

TEST(Selection, RefusesExpressionsItCannotRead) {
  for (const char* bad : {"", "w < 1", "x", "x <", "x < y", "x = 1", "x < 1 or y < 1", "x < 1 and",
                          "x < 1andy<1", "x < 1 2", "x < nan", "1 < x", "x < 1e999"}) {
    if (*bad == '\0') continue;  // empty means: no criterion
    EXPECT_THROW(where(bad), Error) << bad;
  }
}

TEST(Selection, TakesBoxesWithTheirSides) {
  const BoundingBox box{Vector3(0.0, -0.5, -0.5), Vector3(0.5, 0.5, 0.0)};
  EXPECT_EQ(select_vertices(cube, {.box = box}, "test"), (std::vector<int>{0, 2}));
}

TEST(Selection, TakesTheVertexNearestToEachPoint) {
  const VertexSelection selection{.nearest = {Vector3(9, 9, 9), Vector3(-1, -1, -1)}};
  EXPECT_EQ(select_vertices(cube, selection, "test"), (std::vector<int>{0, 7}));
}

TEST(Selection, TakesSidesByWhatIsUp) {
  const auto side = [](BodySide which, UpAxis up) {
    return select_vertices(cube, {.sides = {which}, .up = up}, "test");
  };
  EXPECT_EQ(side(BodySide::bottom, UpAxis::z), (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(side(BodySide::bottom, UpAxis::y), (std::vector<int>{0, 1, 4, 5}));
  EXPECT_EQ(side(BodySide::bottom, UpAxis::x), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(side(BodySide::front, UpAxis::z), (std::vector<int>{0, 1, 4, 5}));
  EXPECT_EQ(side(BodySide::front, UpAxis::y), (std::vector<int>{1, 3, 5, 7}));
  EXPECT_EQ(select_vertices(cube, {.sides = {BodySide::left, BodySide::right}}, "test").size(), 8u);
}

TEST(Selection, ASideHasThreeVerticesAtLeast) {
  VertexSelection tip{.sides = {BodySide::right}};
  VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, 4, 1, 1);
  mesh.vertices.row(0) += 0.4 * mesh.vertices.row(1);  // its end is an edge now
  EXPECT_GE(select_vertices(mesh, tip, "test").size(), 3u);
}

TEST(Selection, UnitesItsCriteriaWithoutRepeats) {
  const VertexSelection selection{.vertices = {7, 0, 7}, .where = "x < 0.5 and y < 0"};
  EXPECT_EQ(select_vertices(cube, selection, "test"), (std::vector<int>{0, 1, 7}));
}

TEST(Selection, RefusesToChooseNothing) {
  EXPECT_THROW(where("x > 2"), Error);
  EXPECT_THROW(select_vertices(cube, {.box = BoundingBox{Vector3::Ones() * 5, Vector3::Ones() * 6}}, "test"),
               Error);
  EXPECT_THROW(select_vertices(cube, {.vertices = {8}}, "test"), Error);
  EXPECT_THROW(select_vertices(cube, {.vertices = {-1}}, "test"), Error);
}

}  // namespace
}  // namespace limber::selection_test
