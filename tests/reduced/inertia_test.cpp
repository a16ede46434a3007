#include "limber/reduced/inertia.hpp"

#include "tests/reduced/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

namespace limber::inertia_test {
namespace {

TEST(Inertia, WeighsTheMomentsOfRegionsByTheirDensities) {
  const ReducedModel model = test::small_model();
  const ReducedRegion &left = model.regions[0], &right = model.regions[1];
  const Inertia inertia = inertia_of(model);
  EXPECT_DOUBLE_EQ(inertia.mass, 1000.0 * left.volume + 500.0 * right.volume);
  EXPECT_TRUE(inertia.first.isApprox(1000.0 * left.moments.first + 500.0 * right.moments.first, 1e-14));
  EXPECT_TRUE(inertia.second.isApprox(1000.0 * left.moments.second + 500.0 * right.moments.second, 1e-14));
  const Eigen::MatrixX3d weight = 1000.0 * left.weight + 500.0 * right.weight;
  EXPECT_TRUE(inertia.first_rows.isApprox(weight.transpose(), 1e-14));
  const Matrix rows = 1000.0 * left.moments.second_rows + 500.0 * right.moments.second_rows;
  EXPECT_TRUE(inertia.second_rows.isApprox(rows, 1e-14));
  const Matrix pairs = 1000.0 * left.moments.second_pairs + 500.0 * right.moments.second_pairs;
  EXPECT_TRUE(inertia.second_pairs.isApprox(pairs, 1e-14));
}

TEST(Inertia, FollowsEditsOfDensitiesAndOfTheRank) {
  const ReducedModel model = test::small_model();
  std::vector<Material> materials = model.materials();
  materials[1].density = 2000.0;
  const Inertia all = inertia_of(model, materials, 4), few = inertia_of(model, materials, 2);
  EXPECT_DOUBLE_EQ(all.mass, 1000.0 * model.regions[0].volume + 2000.0 * model.regions[1].volume);
  EXPECT_EQ(few.mass, all.mass);
  EXPECT_EQ(few.first_rows, all.first_rows.leftCols(2));
  EXPECT_EQ(few.second_rows, all.second_rows.leftCols(2));
  ASSERT_EQ(few.second_pairs.cols(), 4);
  for (Index j = 0; j < 2; ++j) {
    for (Index i = 0; i < 2; ++i)
      EXPECT_EQ(few.second_pairs.col(i + 2 * j), all.second_pairs.col(i + 4 * j)) << i << " " << j;
  }
}

TEST(Inertia, RefusesMaterialsAndRanksThatDoNotFit) {
  const ReducedModel model = test::small_model();
  std::vector<Material> materials = model.materials();
  EXPECT_EQ(test::error_text([&] { (void)inertia_of(model, materials, 5); }), "rank 5 of a model of rank 4");
  materials.pop_back();
  EXPECT_EQ(test::error_text([&] { (void)inertia_of(model, materials, 4); }),
            "1 materials for 2 regions, expected one each");
}

}  // namespace
}  // namespace limber::inertia_test
