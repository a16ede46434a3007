#include "limber/io/morph_fit.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "tests/support/files.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <vector>

namespace limber::morph_fit_test {
namespace {

using Frames = std::vector<Eigen::Matrix3Xf>;
using testing::HasSubstr;

Matrix random_values(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  return Matrix::NullaryExpr(rows, columns, [&] { return random.uniform(-1.0, 1.0); });
}

/// Blends of `rank` random shapes, more than a block of vertices.
Frames frames_of_rank(Index rank, Index count, Index vertices = 300) {
  const Matrix values = random_values(3 * vertices, rank, 1) * random_values(rank, count, 2);
  Frames frames;
  for (Index f = 0; f < count; ++f) frames.emplace_back(values.col(f).reshaped(3, vertices).cast<float>());
  return frames;
}

/// A rod of unit length that is wound up into an arc of 2 radians: no blend of a few shapes.
Frames bending_rod(Index count, Index vertices = 400) {
  Frames frames;
  for (Index f = 0; f < count; ++f) {
    const double bend = 1e-6 + 2.0 * static_cast<double>(f) / static_cast<double>(count);
    Matrix3X u(3, vertices);
    for (Index v = 0; v < vertices; ++v) {
      const double s = static_cast<double>(v) / static_cast<double>(vertices);
      u.col(v) << std::sin(bend * s) / bend - s, (1.0 - std::cos(bend * s)) / bend, 0.0;
    }
    frames.emplace_back(u.cast<float>());
  }
  return frames;
}

MorphFit fit_frames(const Frames& frames, double tolerance, Index most_targets = 200) {
  const auto shape = [&](Index f) { return frames[static_cast<std::size_t>(f)]; };
  return fit_morph_targets(static_cast<Index>(frames.size()), shape, tolerance, most_targets);
}

/// Largest distance, without the help of the library.
double error_of(const MorphFit& fit, const Frames& frames) {
  double largest = 0.0;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    Matrix3X x = frames[f].cast<double>();
    x.reshaped() -= fit.targets.cast<double>() * fit.coordinates.col(static_cast<Index>(f));
    largest = std::max(largest, x.colwise().norm().maxCoeff());
  }
  return largest;
}

TEST(MorphFit, FindsTheRankOfAMotion) {
  for (const Index rank : {1, 2, 5, 13}) {
    const Frames frames = frames_of_rank(rank, 40);
    const MorphFit fit = fit_frames(frames, 1e-4);
    EXPECT_EQ(fit.targets.cols(), rank);
    EXPECT_EQ(fit.targets.rows(), 900);
    EXPECT_EQ(fit.coordinates.rows(), rank);
    EXPECT_EQ(fit.coordinates.cols(), 40);
    EXPECT_LT(error_of(fit, frames), 1e-5);
  }
}

TEST(MorphFit, HasOrthonormalTargets) {
  const MorphFit fit = fit_frames(frames_of_rank(7, 30), 1e-4);
  const Matrix targets = fit.targets.cast<double>();
  EXPECT_LT((targets.transpose() * targets - Matrix::Identity(7, 7)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MorphFit, StaysWithinItsToleranceAndSaysByHowMuch) {
  const Frames frames = bending_rod(60);
  for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    const MorphFit fit = fit_frames(frames, tolerance);
    EXPECT_LE(fit.largest_error, tolerance);
    EXPECT_NEAR(fit.largest_error, error_of(fit, frames), 1e-12);
  }
}

TEST(MorphFit, NeedsMoreTargetsForLessTolerance) {
  const Frames frames = bending_rod(60);
  Index before = 1;
  for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    const Index count = fit_frames(frames, tolerance).targets.cols();
    EXPECT_GE(count, before) << tolerance;
    before = count;
  }
  EXPECT_GT(before, 3);
  EXPECT_LT(before, 12) << "the motion is smooth";
}

TEST(MorphFit, HasNoTargetTooMany) {
  const Frames frames = bending_rod(60);
  const MorphFit fit = fit_frames(frames, 1e-3);
  EXPECT_GT(fit_frames(frames, 1e-3, fit.targets.cols() - 1).largest_error, 1e-3);
}

TEST(MorphFit, SaysHowFarItIsWithTooFewTargets) {
  const Frames frames = bending_rod(60);
  const MorphFit fit = fit_frames(frames, 1e-4, 2);
  EXPECT_EQ(fit.targets.cols(), 2);
  EXPECT_GT(fit.largest_error, 1e-4);
  EXPECT_NEAR(fit.largest_error, error_of(fit, frames), 1e-12);
}

TEST(MorphFit, SaysHowFarFloatsAreFromATinyTolerance) {
  const Frames frames = bending_rod(20);
  const MorphFit fit = fit_frames(frames, 1e-15);
  EXPECT_EQ(fit.targets.cols(), 20) << "one per frame";
  EXPECT_LT(fit.largest_error, 1e-6);
  EXPECT_NEAR(fit.largest_error, error_of(fit, frames), 1e-12);
}

/// One vertex in one frame, by 1e-4 of what all others move: 1e-13 of the sum of squares.
TEST(MorphFit, SeesAVertexThatHardlyMoves) {
  Frames frames = frames_of_rank(1, 50, 2000);
  frames[33](1, 1234) += 1e-4F;
  const MorphFit fit = fit_frames(frames, 2e-5);
  EXPECT_LE(fit.largest_error, 2e-5);
  EXPECT_LE(error_of(fit, frames), 2e-5);
}

TEST(MorphFit, HasNoTargetsForNoMotion) {
  const MorphFit fit = fit_frames(Frames(3, Eigen::Matrix3Xf::Zero(3, 10)), 1e-9);
  EXPECT_EQ(fit.targets.rows(), 30);
  EXPECT_EQ(fit.targets.cols(), 0);
  EXPECT_EQ(fit.coordinates.rows(), 0);
  EXPECT_EQ(fit.coordinates.cols(), 3);
  EXPECT_EQ(fit.largest_error, 0.0);
}

TEST(MorphFit, HoldsOneFrame) {
  const Frames frames = bending_rod(2);
  const MorphFit fit = fit_frames({frames[1]}, 1e-5);
  EXPECT_EQ(fit.targets.cols(), 1);
  EXPECT_LT(error_of(fit, {frames[1]}), 1e-6);
}

TEST(MorphFit, HoldsMotionsOfAnySize) {
  for (const float size : {1e-30F, 1e30F}) {
    Frames frames = frames_of_rank(3, 20);
    for (Eigen::Matrix3Xf& frame : frames) frame *= size;
    const MorphFit fit = fit_frames(frames, 1e-4 * static_cast<double>(size));
    EXPECT_EQ(fit.targets.cols(), 3) << size;
    EXPECT_LT(error_of(fit, frames), 1e-5 * static_cast<double>(size));
  }
}

/// More frames than directions are taken from.
TEST(MorphFit, FollowsEveryFrameOfALongMotion) {
  const Frames frames = bending_rod(3 * most_fitted_frames, 30);
  const MorphFit fit = fit_frames(frames, 1e-4);
  EXPECT_EQ(fit.coordinates.cols(), 3 * most_fitted_frames);
  EXPECT_LE(fit.largest_error, 1e-4);
  EXPECT_NEAR(fit.largest_error, error_of(fit, frames), 1e-12);
}

/// No direction is taken from the frame, so that it cannot be met.
TEST(MorphFit, SaysHowFarAFrameIsThatWasNotLookedAt) {
  Frames frames = frames_of_rank(1, 2 * most_fitted_frames, 500);
  frames[1](1, 7) += 0.5F;
  const MorphFit fit = fit_frames(frames, 1e-4);
  EXPECT_GT(fit.largest_error, 0.3);
  EXPECT_NEAR(fit.largest_error, error_of(fit, frames), 1e-12);
}

TEST(MorphFit, AsksForAFrameAFewTimesOnly) {
  const Frames frames = bending_rod(1000, 10);
  Index asked = 0;
  (void)fit_morph_targets(
      1000,
      [&](Index f) {
        ++asked;
        return frames[static_cast<std::size_t>(f)];
      },
      1e-4);
  EXPECT_LE(asked, 4000);
}

TEST(MorphFit, RefusesWhatItCannotFit) {
  const auto refusal = [](const Frames& frames, double tolerance, Index most) {
    return test::error_text([&] { (void)fit_frames(frames, tolerance, most); });
  };
  Frames frames = frames_of_rank(2, 3);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(refusal(frames, bad, 10), HasSubstr("expected a positive number"));
  }
  EXPECT_THAT(refusal(frames, 1e-3, 0), HasSubstr("0 morph targets at most, expected at least 1"));
  EXPECT_THAT(refusal({}, 1e-3, 10), HasSubstr("at least one"));
  frames[2](0, 5) = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal(frames, 1e-3, 10), HasSubstr("frame 2 has displacements that are not finite"));
  frames[1].resize(3, 4);
  EXPECT_THAT(refusal(frames, 1e-3, 10), HasSubstr("frame 1 has 4 vertices, the first has 300"));
}

}  // namespace
}  // namespace limber::morph_fit_test
