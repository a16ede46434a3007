#include "limber/multidomain/model.hpp"

#include "tests/multidomain/small_trees.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

namespace limber::model_test {
namespace {

using test::contains;
using test::error_text;

/// A body that was reduced as one.
ReducedModel reduced_cube() {
  ReducedModel model = test::beam_tree()->parts[0].model;
  model.name = "cube";
  model.description = "for tests";
  return model;
}

TEST(MakeModel, MakesATreeOfOneDomain) {
  for (const bool free : {false, true}) {
    const Model model = make_model(reduced_cube(), free);
    EXPECT_NO_THROW(check_model(model, "test"));
    EXPECT_EQ(model.name, "cube");
    EXPECT_EQ(model.description, "for tests");
    EXPECT_EQ(model.free, free);
    ASSERT_EQ(model.domain_count(), 1);
    EXPECT_EQ(model.domains[0].name, "cube");
    EXPECT_EQ(model.coordinate_count(), reduced_cube().rank);
    EXPECT_EQ(model.depth(), 1);
    EXPECT_EQ(&single_domain(model, "test"), &model.parts[0].model);
  }
  ReducedModel nameless = reduced_cube();
  nameless.name.clear();
  EXPECT_EQ(make_model(nameless, false).domains[0].name, "body");
}

TEST(MakeModel, IsFreeWhereNothingHoldsTheMesh) {
  ReducedModel cube = reduced_cube();
  ASSERT_FALSE(cube.simulation->fixed.empty());
  EXPECT_FALSE(make_model(cube).free);
  cube.simulation->fixed.clear();
  EXPECT_TRUE(make_model(cube).free);
  cube.simulation.reset();
  EXPECT_PRED2(contains, error_text([&] { (void)make_model(cube); }),
               "cube: the reduced model was kept without its mesh");
}

TEST(SingleDomain, IsNoneOfATree) {
  EXPECT_EQ(error_text([] { (void)single_domain(*test::beam_tree(), "t.glb"); }),
            "t.glb: is a tree of 3 domains, expected a body that was reduced as one");
}

}  // namespace
}  // namespace limber::model_test
