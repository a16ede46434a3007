#include "limber/warp/warped_surface.hpp"

#include "limber/warp/rotation.hpp"
#include "tests/support/files.hpp"
#include "tests/warp/support.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::warped_surface_test {
namespace {

using Floats = Eigen::MatrixXf;
using Field = Eigen::Matrix3Xf;

constexpr double rounding = std::numeric_limits<float>::epsilon();

struct Sample {
  Field rest;
  Floats basis, rotations;

  Sample(Index vertices, Index rank)
      : rest(test::random_matrix(3, vertices, 1.0, 1).cast<float>()),
        basis(test::random_matrix(3 * vertices, rank, 1.0, 2).cast<float>()),
        rotations(test::random_matrix(3 * vertices, rank, 1.0, 3).cast<float>()) {}

  [[nodiscard]] WarpedSurface surface() const { return {rest, basis, rotations}; }
  [[nodiscard]] Vector3 rotation(Index v, const Eigen::VectorXf& q) const {
    return rotations.middleRows<3>(3 * v).leftCols(q.size()).cast<double>() * q.cast<double>();
  }
  [[nodiscard]] Vector3 displacement(Index v, const Eigen::VectorXf& q) const {
    return basis.middleRows<3>(3 * v).leftCols(q.size()).cast<double>() * q.cast<double>();
  }
};

Eigen::VectorXf coordinates(Index rank, double amplitude) {
  return test::random_vector(rank, amplitude, 7).cast<float>();
}

TEST(WarpedSurface, IsTheWarpedShapeForAllSizesAndAmplitudes) {
  for (const Index vertices : {1, 15, 16, 17, 300}) {
    for (const Index rank : {1, 5, 8}) {
      const Sample sample(vertices, rank);
      WarpedSurface surface = sample.surface();
      EXPECT_EQ(surface.rank(), rank);
      EXPECT_EQ(surface.vertex_count(), vertices);
      for (const double amplitude : {0.0, 1e-6, 0.1, 1.0, 4.0}) {
        const Eigen::VectorXf q = coordinates(rank, amplitude);
        Field x(3, vertices);
        surface.positions(q, x);
        for (Index v = 0; v < vertices; ++v) {
          const Vector3 w = sample.rotation(v, q), u = sample.displacement(v, q);
          const Vector3 expected = sample.rest.col(v).cast<double>() + mean_rotation(w) * u;
          // The sums with q come with an error of their own, which turns the displacement.
          const double size = 1.0 + static_cast<double>(rank) * amplitude;
          EXPECT_LT((x.col(v).cast<double>() - expected).norm(), 4 * rounding * size * (1.0 + u.norm()))
              << "vertex " << v << " of " << vertices << ", angle " << w.norm();
        }
      }
    }
  }
}

/// One coordinate that turns each vertex about an axis of its own by q, and moves it by 1 at right angles to
/// that.
Sample turning_sample(Index vertices) {
  Sample sample(vertices, 1);
  sample.rest.setZero();
  for (Index v = 0; v < vertices; ++v) {
    const Vector3 axis = test::random_vector(3, 1.0, static_cast<std::uint64_t>(v)).normalized();
    sample.rotations.middleRows<3>(3 * v) = axis.cast<float>();
    sample.basis.middleRows<3>(3 * v) = axis.unitOrthogonal().cast<float>();
  }
  return sample;
}

TEST(WarpedSurface, IsRightToRoundingForAllAngles) {
  const Sample sample = turning_sample(48);
  WarpedSurface surface = sample.surface();
  Field x(3, 48), n(3, 48);
  // The error of positions grows with the displacement, that of normals with the angle, which is itself
  // rounded.
  for (float angle = 0.01f; angle < 31.0f; angle += 0.0371f) {
    const Eigen::VectorXf q = Eigen::VectorXf::Constant(1, angle);
    surface.positions(q, x);
    surface.normals(sample.basis.reshaped(3, 48), n);
    for (Index v = 0; v < 48; ++v) {
      const Vector3 w = sample.rotation(v, q), u = sample.displacement(v, q);
      const Vector3 expected = mean_rotation(w) * u;
      EXPECT_LT((x.col(v).cast<double>() - expected).norm(), 5.0 * angle * rounding) << angle;
      const Vector3 normal = rotation_matrix(w) * u / double{angle};
      EXPECT_LT((n.col(v).cast<double>() - normal).norm(), (5.0 + angle) * rounding) << angle;
    }
  }
}

TEST(WarpedSurface, ComesBackToRestAfterAWholeTurn) {
  const Sample sample = turning_sample(5);
  WarpedSurface surface = sample.surface();
  Field x(3, 5);
  surface.positions(Eigen::VectorXf::Constant(1, 6.2831853f), x);
  EXPECT_LT(x.norm(), 2e-6);
}

TEST(WarpedSurface, ApproachesTheLinearShapeWithSecondOrder) {
  const Sample sample(40, 4);
  WarpedSurface surface = sample.surface();
  const auto error = [&](double amplitude) {
    const Eigen::VectorXf q = coordinates(4, amplitude);
    Field x(3, 40);
    surface.positions(q, x);
    return (x - sample.rest - (sample.basis * q).reshaped(3, 40)).norm();
  };
  EXPECT_NEAR(test::order_of(error(0.04), error(0.02)), 2.0, 0.02);
}

TEST(WarpedSurface, LeavesOutCoordinatesThatAreNotGiven) {
  const Sample sample(20, 6);
  WarpedSurface surface = sample.surface();
  Eigen::VectorXf q = coordinates(6, 0.5);
  q.tail<3>().setZero();
  Field all(3, 20), some(3, 20), none(3, 20);
  surface.positions(q, all);
  surface.positions(q.head(3), some);
  surface.positions(q.head(0), none);
  EXPECT_EQ(all, some);
  EXPECT_EQ(none, sample.rest);
}

TEST(WarpedSurface, HasTheSameBitsOnAnyNumberOfThreads) {
  const Sample sample(10000, 3);
  WarpedSurface surface = sample.surface();
  const Eigen::VectorXf q = coordinates(3, 2.0);
  Field one(3, 10000), many(3, 10000);
  surface.positions(q, one);
  surface.positions(q, many, Executor(3));
  EXPECT_EQ(one, many);
}

TEST(WarpedSurface, TurnsNormalsAsTheLastPositions) {
  const Sample sample(37, 4);
  WarpedSurface surface = sample.surface();
  const Field rest = test::random_matrix(3, 37, 1.0, 9).cast<float>().colwise().normalized();
  Field x(3, 37), normals(3, 37);
  surface.normals(rest, normals);
  EXPECT_EQ(normals, rest);
  for (const double amplitude : {0.2, 5.0}) {
    const Eigen::VectorXf q = coordinates(4, amplitude);
    surface.positions(q, x);
    surface.normals(rest, normals);
    for (Index v = 0; v < 37; ++v) {
      const Vector3 expected = rotation_matrix(sample.rotation(v, q)) * rest.col(v).cast<double>();
      EXPECT_LT((normals.col(v).cast<double>() - expected).norm(), 4 * rounding * (1.0 + 4.0 * amplitude));
      EXPECT_NEAR(normals.col(v).norm(), 1.0f, 8 * rounding);
    }
  }
}

TEST(WarpedSurface, TurnsNormalsTheSameWheneverTheyAreFirstAskedFor) {
  const Sample sample(37, 4);
  WarpedSurface asked = sample.surface(), late = asked;
  const Field rest = test::random_matrix(3, 37, 1.0, 9).cast<float>().colwise().normalized();
  Field x(3, 37), normals(3, 37), expected(3, 37);
  asked.normals(rest, expected);
  for (const Index count : {4, 2}) {  // also where coordinates are left out
    const Eigen::VectorXf q = coordinates(count, 0.8);
    asked.positions(q, x);
    asked.normals(rest, expected);
    WarpedSurface other = late;
    other.positions(coordinates(4, 0.3), x);
    other.positions(q, x);
    other.normals(rest, normals);
    EXPECT_EQ(normals, expected);
  }
}

TEST(WarpedSurface, WritesNothingBesideItsResult) {
  const Sample sample(7, 3);
  WarpedSurface surface = sample.surface();
  Field room = Field::Constant(3, 9, 99.0f);
  surface.positions(coordinates(3, 0.5), room.middleCols(1, 7));
  surface.normals(sample.rest, room.middleCols(1, 7));
  EXPECT_TRUE((room.col(0).array() == 99.0f).all());
  EXPECT_TRUE((room.col(8).array() == 99.0f).all());
  EXPECT_TRUE((room.middleCols(1, 7).array() != 99.0f).all());
}

TEST(WarpedSurface, RefusesSizesThatDoNotFit) {
  const Sample sample(7, 3);
  WarpedSurface surface = sample.surface();
  Field x(3, 7);
  Eigen::Matrix4Xf gaps(4, 7);
  EXPECT_EQ(test::error_text([&] { WarpedSurface(sample.rest.leftCols(6), sample.basis, sample.rotations); }),
            "the basis has 21 rows, the surface needs 18 (3 per vertex)");
  EXPECT_EQ(test::error_text([&] { WarpedSurface(sample.rest, sample.basis, sample.rotations.leftCols(2)); }),
            "the rotations are 21 x 2, expected 21 x 3 as the basis is");
  EXPECT_EQ(test::error_text([&] { surface.positions(coordinates(4, 1.0), x); }),
            "4 reduced coordinates for a basis of 3 vectors");
  EXPECT_EQ(test::error_text([&] { surface.positions(coordinates(3, 1.0), x.leftCols(6)); }),
            "6 positions for a surface of 7 vertices, expected one each");
  EXPECT_EQ(test::error_text([&] { surface.normals(sample.rest, x.leftCols(6)); }),
            "6 normals for a surface of 7 vertices, expected one each");
  EXPECT_EQ(test::error_text([&] { surface.positions(coordinates(3, 1.0), gaps.topRows<3>()); }),
            "the columns of the positions are 4 numbers apart, expected 3; give a 3 x n matrix whose columns "
            "follow each "
            "other");
}

}  // namespace
}  // namespace limber::warped_surface_test
