#include "limber/io/model_normals.hpp"

#include "limber/linalg/svd.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace limber::model_normals_test {
namespace {

SurfaceMesh beam_surface() { return boundary_surface(make_beam({.cells = {12, 3, 3}})); }

/// Largest angle between corresponding columns, degrees.
double largest_angle(const Matrix3X& a, const Matrix3X& b) {
  double largest = 0.0;
  for (Index v = 0; v < a.cols(); ++v) {
    const double angle = std::atan2(a.col(v).cross(b.col(v)).norm(), a.col(v).dot(b.col(v)));
    largest = std::max(largest, angle * 180.0 / std::numbers::pi);
  }
  return largest;
}

/// What a viewer makes of the normals.
Matrix3X blend(const MorphNormals& normals, const Vector& weights) {
  Matrix3X sum = normals.base.cast<double>();
  sum.reshaped() += normals.deltas.cast<double>() * weights;
  return sum.colwise().normalized();
}

TEST(ModelNormals, AreThoseOfASphere) {
  SurfaceMesh surface =
      boundary_surface(make_beam({.kind = ElementKind::brick, .size = {2, 2, 2}, .cells = {12, 12, 12}}));
  surface.vertices.colwise() -= Vector3(1.0, 0.0, 0.0);
  surface.vertices.colwise().normalize();
  const double angle =
      largest_angle(area_weighted_normals(surface.vertices, surface.triangles), surface.vertices);
  EXPECT_LT(angle, 3.0) << "degrees";
}

TEST(ModelNormals, AreUnitVectorsWhereThereIsNoArea) {
  Matrix3X vertices = Matrix3X::Identity(3, 4);
  vertices.col(3).setConstant(5.0);
  const Eigen::Vector3i degenerate(0, 1, 1);
  EXPECT_EQ(area_weighted_normals(vertices, degenerate), Vector3::UnitZ().replicate(1, 4));
  EXPECT_EQ(linear_normals(vertices, degenerate, Eigen::MatrixXf::Random(12, 1)).deltas,
            Eigen::MatrixXf::Zero(12, 1));
}

TEST(ModelNormals, LinearDeltasAreTheDerivative) {
  const SurfaceMesh surface = beam_surface();
  const Eigen::MatrixXf target = test::random_vector(surface.vertices.size(), 0.01, 3).cast<float>();
  const MorphNormals normals = linear_normals(surface.vertices, surface.triangles, target);
  const Matrix3X rest = area_weighted_normals(surface.vertices, surface.triangles);
  const auto remainder = [&](double h) {
    Matrix3X moved = surface.vertices;
    moved.reshaped() += h * target.cast<double>();
    const Matrix3X exact = area_weighted_normals(moved, surface.triangles);
    return ((exact - rest).reshaped() - h * normals.deltas.cast<double>()).norm();
  };
  // The deltas are floats: remainders below 1e-7 of them are rounding.
  const double slope = test::remainder_slope(remainder, 1.0, 0.2);
  EXPECT_NEAR(slope, 2.0, 0.1);
}

/// A beam that bends into an arc of up to half a circle and back; the shapes and, by their principal
/// components, the targets and weights of a clip.
struct Bending {
  SurfaceMesh surface = beam_surface();
  Matrix3X base;
  Eigen::MatrixXf targets;
  Matrix weights;  ///< targets x frames
  Vector rest;

  explicit Bending(Index frames) {
    // Coordinates: the two functions of the arc that its shapes mix, sampled; exact at the frames.
    const Index n = surface.vertex_count();
    Matrix shapes(3 * n, frames);
    for (Index f = 0; f < frames; ++f) {
      const double k = 1e-6 + std::numbers::pi * static_cast<double>(f) /
                                  static_cast<double>(std::max<Index>(frames - 1, 1));
      for (Index v = 0; v < n; ++v) {
        const Vector3 x = surface.vertices.col(v);
        const double radius = 1.0 / k - x.y();
        shapes.col(f).segment<3>(3 * v) =
            Vector3(radius * std::sin(k * x.x()), 1.0 / k - radius * std::cos(k * x.x()), x.z()) - x;
      }
    }
    const Index count = std::min<Index>(frames, 5);
    const Matrix U = left_singular_vectors(shapes).U.leftCols(count);
    const Matrix q = U.transpose() * shapes;
    const Vector least = q.rowwise().minCoeff().cwiseMin(0.0);
    const Vector range = q.rowwise().maxCoeff().cwiseMax(0.0) - least;
    base = surface.vertices + (U * least).reshaped(3, n);
    targets = (U * range.asDiagonal()).cast<float>();
    weights = (q.colwise() - least).array().colwise() / range.array();
    rest = -least.array() / range.array();
  }

  [[nodiscard]] Matrix3X true_normals(const Vector& w) const {
    Matrix3X positions = base;
    positions.reshaped() += targets.cast<double>() * w;
    return area_weighted_normals(positions, surface.triangles);
  }
  [[nodiscard]] MorphNormals fit() const {
    return fit_normals(base, surface.triangles, targets, weights, rest);
  }
  /// Largest error of fitted normals, degrees.
  [[nodiscard]] double error(const MorphNormals& normals, const Vector& w) const {
    Vector with_constant(w.size() + 1);
    with_constant << w, 1.0;
    return largest_angle(blend(normals, with_constant), true_normals(w));
  }
};

TEST(ModelNormals, FittedOnesFollowALargeMotion) {
  const Bending motion(300);  // more than the fit looks at
  const MorphNormals normals = motion.fit();
  double worst = motion.error(normals, motion.rest);
  for (Index f = 0; f < motion.weights.cols(); f += 7) {
    worst = std::max(worst, motion.error(normals, motion.weights.col(f)));
  }
  EXPECT_LT(worst, 10.0) << "degrees, of normals that turn by 180";
}

TEST(ModelNormals, FittedOnesMeetEachOfAFewFrames) {
  const Bending motion(3);
  const MorphNormals normals = motion.fit();
  for (Index f = 0; f < 3; ++f) {
    const double error = motion.error(normals, motion.weights.col(f));
    EXPECT_LT(error, 0.5) << "degrees, frame " << f;
  }
}

TEST(ModelNormals, FittedOnesKeepTheTrueNormalsOfTheBaseShape) {
  const Bending motion(20);
  const Matrix3X base = motion.fit().base.cast<double>();
  EXPECT_LT(largest_angle(base, area_weighted_normals(motion.base, motion.surface.triangles)), 1e-4);
}

TEST(ModelNormals, FittedOnesAreLinearWhereNothingMoves) {
  Bending motion(1);
  motion.weights = motion.rest;  // one frame, at rest
  const MorphNormals normals = motion.fit();
  const MorphNormals linear = linear_normals(
      motion.base + (motion.targets.cast<double>() * motion.rest).reshaped(3, motion.base.cols()),
      motion.surface.triangles, motion.targets);
  const double difference = (normals.deltas.leftCols(1) - linear.deltas).norm() / linear.deltas.norm();
  EXPECT_LT(difference, 1e-4);
}

}  // namespace
}  // namespace limber::model_normals_test
