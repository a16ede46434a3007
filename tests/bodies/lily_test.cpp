#include "limber/basis/linear_modes.hpp"
#include "tests/bodies/domain_support.hpp"

namespace limber::lily_test {
namespace {

using Names = std::vector<std::string>;

const BuiltinBody& lily() {
  static const BuiltinBody body = make_builtin("builtin:lily?render=130");
  return body;
}

TEST(Lily, IsATreeOfTwelveDomains) {
  test::expect_tree_of_domains(lily(), 12, 3);
  EXPECT_EQ(test::unrelated_contacts(lily().mesh), Names{});
}

TEST(Lily, IsATreeAtTheLeastCells) {
  const BuiltinBody coarse = make_builtin("builtin:lily?cells=40&render=130");
  test::expect_tree_of_domains(coarse, 12, 3);
  EXPECT_EQ(test::unrelated_contacts(coarse.mesh), Names{});
}

TEST(Lily, BearsPetalsOnItsHeadAndABudOnItsSideStem) {
  const VolumeMesh& mesh = lily().mesh;
  const test::RegionGraph graph = test::region_graph(mesh);
  EXPECT_EQ(mesh.regions.front().name, "stem");
  for (const std::string leaf : {"leaf 1", "leaf 2", "leaf 3"}) {
    EXPECT_EQ(test::way_to_root(mesh, graph, leaf), Names{"stem"});
  }
  for (const std::string petal : {"petal 1", "petal 2", "petal 3", "petal 4", "petal 5"}) {
    EXPECT_EQ(test::way_to_root(mesh, graph, petal), (Names{"head", "stem"}));
  }
  EXPECT_EQ(test::way_to_root(mesh, graph, "bud"), (Names{"side stem", "stem"}));
}

TEST(Lily, IsAsLargeAsTheFlowerOfThePaper) {
  EXPECT_NEAR(static_cast<double>(lily().mesh.element_count()), 7602.0, 800.0);
  EXPECT_NEAR(static_cast<double>(lily().mesh.vertex_count()), 2713.0, 400.0);
  const BoundingBox box = bounding_box(lily().mesh);
  EXPECT_NEAR(box.max.z() - box.min.z(), 0.42, 0.03);
}

TEST(Lily, SwingsSlowly) {
  const FullModel model(lily().mesh, lily().materials, lily().fixed);
  const double lowest = compute_linear_modes(model, 3).frequencies_hz(0);
  EXPECT_GT(lowest, 1.0);
  EXPECT_LT(lowest, 3.0);
}

}  // namespace
}  // namespace limber::lily_test
