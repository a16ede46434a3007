#include "limber/base/random.hpp"

#include <gtest/gtest.h>

#include <array>

namespace limber::random_test {
namespace {

// Published outputs of splitmix64: seed 0 (Vigna's reference), seed 1234567 (Rosetta Code).
TEST(Random, FollowsTheReferenceGenerator) {
  Random zero(0);
  for (const std::uint64_t expected :
       {0xe220a8397b1dcdafULL, 0x6e789e6aa1b965f4ULL, 0x06c45d188009454fULL, 0xf88bb8a8724c81ecULL}) {
    EXPECT_EQ(zero.next(), expected);
  }
  Random other(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL}) {
    EXPECT_EQ(other.next(), expected);
  }
}

TEST(Random, UniformTakesTheUpper53Bits) {
  Random random(0);
  EXPECT_EQ(random.uniform(), static_cast<double>(0xe220a8397b1dcdafULL >> 11) / 9007199254740992.0);
  EXPECT_NEAR(Random(0).uniform(-2.0, 6.0), -2.0 + 8.0 * 0.8833108082136426, 1e-15);
}

TEST(Random, EqualSeedsGiveEqualNumbers) {
  Random a(42);
  Random b(42);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(a.normal(), b.normal());
  EXPECT_NE(Random(42).next(), Random(43).next());
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(1);
  constexpr int count = 100000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  // Five standard deviations of the sample moments.
  EXPECT_NEAR(sum / count, 0.5, 5 * 0.2887 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1.0 / 3.0, 5 * 0.2981 / std::sqrt(count));
}

TEST(Random, NormalHasTheMomentsOfTheNormalDistribution) {
  Random random(2);
  constexpr int count = 100000;
  std::array<double, 5> moment{};
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    for (int k = 1; k <= 4; ++k) moment[static_cast<std::size_t>(k)] += std::pow(x, k) / count;
  }
  EXPECT_NEAR(moment[1], 0.0, 5 * 1.0 / std::sqrt(count));
  EXPECT_NEAR(moment[2], 1.0, 5 * 1.4142 / std::sqrt(count));
  EXPECT_NEAR(moment[3], 0.0, 5 * 3.8730 / std::sqrt(count));
  EXPECT_NEAR(moment[4], 3.0, 5 * 9.7980 / std::sqrt(count));
}

}  // namespace
}  // namespace limber::random_test
