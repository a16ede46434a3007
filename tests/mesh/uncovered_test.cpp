#include "limber/mesh/uncovered.hpp"

#include "tests/mesh/shapes.hpp"

#include <gtest/gtest.h>

#include <array>

namespace limber::uncovered_test {
namespace {

const SurfaceMesh block = test::box_surface({0, 0, 0}, {1, 1, 1});

Uncovered uncovered(const SurfaceMesh& surface, double distance) {
  const std::array<const SurfaceMesh*, 1> surfaces{&surface};
  return find_uncovered(surfaces, block, distance);
}

TEST(Uncovered, IsNothingOfWhatTheMeshFollows) {
  const Uncovered same = uncovered(block, 1e-3);
  EXPECT_EQ(same.share, 0.0);
  EXPECT_EQ(same.farthest, 0.0);
}

TEST(Uncovered, IsNothingOfWhatLiesDeepInside) {
  const Uncovered inner = uncovered(test::box_surface({0.4, 0.4, 0.4}, {0.6, 0.6, 0.6}), 0.1);
  EXPECT_EQ(inner.share, 0.0);
  EXPECT_EQ(inner.farthest, 0.0);
}

TEST(Uncovered, IsTheShareOfTheAreaAndTheFarthestPlace) {
  // A bar of 2 x 0.1 x 0.1, of which all beyond x = 1.2 is more than 0.2 away from the block.
  const Uncovered found = uncovered(test::box_surface({0, 0, 0}, {2, 0.1, 0.1}), 0.2);
  EXPECT_NEAR(found.share, (0.8 * 0.4 + 0.01) / (2 * 0.4 + 0.02), 0.003);
  EXPECT_DOUBLE_EQ(found.farthest, 1.0);
  EXPECT_DOUBLE_EQ(found.at.x(), 2.0);
}

TEST(Uncovered, TellsOfWhatIsTooSmallForItsShare) {
  SurfaceMesh needle = test::box_surface({0.5, 0.5, 0.5}, {0.5001, 0.5001, 1.5});
  const Uncovered found = uncovered(test::joined(block, needle), 0.4);
  EXPECT_LT(found.share, 1e-3);
  EXPECT_DOUBLE_EQ(found.farthest, 0.5);
}

TEST(Uncovered, HasTheSameBitsForAnyNumberOfThreads) {
  const SurfaceMesh ball = test::icosphere(3, 1.2);
  const std::array<const SurfaceMesh*, 1> surfaces{&ball};
  const Uncovered one = find_uncovered(surfaces, block, 0.1, Executor(1));
  const Uncovered three = find_uncovered(surfaces, block, 0.1, Executor(3));
  EXPECT_EQ(one.share, three.share);
  EXPECT_EQ(one.farthest, three.farthest);
  EXPECT_EQ(one.at, three.at);
}

}  // namespace
}  // namespace limber::uncovered_test
