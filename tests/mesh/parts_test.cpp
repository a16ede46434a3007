#include "tests/mesh/support.hpp"

namespace limber::parts_test {
namespace {

using test::both_kinds;

/// Two copies of a body beside each other, with an unused vertex before, between and after them.
VolumeMesh two_bodies(const VolumeMesh& body) {
  const Index n = body.vertex_count();
  VolumeMesh mesh = body;
  mesh.vertices = Matrix3X::Constant(3, 2 * n + 3, 1000.0);
  mesh.vertices.middleCols(1, n) = body.vertices;
  mesh.vertices.middleCols(n + 2, n) = body.vertices.colwise() + Vector3(10.0, 0.0, 0.0);
  mesh.elements.resize(body.elements.rows(), 2 * body.element_count());
  // The second body first: parts are counted by their lowest vertex, not by their elements.
  mesh.elements << body.elements.array() + static_cast<int>(n + 2), body.elements.array() + 1;
  mesh.region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  return mesh;
}

TEST(ConnectedParts, OfABeamAreOne) {
  for (const ElementKind kind : both_kinds) {
    const VolumeMesh mesh = test::small_beam(kind);
    EXPECT_EQ(connected_parts(mesh), std::vector<int>(static_cast<std::size_t>(mesh.vertex_count()), 0));
  }
}

TEST(ConnectedParts, AreCountedByTheirLowestVertex) {
  for (const ElementKind kind : both_kinds) {
    const VolumeMesh body = test::small_beam(kind);
    const auto n = static_cast<std::size_t>(body.vertex_count());
    std::vector<int> expected(2 * n + 3, -1);
    std::fill_n(expected.begin() + 1, n, 0);
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(n) + 2, n, 1);
    EXPECT_EQ(connected_parts(two_bodies(body)), expected);
  }
}

TEST(ConnectedParts, MeetInASingleVertex) {
  VolumeMesh mesh = test::unit_tetrahedron();
  mesh.vertices.conservativeResize(3, 7);
  mesh.vertices.rightCols<3>() = -mesh.vertices.middleCols<3>(1);
  mesh.elements.conservativeResize(4, 2);
  mesh.elements.col(1) << 0, 5, 4, 6;
  mesh.region = {0, 0};
  EXPECT_EQ(connected_parts(mesh), std::vector<int>(7, 0));
}

TEST(UsedVertices, MarksThoseOfElements) {
  const VolumeMesh body = test::unit_tetrahedron();
  EXPECT_EQ(used_vertices(two_bodies(body)), (std::vector<char>{0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0}));
}

TEST(BoundingBox, IgnoresUnusedVertices) {
  const BoundingBox box = bounding_box(two_bodies(test::unit_tetrahedron()));
  EXPECT_EQ(box.min, Vector3(0, 0, 0));
  EXPECT_EQ(box.max, Vector3(11, 1, 1));
}

TEST(ElementKind, KnowsItsNameAndVertices) {
  EXPECT_EQ(name_of(ElementKind::tetrahedron), "tetrahedron");
  EXPECT_EQ(name_of(ElementKind::brick), "brick");
  EXPECT_EQ(vertices_per_element(ElementKind::tetrahedron), 4);
  EXPECT_EQ(vertices_per_element(ElementKind::brick), 8);
}

}  // namespace
}  // namespace limber::parts_test
