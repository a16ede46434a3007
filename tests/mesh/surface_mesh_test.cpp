#include "limber/mesh/surface_mesh.hpp"

#include "tests/mesh/shapes.hpp"
#include "tests/mesh/support.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace limber::surface_mesh_test {
namespace {

using test::contains;
using test::error_text;

TEST(CheckSurface, AcceptsASphere) { EXPECT_NO_THROW(check_surface(test::icosphere(1), "sphere")); }

TEST(CheckSurface, RefusesOneWithoutTriangles) {
  EXPECT_EQ(error_text([] { check_surface(SurfaceMesh{}, "a.obj"); }),
            "a.obj: the surface has no triangles; limber needs at least one");
}

TEST(CheckSurface, NamesAVertexThatIsNotFinite) {
  SurfaceMesh surface = test::icosphere(0);
  surface.vertices(1, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(
      contains(error_text([&] { check_surface(surface, "a.obj"); }), "a.obj: vertex 3 has the coordinates"));
}

TEST(CheckSurface, NamesAVertexOutOfRange) {
  for (const int vertex : {-1, 12}) {
    SurfaceMesh surface = test::icosphere(0);
    surface.triangles(2, 7) = vertex;
    EXPECT_EQ(error_text([&] { check_surface(surface, "a.obj"); }),
              fmt::format("a.obj: triangle 7 names vertex {}, but the surface has vertices 0 to 11", vertex));
  }
}

TEST(CheckSurface, NamesAPartOutOfRange) {
  SurfaceMesh surface = test::icosphere(0);
  surface.part[4] = 1;
  EXPECT_EQ(error_text([&] { check_surface(surface, "a.obj"); }),
            "a.obj: triangle 4 belongs to part 1, but the surface has parts 0 to 0");
  surface.part.pop_back();
  EXPECT_EQ(error_text([&] { check_surface(surface, "a.obj"); }),
            "a.obj: 19 part numbers for 20 triangles, expected one each");
}

TEST(SurfaceMesh, OfABoxHasItsAreaAndVolume) {
  const SurfaceMesh box = test::box_surface({1, 2, 3}, {2, 4, 6});
  EXPECT_NEAR(surface_area(box), 2 * (2 + 6 + 3), 1e-14);
  EXPECT_NEAR(enclosed_volume(box), 6, 1e-14);
}

TEST(SurfaceMesh, VolumeKeepsItsDigitsFarFromTheOrigin) {
  EXPECT_NEAR(enclosed_volume(test::box_surface({1e6, 1e6, 1e6}, {1e6 + 1, 1e6 + 1, 1e6 + 1})), 1.0, 1e-9);
}

TEST(SurfaceMesh, OfASphereConvergesToItsAreaAndVolume) {
  const double volume = 4.0 / 3.0 * std::numbers::pi;
  double coarse = 0.0;
  for (const int level : {2, 3, 4}) {
    const SurfaceMesh sphere = test::icosphere(level);
    const double error = 1.0 - enclosed_volume(sphere) / volume;
    EXPECT_GT(error, 0.0);
    if (coarse > 0.0) {
      EXPECT_NEAR(std::log2(coarse / error), 2.0, 0.1);
    }
    EXPECT_NEAR(surface_area(sphere) / (4.0 * std::numbers::pi), 1.0, error);
    coarse = error;
  }
}

TEST(SurfaceMesh, BoundingBoxIgnoresUnusedVertices) {
  SurfaceMesh box = test::box_surface({0, 0, 0}, {1, 2, 3});
  box.vertices.conservativeResize(3, 9);
  box.vertices.col(8).setConstant(100.0);
  EXPECT_EQ(bounding_box(box).min, Vector3(0, 0, 0));
  EXPECT_EQ(bounding_box(box).max, Vector3(1, 2, 3));
}

TEST(VertexNormals, OfASphereAreRadial) {
  const SurfaceMesh sphere = test::icosphere(3);
  const Matrix3X normals = vertex_normals(sphere.vertices, sphere.triangles);
  EXPECT_LT((normals - sphere.vertices).colwise().norm().maxCoeff(), 0.01);
}

TEST(VertexNormals, OfABoxPointAlongItsDiagonals) {
  // Weighted by angles, the result does not depend on how the faces are cut into triangles.
  const SurfaceMesh box = test::box_surface({-1, -1, -1}, {1, 1, 1});
  const Matrix3X normals = vertex_normals(box.vertices, box.triangles);
  EXPECT_LT((normals - box.vertices / std::sqrt(3.0)).norm(), 1e-14);
}

TEST(VertexNormals, AreZeroWhereNoAreaMeets) {
  Matrix3X vertices(3, 4);
  vertices << 0, 1, 2, 5, 0, 0, 0, 5, 0, 0, 0, 5;
  const Matrix3X normals = vertex_normals(vertices, Eigen::Matrix3Xi(Eigen::Vector3i(0, 1, 2)));
  EXPECT_EQ(normals, Matrix3X::Zero(3, 4));
}

TEST(MergeVertices, RestoresASharedSphere) {
  const SurfaceMesh sphere = test::icosphere(2);
  SurfaceMesh soup = test::unshared(sphere);
  EXPECT_EQ(merge_vertices(soup), 3 * sphere.triangle_count() - sphere.vertex_count());
  EXPECT_EQ(soup.vertex_count(), sphere.vertex_count());
  for (Index i = 0; i < soup.triangles.size(); ++i) {
    ASSERT_EQ(soup.vertices.col(soup.triangles(i)), sphere.vertices.col(sphere.triangles(i)));
  }
}

TEST(MergeVertices, TakesMinusZeroForZero) {
  SurfaceMesh surface = make_surface_mesh(Matrix3X::Zero(3, 2), Eigen::Matrix3Xi(Eigen::Vector3i(0, 1, 1)));
  surface.vertices(1, 1) = -0.0;
  EXPECT_EQ(merge_vertices(surface), 1);
}

TEST(MergeVertices, WithinAToleranceJoinsTheFirst) {
  Random random(7);
  const SurfaceMesh sphere = test::icosphere(2);
  SurfaceMesh soup = test::unshared(sphere);
  for (auto vertex : soup.vertices.colwise()) vertex += test::random_point(random, 1e-6);
  SurfaceMesh exact = soup;
  EXPECT_EQ(merge_vertices(exact), 0);
  const Vector3 first = soup.vertices.col(0);
  merge_vertices(soup, 1e-5);
  EXPECT_EQ(soup.vertex_count(), sphere.vertex_count());
  EXPECT_EQ(soup.vertices.col(0), first);
}

TEST(MergeVertices, KeepsTheTrianglesEvenThoseThatLoseACorner) {
  SurfaceMesh surface = test::box_surface({0, 0, 0}, {1, 1, 1e-3});
  EXPECT_EQ(merge_vertices(surface, 0.01), 4);
  EXPECT_EQ(surface.triangle_count(), 12);
}

TEST(MergeVertices, RefusesANegativeTolerance) {
  SurfaceMesh surface = test::icosphere(0);
  EXPECT_TRUE(contains(error_text([&] { merge_vertices(surface, -1.0); }), "within -1 m"));
}

TEST(BoundarySurface, OfABeamEnclosesItsVolume) {
  for (const ElementKind kind : test::both_kinds) {
    const VolumeMesh beam = test::small_beam(kind);
    const SurfaceMesh surface = boundary_surface(beam);
    check_surface(surface, "boundary");
    EXPECT_NEAR(enclosed_volume(surface), test::total_volume(beam), 1e-14);
    EXPECT_EQ(surface.vertex_count(), 4 * 3 * 3 - 2);  // all but those inside
  }
}

TEST(BoundarySurface, HasAPartForEachRegion) {
  for (const ElementKind kind : test::both_kinds) {
    VolumeMesh beam = test::small_beam(kind);
    beam.regions = {{1, "left"}, {2, "right"}};
    for (Index e = 0; e < beam.element_count(); ++e) {
      beam.region[e] = beam.vertices(0, beam.elements.col(e).maxCoeff()) > 0.6 ? 1 : 0;
    }
    const SurfaceMesh surface = boundary_surface(beam);
    EXPECT_EQ(surface.parts, (std::vector<std::string>{"left", "right"}));
    for (Index t = 0; t < surface.triangle_count(); ++t) {
      Vector3 middle = Vector3::Zero();
      for (const int v : surface.triangles.col(t)) middle += surface.vertices.col(v) / 3.0;
      EXPECT_EQ(surface.part[t], middle.x() > 0.5 ? 1 : 0) << middle.transpose();
    }
  }
}

}  // namespace
}  // namespace limber::surface_mesh_test
