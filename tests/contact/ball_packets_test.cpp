#include "limber/contact/ball_packets.hpp"

#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace limber::ball_packets_test {
namespace {

using test::random_vector;

std::vector<int> all_of(const Matrix3X& places) {
  std::vector<int> points(static_cast<std::size_t>(places.cols()));
  std::iota(points.begin(), points.end(), 0);
  return points;
}

/// The radius of the ball around places at rest.
double radius_around(const Matrix3X& places) {
  BallPackets balls(places, Matrix(3 * places.cols(), 0));
  balls.put(balls.add(), 0, all_of(places));
  return static_cast<double>(balls.at(0, nullptr, nullptr, 0).radius[0]);
}

Matrix3X random_places(Index count, std::uint64_t seed) {
  return random_vector(3 * count, 1.0, seed).reshaped(3, count);
}

TEST(BallPackets, AreTheSmallestBallsAroundSimpleSets) {
  const Matrix3X one = Vector3(1.0, 2.0, 3.0);
  EXPECT_LT(radius_around(one), 2e-5);
  Matrix3X same(3, 16);
  same.colwise() = Vector3(1.0, 2.0, 3.0);
  EXPECT_LT(radius_around(same), 2e-5);
  Matrix3X line(3, 5), blunt(3, 3), even(3, 4), corners(3, 27);
  line << 0.0, 0.1, 0.2, 0.3, 1.0, 0.0, 0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  EXPECT_NEAR(radius_around(line), std::sqrt(0.5), 1e-5);
  blunt << -1.0, 1.0, 0.2, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0;
  EXPECT_NEAR(radius_around(blunt), 1.0, 1e-5);
  even << 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0;
  EXPECT_NEAR(radius_around(even), std::sqrt(3.0), 2e-5);
  for (Index i = 0; i < corners.cols(); ++i)
    corners.col(i) =
        Eigen::Array3i(static_cast<int>(i) % 3, static_cast<int>(i) / 3 % 3, static_cast<int>(i) / 9)
            .cast<double>();
  EXPECT_NEAR(radius_around(corners), std::sqrt(3.0), 4e-5);
}

/// No ball around them is smaller than that around any four of them, and one of these is as large.
TEST(BallPackets, AreNoLargerThanTheBallsAroundFourOfThePoints) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix3X places = random_places(9, seed);
    double largest = 0.0;
    for (int a = 0; a < 9; ++a)
      for (int b = 0; b <= a; ++b)
        for (int c = 0; c <= b; ++c)
          for (int d = 0; d <= c; ++d)
            largest = std::max(largest, radius_around(places(Eigen::all, std::array<int, 4>{a, b, c, d})));
    EXPECT_NEAR(radius_around(places), largest, 2e-5) << seed;
  }
}

TEST(BallPackets, HoldTheirPointsAndTheirWays) {
  constexpr Index count = 40, rank = 33;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Matrix3X places = random_places(count, seed);
    // Far from the origin, and moved by little besides: what is left of the digits is what the floats have.
    const double spread = seed % 2 == 0 ? 1.0 : 1e-4;
    const Matrix3X rest = (spread * places).colwise() + random_vector(3, 5.0, 100 + seed);
    Matrix rows(3 * count, rank);
    for (Index k = 0; k < rank; ++k)
      rows.col(k) =
          ((spread * random_places(count, 200 + 100 * seed + static_cast<std::uint64_t>(k))).colwise() +
           random_vector(3, 1.0, static_cast<std::uint64_t>(k)))
              .reshaped();
    BallPackets balls(rest, rows);
    balls.put(balls.add(), 3, all_of(rest));
    const Vector q = random_vector(rank, 1.0, 300 + seed);
    std::vector<float> numbers, sizes;
    for (const double x : q) {
      numbers.push_back(static_cast<float>(x));
      sizes.push_back(std::abs(numbers.back()));
    }
    const BallPackets::Packet at = balls.at(0, numbers.data(), sizes.data(), rank),
                              ways = balls.ways(0, numbers.data(), sizes.data(), rank);
    for (Index i = 0; i < count; ++i) {
      Vector3 place = rest.col(i), way = Vector3::Zero();
      for (Index k = 0; k < rank; ++k)
        way += static_cast<double>(numbers[static_cast<std::size_t>(k)]) * rows.block<3, 1>(3 * i, k);
      place += way;
      for (int l = 0; l < 3; ++l) {
        place(l) -= static_cast<double>(at.center.at[l][3]);
        way(l) -= static_cast<double>(ways.center.at[l][3]);
      }
      EXPECT_LE(place.norm(), static_cast<double>(at.radius[3])) << seed;
      EXPECT_LE(way.norm(), static_cast<double>(ways.radius[3])) << seed;
    }
    EXPECT_LT(at.radius[0], 0.0F);
  }
}

}  // namespace
}  // namespace limber::ball_packets_test
