#include "tests/bodies/domain_support.hpp"

namespace limber::dragon_test {
namespace {

using Names = std::vector<std::string>;

const BuiltinBody& coarse_dragon() {
  static const BuiltinBody body = make_builtin("builtin:dragon?cells=42&render=90");
  return body;
}

TEST(Dragon, IsATreeOfFortyDomains) {
  const BuiltinBody dragon = make_builtin("builtin:dragon?render=90");
  test::expect_tree_of_domains(dragon, 40, 5);
  EXPECT_EQ(test::unrelated_contacts(dragon.mesh), Names{});
}

TEST(Dragon, IsATreeAtTheLeastCells) { test::expect_tree_of_domains(coarse_dragon(), 40, 5); }

TEST(Dragon, HasItsPartsWhereTheyBelong) {
  const VolumeMesh& mesh = coarse_dragon().mesh;
  const test::RegionGraph graph = test::region_graph(mesh);
  EXPECT_EQ(mesh.regions.front().name, "torso");
  for (const std::string part : {"jaw", "left horn", "right horn", "left ear", "right ear", "crest"}) {
    EXPECT_EQ(test::way_to_root(mesh, graph, part), (Names{"head", "neck 2", "neck 1", "torso"}));
  }
  EXPECT_EQ(test::way_to_root(mesh, graph, "tail spike 3"), (Names{"tail 3", "tail 2", "tail 1", "torso"}));
  EXPECT_EQ(test::way_to_root(mesh, graph, "tail 4"), (Names{"tail 3", "tail 2", "tail 1", "torso"}));
  EXPECT_EQ(test::way_to_root(mesh, graph, "left hand"), (Names{"left forearm", "left upper arm", "torso"}));
  EXPECT_EQ(test::way_to_root(mesh, graph, "right foot"), (Names{"right shin", "right thigh", "torso"}));
  EXPECT_EQ(test::way_to_root(mesh, graph, "right wing finger 2"), (Names{"right wing", "torso"}));
  for (const std::string spike : {"back spike 1", "back spike 2"}) {
    EXPECT_EQ(test::way_to_root(mesh, graph, spike), Names{"torso"});
  }
}

}  // namespace
}  // namespace limber::dragon_test
