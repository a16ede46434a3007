#include "limber/basis/random_projection.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/basis_quality.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace limber::random_projection_test {
namespace {

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  return test::random_vector(rows * columns, 1.0, seed).reshaped(rows, columns);
}

/// The random matrix itself: what it makes of unit vectors.
Matrix drawn(Index samples, Index rank, std::uint64_t seed = 1) {
  return random_projection(Matrix::Identity(samples, samples), rank, seed);
}

TEST(RandomProjection, IsAProductWithItsRandomMatrix) {
  for (const Index rows : {1, 31, 32, 1000}) {
    const Matrix samples = random_matrix(rows, 40, 1);
    const Matrix expected = samples * drawn(40, 13);
    EXPECT_LT((random_projection(samples, 13) - expected).norm(), 1e-13 * expected.norm()) << rows << " rows";
  }
}

TEST(RandomProjection, DrawsSignsAndZerosInTheirShares) {
  const Matrix R = drawn(600, 100);
  const double count = static_cast<double>(R.size()), root = std::sqrt(3.0);
  const double plus = static_cast<double>((R.array() == root).count()) / count;
  const double minus = static_cast<double>((R.array() == -root).count()) / count;
  const double zeros = static_cast<double>((R.array() == 0.0).count()) / count;
  // Six standard deviations of such counts.
  const double spread = 6.0 * std::sqrt(5.0 / 36.0 / count);
  EXPECT_NEAR(plus, 1.0 / 6.0, spread);
  EXPECT_NEAR(minus, 1.0 / 6.0, spread);
  EXPECT_EQ(plus + minus + zeros, 1.0);
}

TEST(RandomProjection, DrawsColumnsThatAreNearlyOrthogonal) {
  const Matrix R = drawn(2000, 20);
  const Matrix gram = R.transpose() * R / 2000.0;
  // Entries have a standard deviation of at most sqrt(2 / 2000).
  EXPECT_LT((gram - Matrix::Identity(20, 20)).cwiseAbs().maxCoeff(), 0.2);
}

TEST(RandomProjection, HasTheSameBitsForOneSeedAndAnyNumberOfThreads) {
  const Matrix samples = random_matrix(3000, 50, 2);
  EXPECT_EQ(random_projection(samples, 20, 7, Executor(1)), random_projection(samples, 20, 7, Executor(2)));
  EXPECT_NE(random_projection(samples, 20, 7), random_projection(samples, 20, 8));
}

TEST(RandomProjection, OfLowerRankIsTheFirstPart) {
  const Matrix samples = random_matrix(70, 50, 3);
  EXPECT_EQ(random_projection(samples, 5), random_projection(samples, 20).leftCols(5));
}

TEST(RandomProjection, HoldsSamplesThatSpanNoMoreThanItsRank) {
  SparseMatrix identity(200, 200);
  identity.setIdentity();
  const Matrix samples = random_matrix(200, 12, 4) * random_matrix(12, 100, 5);
  EXPECT_LT(projection_error(random_projection(samples, 12), samples, identity), 1e-10);
}

TEST(RandomProjection, NeverDrawsNothing) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_GT(drawn(2, 1, seed).norm(), 0.0) << "seed " << seed;
}

TEST(RandomProjection, ReturnsTheSamplesWhereTheyAreNoMoreThanItsRank) {
  const Matrix samples = random_matrix(30, 4, 6);
  EXPECT_EQ(random_projection(samples, 4), samples);
  EXPECT_EQ(random_projection(samples, 9), samples);
}

TEST(RandomProjection, RefusesARankOfNothing) {
  EXPECT_THROW(random_projection(Matrix::Ones(4, 2), 0), Error);
}

}  // namespace
}  // namespace limber::random_projection_test
