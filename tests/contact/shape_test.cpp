#include "limber/contact/shape.hpp"

#include "limber/contact/mass_properties.hpp"
#include "limber/contact/shape_surface.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/mesh/triangle_distance.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace limber::shape_test {
namespace {

using test::error_text;
using test::random_vector;

/// A block of 0.6 x 0.4 x 0.2 m with a corner at the origin, as triangles.
SurfaceMesh block_surface() {
  return boundary_surface(make_beam({.size = {0.6, 0.4, 0.2}, .cells = {3, 2, 1}}));
}

/// The same moved to have its middle at the origin.
SurfaceMesh centered_block() {
  SurfaceMesh surface = block_surface();
  const BoundingBox box = bounding_box(surface);
  surface.vertices.colwise() -= Vector3(0.5 * (box.min + box.max));
  return surface;
}

Matrix hills() {
  Matrix heights(9, 7);
  for (Index j = 0; j < heights.rows(); ++j)
    for (Index i = 0; i < heights.cols(); ++i)
      heights(j, i) = 0.3 * std::sin(1.3 * static_cast<double>(i)) * std::cos(0.9 * static_cast<double>(j));
  return heights;
}

std::vector<SolidShape> some_shapes() {
  return {HalfSpace{},
          Sphere{0.7},
          Box{{0.3, 0.5, 0.2}},
          Capsule{0.2, 0.5},
          std::make_shared<const HeightField>(hills(), 0.25),
          std::make_shared<const MeshShape>(centered_block(), "block")};
}

TEST(SolidShape, IsLeftAlongItsNormalByItsDistance) {
  for (const SolidShape& shape : some_shapes()) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Vector3 x = random_vector(3, 1.0, seed);
      const auto [distance, normal] = distance_to(shape, x);
      EXPECT_NEAR(normal.norm(), 1.0, 1e-12);
      EXPECT_NEAR(distance_to(shape, x - distance * normal).distance, 0.0, 1e-9) << shape.index();
    }
  }
}

TEST(SolidShape, HasNormalsThatAreTheDerivativesOfItsDistances) {
  for (const SolidShape& shape : some_shapes()) {
    int smooth = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Vector3 x = random_vector(3, 1.0, seed), dx = random_vector(3, 1.0, 100 + seed);
      const auto [distance, normal] = distance_to(shape, x);
      const auto remainder = [&, d = distance, n = normal](double h) {
        return std::abs(distance_to(shape, x + h * dx).distance - d - h * n.dot(dx));
      };
      if (test::remainder_slope(remainder, 1.0, 1e-4) > 1.9) ++smooth;
    }
    EXPECT_GE(smooth, 55) << shape.index();  // but for points next to where two sides are as near
  }
}

TEST(SolidShape, HasDistancesThatGrowNoFasterThanOneGoes) {
  for (const SolidShape& shape : some_shapes()) {
    if (std::holds_alternative<std::shared_ptr<const HeightField>>(shape)) continue;  // below its rim it ends
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Vector3 x = random_vector(3, 1.0, seed), y = random_vector(3, 1.0, 1000 + seed);
      EXPECT_LE(std::abs(distance_to(shape, x).distance - distance_to(shape, y).distance),
                (x - y).norm() * (1.0 + 1e-12));
    }
  }
}

TEST(MeshShape, OfABlockHasTheDistancesOfABox) {
  const SolidShape box = Box{{0.3, 0.2, 0.1}},
                   mesh = std::make_shared<const MeshShape>(centered_block(), "block");
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Vector3 x = random_vector(3, 0.4, seed);
    EXPECT_NEAR(distance_to(mesh, x).distance, distance_to(box, x).distance, 1e-14);
  }
}

TEST(MeshShape, IsOutsideBesideSharpEdgesAndCorners) {
  const SolidShape mesh = std::make_shared<const MeshShape>(centered_block(), "block");
  for (const double away : {1e-3, 1e-9, 0.5}) {
    EXPECT_NEAR(distance_to(mesh, {0.3 + away, 0.2 + away, 0.1 + away}).distance, std::sqrt(3.0) * away,
                1e-15);
    EXPECT_NEAR(distance_to(mesh, {0.3 + away, 0.0, 0.1 + away}).distance, std::sqrt(2.0) * away, 1e-15);
  }
}

TEST(MeshShape, RefusesSurfacesThatAreOpenOrTurned) {
  SurfaceMesh open = block_surface();
  open.triangles.conservativeResize(Eigen::NoChange, open.triangles.cols() - 1);
  open.part.pop_back();
  EXPECT_NE(
      error_text([&] { MeshShape(open, "ramp.obj"); }).find("ramp.obj: the surface is open at the edge"),
      std::string::npos);
  SurfaceMesh turned = block_surface();
  turned.triangles.row(0).swap(turned.triangles.row(1));
  EXPECT_NE(error_text([&] { MeshShape(turned, "ramp.obj"); }).find("turned outwards"), std::string::npos);
  SurfaceMesh one = block_surface();
  std::swap(one.triangles(0, 0), one.triangles(1, 0));
  EXPECT_NE(error_text([&] { MeshShape(one, "ramp.obj"); }).find("in the same direction"), std::string::npos);
}

TEST(HeightField, IsAsFarAsTheNearestOfAllItsTriangles) {
  const Matrix heights = hills();
  const double spacing = 0.25;
  const HeightField field(heights, spacing);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Vector3 x = Vector3(0.75, 1.0, 0.0) + random_vector(3, 1.5, seed);
    double least = 1e9;
    const auto corner = [&](Index i, Index j) {
      return Vector3(spacing * static_cast<double>(i), spacing * static_cast<double>(j), heights(j, i));
    };
    for (Index j = 0; j + 1 < heights.rows(); ++j) {
      for (Index i = 0; i + 1 < heights.cols(); ++i) {
        const Vector3 b = corner(i + 1, j), c = corner(i, j + 1);
        least = std::min({least, closest_on_triangle(x, corner(i, j), b, c).distance,
                          closest_on_triangle(x, b, corner(i + 1, j + 1), c).distance});
      }
    }
    EXPECT_NEAR(std::abs(field.distance(x).distance), least, 1e-12);
  }
}

TEST(HeightField, IsSolidBelow) {
  const HeightField field(hills(), 0.25);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Vector3 place = Vector3(0.75, 1.0, 0.0) + 0.7 * random_vector(3, 1.0, seed);
    const double height = field.height(place.x(), place.y());
    EXPECT_LT(field.distance({place.x(), place.y(), height - 0.01}).distance, 0.0);
    EXPECT_GT(field.distance({place.x(), place.y(), height + 0.01}).distance, 0.0);
    EXPECT_NEAR(field.distance({place.x(), place.y(), height}).distance, 0.0, 1e-12);
  }
  EXPECT_GT(field.distance({-0.1, 1.0, -5.0}).distance, 0.0);
}

TEST(HeightField, RefusesWhatIsNoGround) {
  EXPECT_NE(error_text([] { HeightField(Matrix::Zero(1, 5), 1.0); }).find("at least 2 x 2"),
            std::string::npos);
  EXPECT_NE(error_text([] { HeightField(Matrix::Zero(3, 3), -1.0); }).find("-1 m apart"), std::string::npos);
  EXPECT_NE(error_text([] { HeightField(Matrix::Constant(3, 3, std::nan("")), 1.0); }).find("not finite"),
            std::string::npos);
}

TEST(SolidShape, IsCheckedForLengthsThatAreNone) {
  EXPECT_NE(error_text([] { check_shape(Sphere{-1.0}, "ball"); }).find("ball: the radius is -1 m"),
            std::string::npos);
  EXPECT_NE(error_text([] {
              check_shape(Box{{1.0, 0.0, 1.0}}, "crate");
            }).find("crate: half of an edge is 0 m"),
            std::string::npos);
  EXPECT_NE(error_text([] {
              check_shape(Capsule{1.0, std::nan("")}, "pill");
            }).find("half of the length"),
            std::string::npos);
  EXPECT_NE(error_text([] { check_shape(std::shared_ptr<const MeshShape>(), "rock"); }).find("no mesh"),
            std::string::npos);
  for (const SolidShape& shape : some_shapes()) EXPECT_NO_THROW(check_shape(shape, "shape"));
}

/// By a sum over cells of its box, with a density of 1.
MassProperties sum_over(const SolidShape& shape) {
  const BoundingBox box = bounds_of(shape);
  constexpr int cells = 60;
  const Vector3 step = (box.max - box.min) / cells;
  MassProperties sum;
  Matrix3 second = Matrix3::Zero();
  for (int i = 0; i < cells * cells * cells; ++i) {
    const Vector3 at(i % cells + 0.5, (i / cells) % cells + 0.5, i / (cells * cells) + 0.5);
    const Vector3 x = box.min + at.cwiseProduct(step);
    if (distance_to(shape, x).distance > 0.0) continue;
    sum.mass += step.prod();
    sum.center += step.prod() * x;
    second += step.prod() * x * x.transpose();
  }
  sum.center /= sum.mass;
  second -= sum.mass * sum.center * sum.center.transpose();
  sum.inertia = second.trace() * Matrix3::Identity() - second;
  return sum;
}

TEST(MassProperties, AreTheSumsOverTheShape) {
  SurfaceMesh moved = block_surface();
  moved.vertices = test::some_rotation() * moved.vertices;
  const SolidShape turned = std::make_shared<const MeshShape>(moved, "block");
  for (const SolidShape& shape :
       {SolidShape(Sphere{0.7}), SolidShape(Box{{0.3, 0.5, 0.2}}), SolidShape(Capsule{0.2, 0.5}), turned}) {
    const MassProperties found = mass_properties(shape, 1.0, "shape"), expected = sum_over(shape);
    EXPECT_NEAR(found.mass, expected.mass, 0.01 * expected.mass) << shape.index();
    EXPECT_LT((found.center - expected.center).norm(), 0.01);
    EXPECT_LT((found.inertia - expected.inertia).norm(), 0.02 * expected.inertia.norm()) << shape.index();
  }
}

TEST(MassProperties, OfTrianglesAreExactFarFromTheOrigin) {
  SurfaceMesh surface = centered_block();
  const MassProperties box = mass_properties(Box{{0.3, 0.2, 0.1}}, 900.0, "box");
  const Vector3 away(1000.0, -2000.0, 500.0);
  surface.vertices.colwise() += away;
  const MassProperties mesh = mass_properties(surface.vertices, surface.triangles, 900.0);
  EXPECT_NEAR(mesh.mass, box.mass, 1e-9 * box.mass);
  EXPECT_LT((mesh.center - away).norm(), 1e-9);
  EXPECT_LT((mesh.inertia - box.inertia).norm(), 1e-9 * box.inertia.norm());
}

TEST(MassProperties, AreRefusedForGroundAndDensitiesThatAreNone) {
  EXPECT_NE(
      error_text([] { (void)mass_properties(HalfSpace{}, 1.0, "floor"); }).find("floor: ground has no end"),
      std::string::npos);
  EXPECT_NE(error_text([] { (void)mass_properties(Sphere{1.0}, 0.0, "ball"); }).find("the density is 0"),
            std::string::npos);
}

/// Whether the triangles that a shape is drawn by lie on it, and are turned outwards.
void expect_drawn(const SolidShape& shape, double deepest) {
  const SurfaceMesh surface = surface_of(shape, Vector3(3.0, 2.0, 1.0), 5.0);
  for (Index t = 0; t < surface.triangle_count(); ++t) {
    const Vector3 a = surface.vertices.col(surface.triangles(0, t)),
                  b = surface.vertices.col(surface.triangles(1, t)),
                  c = surface.vertices.col(surface.triangles(2, t));
    for (const Vector3& corner : {a, b, c}) EXPECT_NEAR(distance_to(shape, corner).distance, 0.0, 1e-12);
    const SurfaceDistance middle = distance_to(shape, (a + b + c) / 3.0);
    EXPECT_LE(middle.distance, 1e-12);
    EXPECT_GE(middle.distance, -deepest);
    EXPECT_GT((b - a).cross(c - a).dot(middle.normal), 0.0) << "triangle " << t;
  }
}

TEST(ShapeSurface, LiesOnTheShapeAndIsTurnedOutwards) {
  expect_drawn(HalfSpace{}, 1e-12);
  expect_drawn(Box{Vector3(0.1, 0.2, 0.3)}, 1e-12);
  expect_drawn(Sphere{0.5}, 0.01);  // within facets of 15 degrees
  expect_drawn(Capsule{0.5, 1.0}, 0.01);
  Matrix heights(2, 3);
  heights << 0.0, 0.1, 0.3, 0.2, 0.1, 0.0;
  expect_drawn(std::make_shared<const HeightField>(heights, 0.5), 1e-12);
  expect_drawn(std::make_shared<const MeshShape>(block_surface(), "block"), 1e-12);
}

}  // namespace
}  // namespace limber::shape_test
