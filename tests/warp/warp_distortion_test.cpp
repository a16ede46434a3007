#include "limber/warp/warp_distortion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace limber::warp_distortion_test {
namespace {

/// A strip from x = 0 to 1 m whose one mode bends it, by one coordinate of t to an arc of t radians.
ReducedModel bent_strip() {
  constexpr int cells = 100;
  Matrix3X vertices(3, 2 * (cells + 1));
  Eigen::Matrix3Xi triangles(3, 2 * cells);
  ReducedModel model;
  model.rank = 1;
  model.surface.basis.setZero(3 * vertices.cols(), 1);
  model.warp.emplace();
  model.warp->surface_rotations.setZero(3 * vertices.cols(), 1);
  for (int i = 0; i <= cells; ++i) {
    const double x = static_cast<double>(i) / cells;
    for (int side = 0; side < 2; ++side) {
      const Index v = 2 * i + side;
      vertices.col(v) = Vector3(x, 0.02 * side, 0.0);
      model.surface.basis(3 * v + 2, 0) = static_cast<float>(0.5 * x * x);
      model.warp->surface_rotations(3 * v + 1, 0) = static_cast<float>(-x);
    }
    if (i == cells) break;
    triangles.col(2 * i) = Eigen::Vector3i(2 * i, 2 * i + 2, 2 * i + 1);
    triangles.col(2 * i + 1) = Eigen::Vector3i(2 * i + 1, 2 * i + 2, 2 * i + 3);
  }
  model.surface.mesh = make_surface_mesh(vertices, triangles, "strip");
  return model;
}

TEST(WarpDistortion, OfABentStripIsThatOfItsEnd) {
  const ReducedModel strip = bent_strip();
  for (const double degrees : {10.0, 30.0, 60.0, 90.0}) {
    const double t = degrees * std::numbers::pi / 180.0;
    const double ratio = 0.5 * std::sqrt(2.0 + 2.0 * std::cos(t) + t * t - 2.0 * t * std::sin(t));
    const WarpDistortion found = warp_distortion(strip, Vector::Constant(1, t));
    EXPECT_NEAR(found.rotation, t, 1e-6);
    EXPECT_NEAR(found.length, 1.0 - ratio, 0.01) << degrees;
  }
}

TEST(WarpDistortion, IsTooLargeFromAQuarterTurnOnAndNotBefore) {
  const ReducedModel strip = bent_strip();
  EXPECT_EQ(warp_distortion(strip, Vector::Zero(1)).length, 0.0);
  EXPECT_LT(warp_distortion(strip, Vector::Constant(1, 0.8)).length, largest_warp_distortion);
  EXPECT_GT(warp_distortion(strip, Vector::Constant(1, 1.5)).length, largest_warp_distortion);
}

}  // namespace
}  // namespace limber::warp_distortion_test
