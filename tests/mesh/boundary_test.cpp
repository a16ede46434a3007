#include "limber/base/random.hpp"
#include "tests/mesh/support.hpp"

#include <Eigen/Geometry>

#include <map>
#include <utility>

namespace limber::boundary_test {
namespace {

using test::both_kinds;

/// Volume inside of a closed surface, by the divergence theorem: the sum of x0 . (x1 x x2) / 6.
double enclosed_volume(const Matrix3X& vertices, const Eigen::Matrix3Xi& triangles) {
  double sum = 0.0;
  for (const auto& t : triangles.colwise()) {
    sum += vertices.col(t(0)).dot(vertices.col(t(1)).cross(vertices.col(t(2)))) / 6.0;
  }
  return sum;
}

/// How often each directed edge appears.
std::map<std::pair<int, int>, int> directed_edges(const Eigen::Matrix3Xi& triangles) {
  std::map<std::pair<int, int>, int> count;
  for (const auto& t : triangles.colwise()) {
    for (int k = 0; k < 3; ++k) ++count[{t(k), t((k + 1) % 3)}];
  }
  return count;
}

/// The same body with its vertices, elements and corners listed in random order.
VolumeMesh shuffled(const VolumeMesh& mesh, std::uint64_t seed) {
  Random random(seed);
  const auto permutation = [&](Index n) {
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < static_cast<int>(n); ++i) order[static_cast<std::size_t>(i)] = i;
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.next() % (i + 1)]);
    return order;
  };
  const std::vector<int> vertices = permutation(mesh.vertex_count());
  const std::vector<int> elements = permutation(mesh.element_count());
  VolumeMesh result = mesh;
  for (Index v = 0; v < mesh.vertex_count(); ++v) result.vertices.col(vertices[v]) = mesh.vertices.col(v);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    Eigen::VectorXi corners = mesh.elements.col(e).unaryExpr([&](int v) { return vertices[v]; });
    if (mesh.kind == ElementKind::tetrahedron) {  // an even permutation keeps the orientation
      const int turns = static_cast<int>(random.next() % 3);
      for (int i = 0; i < turns; ++i) {
        const int first = corners(0);
        corners(0) = corners(1);
        corners(1) = corners(2);
        corners(2) = first;
      }
    }
    result.elements.col(elements[e]) = corners;
  }
  return result;
}

TEST(BoundaryTriangles, OfOneElementAreItsFaces) {
  EXPECT_EQ(boundary_triangles(test::unit_tetrahedron()).cols(), 4);
  EXPECT_EQ(boundary_triangles(test::unit_brick()).cols(), 12);
}

TEST(BoundaryTriangles, OfABeamAreTwoPerCellFace) {
  for (const ElementKind kind : both_kinds) {
    EXPECT_EQ(boundary_triangles(test::small_beam(kind)).cols(), 2 * 2 * (3 * 2 + 3 * 2 + 2 * 2));
  }
}

TEST(BoundaryTriangles, AreClosed) {
  for (const ElementKind kind : both_kinds) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const VolumeMesh mesh = shuffled(test::small_beam(kind), seed);
      const auto edges = directed_edges(boundary_triangles(mesh));
      for (const auto& [edge, count] : edges) {
        ASSERT_EQ(count, 1) << "edge " << edge.first << " -> " << edge.second;
        ASSERT_TRUE(edges.contains({edge.second, edge.first})) << edge.second << " -> " << edge.first;
      }
    }
  }
}

TEST(BoundaryTriangles, PointOutward) {
  for (const ElementKind kind : both_kinds) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const VolumeMesh mesh = shuffled(test::small_beam(kind), seed);
      ASSERT_NO_THROW(check_mesh(mesh, "shuffled"));
      EXPECT_NEAR(enclosed_volume(mesh.vertices, boundary_triangles(mesh)), test::total_volume(mesh), 1e-14);
    }
  }
}

TEST(BoundaryTriangles, StayClosedAroundAHole) {
  for (const ElementKind kind : both_kinds) {
    VolumeMesh mesh = make_beam({.kind = kind, .size = {3, 3, 3}, .cells = {3, 3, 3}});
    const Index per_cell = mesh.element_count() / 27;
    std::vector<int> kept;
    for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
      if (e / per_cell != 13) kept.push_back(e);  // all but the cell in the middle
    }
    mesh.elements = Eigen::MatrixXi(mesh.elements(Eigen::all, kept));
    mesh.region.resize(kept.size());
    const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
    EXPECT_EQ(triangles.cols(), 2 * 6 * 9 + 2 * 6);
    EXPECT_NEAR(enclosed_volume(mesh.vertices, triangles), 26.0, 1e-12);
  }
}

TEST(BoundaryTriangles, OfABrickComeInPairsThatShareADiagonal) {
  const VolumeMesh mesh = test::small_beam(ElementKind::brick);
  const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
  for (Index t = 0; t < triangles.cols(); t += 2) {
    EXPECT_EQ(triangles(0, t), triangles(0, t + 1));
    EXPECT_EQ(triangles(2, t), triangles(1, t + 1));
  }
}

TEST(BoundaryTriangles, OfNothingAreNone) {
  VolumeMesh mesh;
  mesh.elements.resize(4, 0);
  EXPECT_EQ(boundary_triangles(mesh).cols(), 0);
}

}  // namespace
}  // namespace limber::boundary_test
