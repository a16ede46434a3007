#include "limber/mesh/cleanup.hpp"

#include "limber/mesh/surface_mesh.hpp"
#include "tests/mesh/support.hpp"

#include <map>
#include <set>
#include <utility>

namespace limber::cleanup_test {
namespace {

/// The cells of a grid of n x n x n unit bricks for which keep(x, y, z) holds; or 6 tetrahedra in each.
template <class Keep>
VolumeMesh grid_cells(ElementKind kind, int n, Keep&& keep) {
  VolumeMesh mesh =
      make_beam({.kind = kind, .size = Vector3::Constant(n), .cells = Eigen::Vector3i::Constant(n)});
  std::vector<int> kept;
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
    Vector3 middle = Vector3::Zero();
    for (const int v : mesh.elements.col(e)) middle += mesh.vertices.col(v);
    middle /= static_cast<double>(mesh.elements.rows());
    middle.tail<2>().array() += 0.5 * n;  // beams are centred on the x axis
    if (keep(static_cast<int>(middle.x()), static_cast<int>(middle.y()), static_cast<int>(middle.z())))
      kept.push_back(e);
  }
  mesh.elements = Eigen::MatrixXi(mesh.elements(Eigen::all, kept));
  mesh.region.assign(kept.size(), 0);
  return mesh;
}

/// Largest number of boundary triangles that meet in an edge; 2 for a closed manifold.
int most_at_an_edge(const VolumeMesh& mesh) {
  std::map<std::pair<int, int>, int> count;
  const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
  for (const auto& t : triangles.colwise()) {
    for (int k = 0; k < 3; ++k) ++count[std::minmax(t(k), t((k + 1) % 3))];
  }
  int most = 0;
  for (const auto& [edge, times] : count) {
    EXPECT_GE(times, 2);
    most = std::max(most, times);
  }
  return most;
}

int part_count(const VolumeMesh& mesh) {
  const std::vector<int> parts = connected_parts(mesh);
  return 1 + *std::max_element(parts.begin(), parts.end());
}

TEST(CleanUpParts, LeavesABeamAsItIs) {
  for (const ElementKind kind : test::both_kinds) {
    VolumeMesh mesh = test::small_beam(kind);
    const VolumeMesh before = mesh;
    const CleanupReport report = clean_up_parts(mesh);
    EXPECT_EQ(mesh.vertices, before.vertices);
    EXPECT_EQ(mesh.elements, before.elements);
    EXPECT_EQ(report.split_vertices + report.dropped_parts + report.dropped_elements, 0);
  }
}

TEST(CleanUpParts, SplitsTwoTetrahedraThatShareAVertex) {
  VolumeMesh mesh = test::unit_tetrahedron();
  mesh.vertices.conservativeResize(3, 7);
  mesh.vertices.rightCols<3>() = -mesh.vertices.middleCols<3>(1);
  mesh.elements.conservativeResize(4, 2);
  mesh.elements.col(1) << 0, 5, 4, 6;
  mesh.region = {0, 0};
  EXPECT_EQ(clean_up_parts(mesh).split_vertices, 1);
  EXPECT_EQ(mesh.vertex_count(), 8);
  EXPECT_EQ(mesh.vertices.col(7), mesh.vertices.col(0));
  EXPECT_EQ(mesh.elements.col(0), Eigen::Vector4i(0, 1, 2, 3));
  EXPECT_EQ(mesh.elements.col(1), Eigen::Vector4i(7, 5, 4, 6));
  EXPECT_EQ(part_count(mesh), 2);
  check_mesh(mesh, "split");
}

TEST(CleanUpParts, SplitsTwoTetrahedraThatShareAnEdge) {
  VolumeMesh mesh = test::unit_tetrahedron();
  mesh.vertices.conservativeResize(3, 6);
  mesh.vertices.col(4) << 0, -1, 0;
  mesh.vertices.col(5) << 0, 0, -1;
  mesh.elements.conservativeResize(4, 2);
  mesh.elements.col(1) << 0, 1, 4, 5;
  mesh.region = {0, 0};
  check_mesh(mesh, "two");
  EXPECT_EQ(most_at_an_edge(mesh), 4);
  EXPECT_EQ(clean_up_parts(mesh).split_vertices, 2);
  EXPECT_EQ(most_at_an_edge(mesh), 2);
  EXPECT_EQ(part_count(mesh), 2);
}

TEST(CleanUpParts, SplitsCellsThatShareAnEdge) {
  for (const ElementKind kind : test::both_kinds) {
    VolumeMesh mesh = grid_cells(kind, 2, [](int x, int y, int z) { return z == 0 && x == y; });
    const double volume = test::total_volume(mesh);
    EXPECT_EQ(most_at_an_edge(mesh), 4);
    EXPECT_EQ(clean_up_parts(mesh).split_vertices, 2);
    EXPECT_EQ(most_at_an_edge(mesh), 2);
    EXPECT_EQ(mesh.vertex_count(), 16);
    EXPECT_EQ(part_count(mesh), 2);
    EXPECT_NEAR(test::total_volume(mesh), volume, 1e-14);
    check_mesh(mesh, "split");
  }
}

TEST(CleanUpParts, OpensARingThatTouchesItselfAtAnEdge) {
  // A path of cells in the plane z = 0 whose ends meet at an edge: one part, but a hinge there.
  const std::set<std::pair<int, int>> path{{1, 1}, {0, 1}, {0, 2}, {0, 3}, {1, 3},
                                           {2, 3}, {3, 3}, {3, 2}, {2, 2}};
  for (const ElementKind kind : test::both_kinds) {
    VolumeMesh mesh = grid_cells(kind, 4, [&](int x, int y, int z) {
      return z == 0 && path.contains({x, y});
    });
    const double volume = test::total_volume(mesh);
    EXPECT_NEAR(volume, 9.0, 1e-12);
    EXPECT_EQ(most_at_an_edge(mesh), 4);
    EXPECT_EQ(clean_up_parts(mesh).split_vertices, 2);
    EXPECT_EQ(most_at_an_edge(mesh), 2);
    EXPECT_EQ(part_count(mesh), 1);
    EXPECT_NEAR(test::total_volume(mesh), volume, 1e-14);
  }
}

TEST(CleanUpParts, MakesACopyForEveryBunch) {
  // Four cells of a checkerboard share only the vertex in the middle and edges towards it.
  for (const ElementKind kind : test::both_kinds) {
    VolumeMesh mesh = grid_cells(kind, 2, [](int x, int y, int z) { return (x + y + z) % 2 == 0; });
    clean_up_parts(mesh);
    EXPECT_EQ(mesh.vertex_count(), 4 * 8);
    EXPECT_EQ(part_count(mesh), 4);
    EXPECT_EQ(most_at_an_edge(mesh), 2);
  }
}

TEST(CleanUpParts, DropsSmallPartsAndTheirVertices) {
  for (const ElementKind kind : test::both_kinds) {
    VolumeMesh mesh =
        grid_cells(kind, 5, [](int x, int y, int z) { return x < 4 || (x == 4 && y == 4 && z == 4); });
    // Without the layer x = 3 a single cell of 76 stays away from the rest.
    std::vector<int> kept;
    for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
      double x = 0.0;
      for (const int v : mesh.elements.col(e))
        x += mesh.vertices(0, v) / static_cast<double>(mesh.elements.rows());
      if (x < 3.0 || x > 4.0) kept.push_back(e);
    }
    mesh.elements = Eigen::MatrixXi(mesh.elements(Eigen::all, kept));
    mesh.region.assign(kept.size(), 0);

    VolumeMesh all = mesh;
    EXPECT_EQ(clean_up_parts(all, 0.01).dropped_parts, 0);
    EXPECT_NEAR(test::total_volume(all), 76.0, 1e-11);

    const CleanupReport report = clean_up_parts(mesh, 0.02);
    EXPECT_EQ(report.dropped_parts, 1);
    EXPECT_EQ(report.dropped_elements, kind == ElementKind::brick ? 1 : 6);
    EXPECT_NEAR(test::total_volume(mesh), 75.0, 1e-11);
    EXPECT_EQ(mesh.vertex_count(), 4 * 6 * 6);
    check_mesh(mesh, "dropped");
  }
}

TEST(CleanUpParts, NeverDropsTheLargestPart) {
  VolumeMesh mesh = grid_cells(ElementKind::brick, 2, [](int x, int y, int z) { return z == 0 && x == y; });
  clean_up_parts(mesh, 1.0);
  EXPECT_GE(mesh.element_count(), 1);
}

TEST(CleanUpParts, KeepsRegionsAndOrder) {
  VolumeMesh mesh =
      grid_cells(ElementKind::brick, 3, [](int x, int y, int z) { return x < 2 || (y == 0 && z == 0); });
  mesh.regions = {{1, "a"}, {2, "b"}};
  for (std::size_t e = 0; e < mesh.region.size(); ++e) mesh.region[e] = static_cast<int>(e % 2);
  const VolumeMesh before = mesh;
  clean_up_parts(mesh);
  EXPECT_EQ(mesh.region, before.region);
  EXPECT_EQ(mesh.regions, before.regions);
  for (Index i = 0; i < mesh.elements.size(); ++i) {
    ASSERT_EQ(mesh.vertices.col(mesh.elements(i)), before.vertices.col(before.elements(i)));
  }
}

}  // namespace
}  // namespace limber::cleanup_test
