#include "limber/contact/deformed_solid.hpp"

#include "limber/contact/mesh_shape.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/body/bar.hpp"
#include "tests/contact/bending.hpp"
#include "tests/reduced/allocations.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::deformed_solid_test {
namespace {

using test::error_text;
using test::random_vector;

/// Twelve columns that move a mesh by any affine map: x = X + sum q_k U_k.
Matrix affine_columns(const Matrix3X& x) {
  Matrix columns = Matrix::Zero(3 * x.cols(), 12);
  for (Index i = 0; i < x.cols(); ++i)
    for (Index l = 0; l < 3; ++l)
      for (Index k = 0; k < 4; ++k) columns(3 * i + l, 4 * l + k) = k < 3 ? x(k, i) : 1.0;
  return columns;
}

Vector affine_coordinates(const Matrix3& map, const Vector3& shift) {
  Vector q(12);
  for (Index l = 0; l < 3; ++l) {
    for (Index k = 0; k < 3; ++k) q(4 * l + k) = map(l, k) - (l == k ? 1.0 : 0.0);
    q(4 * l + 3) = shift(l);
  }
  return q;
}

std::shared_ptr<const RestSolid> solid_of(const VolumeMesh& mesh, const Matrix& columns) {
  return std::make_shared<const RestSolid>(mesh, columns,
                                           std::make_shared<const RestField>(boundary_surface(mesh), "mesh"));
}

Vector3 place_of(DeformedSolid& solid, const SolidPlace& place) {
  Vector3 x = Vector3::Zero();
  for (std::size_t k = 0; k < 4; ++k) x += place.weights[k] * solid.position(place.vertices[k]);
  return x;
}

/// The deformed boundary as a solid of its own: exact, O(n) to make.
MeshShape deformed_shape(const VolumeMesh& mesh, const Matrix& columns, const Vector& q) {
  VolumeMesh moved = mesh;
  moved.vertices.reshaped() += columns * q;
  return {boundary_surface(moved), "deformed"};
}

TEST(DeformedSolid, IsExactWhereABodyIsTurnedAndStretched) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const VolumeMesh mesh = make_beam({kind, Vector3(1.0, 0.4, 0.3), {16, 6, 5}});
    const Matrix columns = affine_columns(mesh.vertices);
    DeformedSolid solid(solid_of(mesh, columns));
    const Matrix3 stretch = Vector3(1.3, 0.9, 0.8).asDiagonal();
    const Matrix3 map = test::some_rotation() * stretch;
    const Vector3 shift(0.2, -0.4, 0.1);
    const Vector q = affine_coordinates(map, shift);
    solid.refit(Pose{}, q);
    const MeshShape exact = deformed_shape(mesh, columns, q);
    const double cell = solid.rest().field().cell();
    int inside = 0, outside = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      const Vector3 rest = Vector3(0.5, 0.0, 0.0) + random_vector(3, 0.55, seed);
      const Vector3 x = map * rest + shift;
      const SurfaceDistance expected = exact.distance(x);
      SolidTouch touch;
      const double reach = 0.1;
      const bool found = solid.touch(x, reach, touch);
      if (std::abs(expected.distance - reach) > 0.5 * cell && std::abs(expected.distance) > 1e-6) {
        EXPECT_EQ(found, expected.distance < reach) << rest.transpose() << " " << expected.distance;
        if (found) {
          EXPECT_EQ(touch.inside, expected.distance < 0.0);
        }
      }
      if (!found) continue;
      // Inside, the side that is nearest at rest is told, which by the stretches may be that much deeper; at
      // edges the field is round, and places outside are nearest to it by what it is at rest.
      if (expected.distance < 0.0) {
        EXPECT_GT(touch.distance, 1.3 / 0.8 * expected.distance - 0.5 * cell) << rest.transpose();
        EXPECT_LT(touch.distance, expected.distance + 0.5 * cell) << rest.transpose();
      } else {
        EXPECT_NEAR(touch.distance, expected.distance, 0.5 * cell + 0.15 * expected.distance)
            << rest.transpose();
      }
      EXPECT_LT((touch.surface - place_of(solid, touch.place)).norm(), 1e-5);
      EXPECT_LT((touch.surface - map * touch.rest - shift).norm(), 1e-5);
      EXPECT_NEAR(exact.distance(touch.surface).distance, 0.0, 0.5 * cell);
      const Vector3 in = rest - Vector3(0.5, 0.0, 0.0);
      const bool over_a_side = ((Vector3(0.5, 0.2, 0.15) - in.cwiseAbs()).array() < 0.1).count() <= 1;
      if (over_a_side && expected.distance > -0.05 && std::abs(expected.distance) > 1e-4) {
        EXPECT_GT(touch.normal.dot(expected.normal), 1.0 - 1e-4) << rest.transpose();
        EXPECT_NEAR(touch.distance, expected.distance, 5e-3 * std::abs(expected.distance) + 1e-6);
      }
      (expected.distance < 0.0 ? inside : outside) += 1;
    }
    EXPECT_GT(inside, 200);
    EXPECT_GT(outside, 200);
  }
}

TEST(DeformedSolid, FindsWhatAllTetrahedraOfABentBarSay) {
  const ReducedModel& model = test::bar_model();
  const SimulationMesh& simulation = *model.simulation;
  DeformedSolid solid(std::make_shared<const RestSolid>(make_rest_solid(model)));
  const double cell = solid.rest().field().cell();
  int inside = 0, near = 0, wrong_side = 0;
  double largest = 0.0, sum = 0.0;
  for (std::uint64_t pose = 0; pose < 20; ++pose) {
    Vector q = random_vector(test::bar_rank, 0.15, pose);
    solid.refit(Pose{}, q);
    const MeshShape exact = deformed_shape(simulation.mesh, simulation.basis, q);
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const Vector3 x =
          Vector3(0.5, 0.0, 0.0) + Vector3(0.6, 0.25, 0.25).cwiseProduct(random_vector(3, 1.0, seed));
      const double expected = exact.distance(x).distance;
      SolidTouch touch;
      const double reach = 0.03;
      const bool found = solid.touch(x, reach, touch);
      if (std::abs(expected) > 1e-5 && expected < 0.8 * reach) {
        EXPECT_TRUE(found) << expected;
      }
      if (expected > 1.5 * reach) {
        EXPECT_FALSE(found) << expected;
      }
      if (!found) continue;
      if (std::abs(expected) > 1e-5 && touch.inside != (expected < 0.0)) ++wrong_side;
      (expected < 0.0 ? inside : near) += 1;
      EXPECT_NEAR(exact.distance(touch.surface).distance, 0.0, 0.5 * cell);
      if (expected < -0.05) continue;
      largest = std::max(largest, std::abs(touch.distance - expected));
      sum += std::abs(touch.distance - expected);
    }
  }
  EXPECT_EQ(wrong_side, 0);
  EXPECT_GT(inside, 500);
  EXPECT_GT(near, 200);
  EXPECT_LT(largest, 0.01);
  EXPECT_LT(sum / (inside + near), 1e-3) << largest;
}

TEST(DeformedSolid, ComputesOnlyVerticesNextToWhatIsAsked) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {60, 12, 12}});
  DeformedSolid solid(solid_of(mesh, test::bending_columns(mesh.vertices)));
  solid.refit(Pose{}, test::bending_coordinates(1.0));
  EXPECT_EQ(solid.computed_vertices(), 0);
  SolidTouch touch;
  const Vector3 x = test::bend(Vector3(0.7, 0.0, 0.09), 1.0);
  ASSERT_TRUE(solid.touch(x, 0.01, touch));
  EXPECT_TRUE(touch.inside);
  EXPECT_LT(solid.computed_vertices(), 60);
  EXPECT_NEAR(touch.distance, -0.01, 1e-3);
}

TEST(DeformedSolid, HasRowsThatAreTheDerivativesOfTouchedPlaces) {
  const ReducedModel& model = test::bar_model();
  DeformedSolid solid(std::make_shared<const RestSolid>(make_rest_solid(model)));
  const Vector q = random_vector(test::bar_rank, 0.1, 5), change = random_vector(test::bar_rank, 0.1, 6);
  solid.refit(Pose{}, q);
  SolidTouch touch;
  Vector3 x = solid.position(test::tip());
  ASSERT_TRUE(solid.touch(x, 0.05, touch));
  Eigen::Matrix3Xd rows(3, test::bar_rank);
  solid.rest().rows_at(touch.place, rows);
  solid.refit(Pose{}, q + change);
  EXPECT_LT((place_of(solid, touch.place) - touch.surface - rows * change).norm(), 1e-6);
}

TEST(DeformedSolid, IsWithinItsBoxesForAllOfAStep) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {20, 4, 4}});
  const Matrix columns = test::bending_columns(mesh.vertices);
  DeformedSolid solid(solid_of(mesh, columns));
  const Pose pose{Vector3(3.0, 1.0, 2.0), Eigen::Quaterniond(test::some_rotation())};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Vector q = random_vector(columns.cols(), 0.3, seed),
                 v = random_vector(columns.cols(), 30.0, 100 + seed);
    const SweptMotion motion{random_vector(3, 10.0, 200 + seed), random_vector(3, 20.0, 300 + seed), 0.01};
    solid.refit(pose, q, v, motion);
    SweptBox box = solid.box(0);
    for (int p = 1; p < solid.rest().patch_count(); ++p) box.include(solid.box(p));
    for (Index i = 0; i < mesh.vertex_count(); ++i) {
      const Matrix rows = columns.middleRows<3>(3 * i);
      const Vector3 x = pose.rotation * Vector3(mesh.vertices.col(i) + rows * q);
      const Vector3 way = motion.step * (pose.rotation * Vector3(rows * v) + motion.velocity +
                                         motion.angular_velocity.cross(x));
      for (int l = 0; l < 3; ++l) {
        EXPECT_GE(x(l), box.low(l));
        EXPECT_LE(x(l), box.high(l));
        EXPECT_GE(way(l), box.least_way(l) - 1e-6);
        EXPECT_LE(way(l), box.most_way(l) + 1e-6);
      }
    }
  }
}

TEST(DeformedSolid, AllocatesNothing) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {20, 4, 4}});
  DeformedSolid solid(solid_of(mesh, test::bending_columns(mesh.vertices)));
  const Vector q = test::bending_coordinates(0.5), v = test::bending_coordinates(0.1);
  const SweptMotion motion{.step = 0.001};
  EXPECT_EQ(test::allocations_of([&] {
              solid.refit(Pose{}, q, v, motion);
              SolidTouch touch;
              for (int i = 0; i < 100; ++i) (void)solid.touch(Vector3(0.01 * i, 0.05, 0.08), 0.02, touch);
            }),
            0);
}

TEST(DeformedSolid, TakesFewerCoordinatesAndBodiesThatAreRigid) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {10, 2, 2}});
  DeformedSolid rigid(solid_of(mesh, Matrix::Zero(3 * mesh.vertex_count(), 0)));
  SolidTouch touch;
  ASSERT_TRUE(rigid.touch({0.5, 0.0, 0.08}, 0.0, touch));
  EXPECT_NEAR(touch.distance, -0.02, 1e-5);
  EXPECT_FALSE(rigid.touch({0.5, 0.0, 0.12}, 0.01, touch));
  EXPECT_TRUE(rigid.touch({0.5, 0.0, 0.12}, 0.03, touch));
  EXPECT_NEAR(touch.distance, 0.02, 1e-5);
  EXPECT_NE(
      error_text([&] { rigid.refit(Pose{}, Vector::Zero(2)); }).find("2 coordinates for a solid of rank 0"),
      std::string::npos);
}

TEST(RestSolid, IsRefusedForModelsWithoutAMesh) {
  ReducedModel model = test::bar_model();
  model.simulation.reset();
  EXPECT_NE(
      error_text([&] { (void)make_rest_solid(model); }).find("bar: the model was kept without the mesh"),
      std::string::npos);
}

}  // namespace
}  // namespace limber::deformed_solid_test
