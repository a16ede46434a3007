#include "limber/mesh/farthest_points.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

namespace limber::farthest_points_test {
namespace {

const Matrix3X& brick() {
  static const Matrix3X points =
      make_beam({ElementKind::brick, Vector3(3.0, 2.0, 1.0), Eigen::Vector3i(6, 4, 2)}).vertices;
  return points;
}

TEST(FarthestPoints, TakesOppositeCornersFirstAndTellsHowFarTheOthersAre) {
  const FarthestPoints few = farthest_points(brick(), 8);
  EXPECT_NEAR((brick().col(few.chosen[0]) - brick().col(few.chosen[1])).norm(), std::sqrt(14.0), 1e-12);
  double farthest = 0.0;
  for (const auto& x : brick().colwise()) {
    double nearest = 1e9;
    for (const int i : few.chosen) nearest = std::min(nearest, (brick().col(i) - x).norm());
    farthest = std::max(farthest, nearest);
  }
  EXPECT_NEAR(few.spacing, farthest, 1e-12);
}

TEST(FarthestPoints, AreTheSameForASetOfAnotherSize) {
  const std::vector<int> chosen = farthest_points(brick(), 40).chosen;
  for (const double size : {1e-3, 0.7, 31.0})
    EXPECT_EQ(farthest_points(size * brick(), 40).chosen, chosen) << "size " << size;
}

TEST(FarthestPoints, AreAllWhereThereAreFewAndEachPlaceOnce) {
  Matrix3X twice(3, 2 * brick().cols());
  twice << brick(), brick();
  const FarthestPoints all = farthest_points(twice, 100000);
  EXPECT_EQ(static_cast<Index>(all.chosen.size()), brick().cols());
  EXPECT_EQ(all.spacing, 0.0);
}

TEST(FarthestPoints, RefusesNothing) {
  EXPECT_TRUE(
      test::contains(test::error_text([] { (void)farthest_points(Matrix3X(3, 0), 2); }), "2 of 0 points"));
  EXPECT_TRUE(test::contains(test::error_text([] { (void)farthest_points(brick(), 0); }), "0 of 105 points"));
}

}  // namespace
}  // namespace limber::farthest_points_test
