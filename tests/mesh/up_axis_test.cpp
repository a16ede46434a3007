#include "limber/mesh/up_axis.hpp"

#include <gtest/gtest.h>

namespace limber::up_axis_test {
namespace {

constexpr std::array ups{UpAxis::x, UpAxis::y, UpAxis::z};

TEST(UpAxis, SidesAreTheAxesOfAFrameThatIsNotMirrored) {
  for (const UpAxis up : ups) {
    const Vector3 right = direction_of(BodySide::right, up), front = direction_of(BodySide::front, up),
                  top = direction_of(BodySide::top, up);
    EXPECT_EQ(top, direction_of(up));
    EXPECT_EQ(right.cross(-front), top);
    EXPECT_EQ(direction_of(BodySide::left, up), -right);
    EXPECT_EQ(direction_of(BodySide::back, up), -front);
    EXPECT_EQ(direction_of(BodySide::bottom, up), -top);
  }
}

TEST(UpAxis, BodiesOfGltfFilesLookAlongZ) {
  EXPECT_EQ(direction_of(BodySide::front, UpAxis::y), Vector3::UnitZ());
  EXPECT_EQ(direction_of(BodySide::right, UpAxis::y), Vector3::UnitX());
}

TEST(UpAxis, IsFoundAlongADirection) {
  for (const UpAxis up : ups) EXPECT_EQ(up_axis_along(9.81 * direction_of(up)), up);
  EXPECT_EQ(up_axis_along({1.0, 1.0, 0.0}), UpAxis::z);
  EXPECT_EQ(up_axis_along(Vector3::Zero()), UpAxis::z);
}

}  // namespace
}  // namespace limber::up_axis_test
