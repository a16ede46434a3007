#include "limber/multidomain/decompose.hpp"

#include "tests/multidomain/cut_beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace limber::decompose_test {
namespace {

using test::contains;
using test::cut_beam;
using test::error_text;

using Names = std::vector<std::string>;

TEST(DecomposeByRegions, GivesOneDomainPerRegionThatHangsTogether) {
  const VolumeMesh mesh = cut_beam();
  const Decomposition result = decompose_by_regions(mesh);
  EXPECT_EQ(result.names, (Names{"root", "middle", "tip"}));
  EXPECT_EQ(result.domain, mesh.region);
}

TEST(DecomposeByRegions, NumbersThePiecesOfARegionThatFallsApart) {
  VolumeMesh mesh = cut_beam();
  for (int& region : mesh.region) region = region == 1 ? 0 : 1;
  mesh.regions = {{1, "stem"}, {2, "leaf"}};
  const Decomposition result = decompose_by_regions(mesh);
  EXPECT_EQ(result.names, (Names{"stem", "leaf 1", "leaf 2"}));
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const double x = test::element_center(mesh, e).x();
    EXPECT_EQ(result.domain[e], x < 1.0 ? 1 : x < 2.0 ? 0 : 2) << "element at x = " << x;
  }
}

TEST(DecomposeByRegions, GivesEveryDomainANameOfItsOwn) {
  VolumeMesh mesh = cut_beam();
  mesh.regions = {{1, "a"}, {2, "a"}, {7, ""}};
  EXPECT_EQ(decompose_by_regions(mesh).names, (Names{"a 1", "a 2", "region 7"}));
  mesh.regions = {{1, "a 1"}, {2, "a"}, {3, "a"}};
  EXPECT_EQ(decompose_by_regions(mesh).names, (Names{"a 1", "a 2", "a 3"}));
}

/// Elements of the cut beam in one of its cubes.
std::vector<int> cube(const VolumeMesh& mesh, int region) {
  std::vector<int> elements;
  for (int e = 0; e < mesh.element_count(); ++e) {
    if (mesh.region[e] == region) elements.push_back(e);
  }
  return elements;
}

TEST(DecomposeBySets, MakesADomainOfWhatIsInNoSet) {
  const VolumeMesh mesh = cut_beam();
  const Decomposition result = decompose_by_sets(mesh, {{"end", cube(mesh, 2)}});
  EXPECT_EQ(result.names, (Names{"end", "body"}));
  for (Index e = 0; e < mesh.element_count(); ++e) EXPECT_EQ(result.domain[e], mesh.region[e] == 2 ? 0 : 1);
  const Decomposition all =
      decompose_by_sets(mesh, {{"a", cube(mesh, 0)}, {"b", cube(mesh, 1)}, {"c", cube(mesh, 2)}}, "nothing");
  EXPECT_EQ(all.names, (Names{"a", "b", "c"}));
}

TEST(DecomposeBySets, RefusesSetsThatAreNoDomains) {
  const VolumeMesh mesh = cut_beam();
  const auto text = [&](const std::vector<ElementSet>& sets) {
    return error_text([&] { decompose_by_sets(mesh, sets); });
  };
  std::vector<int> ends = cube(mesh, 0), tip = cube(mesh, 2);
  ends.insert(ends.end(), tip.begin(), tip.end());
  EXPECT_TRUE(contains(text({{"a", cube(mesh, 0)}, {"b", {cube(mesh, 0)[3]}}}), "in the sets 'a' and 'b'"));
  EXPECT_TRUE(contains(text({{"none", {}}}), "'none' has no elements"));
  EXPECT_TRUE(contains(text({{"ends", ends}}), "'ends' does not hang together"));
  EXPECT_TRUE(contains(text({{"middle", cube(mesh, 1)}}), "'body' does not hang together"));
  EXPECT_TRUE(contains(text({{"a", {-1}}}), "element -1"));
  EXPECT_TRUE(contains(text({{"body", tip}}), "a set has that name"));
  EXPECT_TRUE(contains(text({{"a", cube(mesh, 0)}, {"a", cube(mesh, 1)}}), "two sets are named 'a'"));
}

TEST(DecomposeBySets, CountsElementsThatShareOnlyAnEdgeAsApart) {
  const VolumeMesh mesh = test::plate(2, 2);  // squares 0 and 3 touch along an edge
  const std::vector<ElementSet> sets{{"diagonal", {0, 3}}, {"b", {1}}, {"c", {2}}};
  EXPECT_TRUE(
      contains(error_text([&] { decompose_by_sets(mesh, sets); }), "'diagonal' does not hang together"));
}

}  // namespace
}  // namespace limber::decompose_test
