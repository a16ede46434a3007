#include "limber/contact/rest_field.hpp"

#include "limber/contact/shape.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/body/bar.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace limber::rest_field_test {
namespace {

using test::error_text;
using test::random_vector;

/// An octahedron whose triangles are quartered and moved out to a radius, again and again.
SurfaceMesh ball_surface(double radius, int times) {
  std::vector<Vector3> places;
  for (int k = 0; k < 6; ++k) places.push_back((k % 2 == 0 ? 1.0 : -1.0) * Vector3::Unit(k / 2));
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < 8; ++i) {
    const int x = i & 1, y = i >> 1 & 1, z = i >> 2 & 1;
    triangles.push_back({x, 2 + y, 4 + z});
    if ((x + y + z) % 2 == 1) std::swap(triangles.back()[0], triangles.back()[1]);
  }
  for (int time = 0; time < times; ++time) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [it, fresh] = middles.emplace(std::minmax(a, b), static_cast<int>(places.size()));
      if (fresh)
        places.push_back(
            (places[static_cast<std::size_t>(a)] + places[static_cast<std::size_t>(b)]).normalized());
      return it->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const auto& t : {std::array{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}})
        finer.push_back(t);
    }
    triangles = finer;
  }
  SurfaceMesh surface;
  surface.vertices.resize(3, static_cast<Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i)
    surface.vertices.col(static_cast<Index>(i)) = radius * places[i];
  surface.triangles.resize(3, static_cast<Index>(triangles.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      surface.triangles(static_cast<Index>(k), static_cast<Index>(t)) = triangles[t][k];
  surface.part.assign(triangles.size(), 0);
  surface.parts = {""};
  return surface;
}

SurfaceMesh block_surface(const Matrix3& turn = Matrix3::Identity()) {
  SurfaceMesh surface = boundary_surface(make_beam({.size = {0.6, 0.4, 0.2}, .cells = {3, 2, 1}}));
  surface.vertices.colwise() -= Vector3(0.3, 0.0, 0.0);
  surface.vertices = turn * surface.vertices;
  return surface;
}

TEST(RestField, OfABallIsItsDistance) {
  const SurfaceMesh surface = ball_surface(0.1, 5);  // 8,192 triangles, 1e-5 m within the ball
  const RestField field(surface, "ball");
  EXPECT_LT(field.cell(), 0.2 / 50);
  EXPECT_LT(field.largest_error(), 1e-4);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Vector3 x = random_vector(3, 0.12, seed);
    const SurfaceDistance found = field.distance(x);
    const double exact = x.norm() - 0.1;
    EXPECT_NEAR(found.distance, exact, exact < 0.005 ? 2e-4 + (x.norm() < 0.01 ? 2e-3 : 0.0) : 1.5e-3)
        << x.transpose();
    if (x.norm() > 0.05) {
      EXPECT_GT(found.normal.dot(x.normalized()), exact < 0.005 ? 0.998 : 0.95);
    }
  }
}

TEST(RestField, KeepsWithinTheErrorThatItReports) {
  for (const Matrix3& turn : {Matrix3(Matrix3::Identity()), test::some_rotation()}) {
    const SurfaceMesh surface = block_surface(turn);
    const RestField field(surface, "block");
    const MeshShape exact(surface, "block");
    double largest = 0.0;
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
      const Vector3 x = turn * random_vector(3, 0.32, seed);
      const double expected = exact.distance(x).distance;
      if (std::abs(expected) > 2.0 * field.cell()) continue;
      largest = std::max(largest, std::abs(field.distance(x).distance - expected));
    }
    EXPECT_LT(largest, 2.0 * field.largest_error() + 1e-9) << field.cell();
    EXPECT_LT(field.largest_error(), 0.5 * field.cell());
  }
}

TEST(RestField, GrowsOutsideAsOneGoes) {
  const RestField field(block_surface(), "block");
  const SolidShape box = Box{{0.3, 0.2, 0.1}};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Vector3 x = random_vector(3, 3.0, seed);
    const double exact = distance_to(box, x).distance;
    if (exact < 0.0) continue;
    EXPECT_GE(field.distance(x).distance, 0.98 * exact - field.cell());
    EXPECT_LE(field.distance(x).distance, 1.1 * exact + 2.0 * field.cell());
  }
}

TEST(RestField, IsFinerForBodiesThatAreThin) {
  const SurfaceMesh thin = boundary_surface(make_beam({.size = {1.0, 0.05, 0.05}, .cells = {20, 1, 1}}));
  const SurfaceMesh thick = boundary_surface(make_beam({.size = {1.0, 1.0, 1.0}, .cells = {2, 2, 2}}));
  EXPECT_LT(RestField(thin, "thin").cell(), 0.05 / 10);
  EXPECT_GT(RestField(thick, "thick").cell(), 1.0 / 70);
  EXPECT_LT(RestField(thick, "thick").bytes(), 4u << 20);
}

TEST(RestField, KnowsTheInsideOfSurfacesThatTouchThemselves) {
  // Two cubes of a lattice that share an edge only: four triangles meet there.
  VolumeMesh mesh = make_beam({ElementKind::brick, {1.0, 1.0, 1.0}, {2, 2, 1}});
  Eigen::MatrixXi elements(8, 2);
  std::vector<int> kept;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const Vector3 a = mesh.vertices.col(mesh.elements(0, e));
    if ((a.x() < 0.25) == (a.y() < -0.25)) kept.push_back(static_cast<int>(e));
  }
  ASSERT_EQ(kept.size(), 2u);
  elements << mesh.elements.col(kept[0]), mesh.elements.col(kept[1]);
  mesh.elements = elements;
  mesh.region.resize(2);
  const RestField field(boundary_surface(mesh), "cubes");
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Vector3 x = Vector3(0.5, 0.0, 0.0) + random_vector(3, 0.7, seed);
    const Vector3 y = (x - Vector3(0.5, 0.0, 0.0)).cwiseAbs();
    const bool inside = y.maxCoeff() < 0.5 && (x.x() < 0.5) == (x.y() < 0.0);
    if (std::min({std::abs(y.x() - 0.5), std::abs(y.y() - 0.5), std::abs(y.z() - 0.5), y.x(), y.y()}) < 0.02)
      continue;
    EXPECT_EQ(field.distance(x).distance < 0.0, inside) << x.transpose();
  }
}

TEST(RestField, IsTheSameEachTime) {
  const RestField a(block_surface(test::some_rotation()), "block"),
      b(block_surface(test::some_rotation()), "block");
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Vector3 x = random_vector(3, 0.4, seed);
    EXPECT_EQ(a.distance(x).distance, b.distance(x).distance);
  }
}

TEST(RestField, TheDistanceAloneIsThatWithANormal) {
  const RestField field(ball_surface(0.3, 3), "ball");
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Vector3 x = random_vector(3, seed % 2 == 0 ? 0.4 : 2.0, seed);
    EXPECT_NEAR(field.distance_alone(x), field.distance(x).distance, 1e-12);
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW((void)field.distance_alone(Vector3(none, 0.0, 1e300)));
}

TEST(RestField, OfAModelTakesItsMeshOrElseWhatIsDrawn) {
  ReducedModel model = test::bar_model();
  const RestField of_mesh = make_rest_field(model);
  model.simulation.reset();
  const RestField of_surface = make_rest_field(model);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Vector3 x = Vector3(0.5, 0.0, 0.0) + random_vector(3, 0.5, seed);
    EXPECT_NEAR(of_mesh.distance(x).distance, of_surface.distance(x).distance, 1e-6);
  }
  model.surface.mesh.triangles.conservativeResize(Eigen::NoChange, model.surface.mesh.triangles.cols() - 1);
  model.surface.mesh.part.pop_back();
  EXPECT_NE(error_text([&] { (void)make_rest_field(model); }).find("bar: the surface is open or turned over"),
            std::string::npos);
}

TEST(RestField, RefusesSurfacesThatAreTurnedInwards) {
  SurfaceMesh turned = block_surface();
  turned.triangles.row(0).swap(turned.triangles.row(1));
  EXPECT_NE(error_text([&] { RestField(turned, "block"); }).find("turned outwards"), std::string::npos);
}

}  // namespace
}  // namespace limber::rest_field_test
