#include "limber/bodies/part_tree.hpp"
#include "tests/support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace limber::builtin_tree_test {
namespace {

using test::error_text;

/// What a tree of parts should come to.
struct Expected {
  std::string name;
  std::size_t placements;
  int coordinates;
  int depth;
  std::size_t parts;
  bool free;

  friend void PrintTo(const Expected& tree, std::ostream* stream) { *stream << tree.name; }
};

const std::vector<Expected> expected_trees{{"oak", 1435, 11972, 5, 6, false},
                                           {"oak?leaves=100", 141, 1620, 5, 6, false},
                                           {"station", 48, 921, 4, 11, true},
                                           {"letters", 15, 160, 8, 10, true}};

const PartTree& made(const std::string& name) {
  static std::map<std::string, PartTree> trees;
  const auto [entry, is_new] = trees.try_emplace(name);
  if (is_new) entry->second = make_builtin_tree(fmt::format("builtin:{}", name), Executor(1));
  return entry->second;
}

const Part& part_of(const PartTree& tree, const Placement& placement) {
  return tree.parts[static_cast<std::size_t>(placement.part)];
}

const Placement& parent_of(const PartTree& tree, const Placement& placement) {
  return tree.placements[static_cast<std::size_t>(placement.parent)];
}

Vector3 world(const Placement& placement, const Vector3& x) {
  return placement.rotation * (placement.scale * x) + placement.position;
}

/// Middle of some vertices of a placed part, in the world.
Vector3 middle(const PartTree& tree, const Placement& placement, const std::vector<int>& vertices) {
  const Matrix3X& x = part_of(tree, placement).mesh.vertices;
  return world(placement, x(Eigen::all, vertices).rowwise().mean());
}

double diagonal(const Part& part) {
  const BoundingBox box = bounding_box(part.mesh);
  return (box.max - box.min).norm();
}

int uses_of(const PartTree& tree, std::string_view part) {
  return static_cast<int>(
      std::count_if(tree.placements.begin(), tree.placements.end(),
                    [&](const Placement& placement) { return part_of(tree, placement).name == part; }));
}

class BuiltinTrees : public testing::TestWithParam<Expected> {
 protected:
  static const PartTree& tree() { return made(GetParam().name); }
};

TEST_P(BuiltinTrees, HaveTheSizesThatTheirPageNames) {
  int coordinates = 0, deepest = 0;
  std::vector<int> depth;
  for (const Placement& placement : tree().placements) {
    const Part& part = part_of(tree(), placement);
    coordinates += part.rigid ? 0 : part.rank;
    EXPECT_TRUE(part.rigid || part.rank > 0) << part.name;
    depth.push_back(placement.parent < 0 ? 1 : depth[static_cast<std::size_t>(placement.parent)] + 1);
    deepest = std::max(deepest, depth.back());
  }
  EXPECT_EQ(tree().placements.size(), GetParam().placements);
  EXPECT_EQ(coordinates, GetParam().coordinates);
  EXPECT_EQ(deepest, GetParam().depth);
  EXPECT_EQ(tree().parts.size(), GetParam().parts);
  EXPECT_EQ(tree().free, GetParam().free);
}

TEST_P(BuiltinTrees, PassTheirCheck) { EXPECT_NO_THROW(check_parts(tree(), GetParam().name)); }

TEST_P(BuiltinTrees, UseEveryPart) {
  for (const Part& part : tree().parts) EXPECT_GT(uses_of(tree(), part.name), 0) << part.name;
}

TEST_P(BuiltinTrees, HavePartsOfOneConnectedPiece) {
  for (const Part& part : tree().parts) {
    const std::vector<int> pieces = connected_parts(part.mesh);
    EXPECT_EQ(*std::max_element(pieces.begin(), pieces.end()), 0) << part.name;
    EXPECT_LE(part.mesh.element_count(), 8000) << part.name;
  }
}

TEST_P(BuiltinTrees, AttachEveryPieceToASiteNearby) {
  for (const Placement& placement : tree().placements) {
    if (placement.parent < 0) continue;
    const Placement& parent = parent_of(tree(), placement);
    const Part& carrier = part_of(tree(), parent);
    const AttachmentSite& site = carrier.sites[static_cast<std::size_t>(placement.site)];
    const Vector3 at = middle(tree(), parent, site.vertices);
    const double size = parent.scale * diagonal(carrier);
    EXPECT_LT((middle(tree(), placement, part_of(tree(), placement).fixed) - at).norm(), 0.2 * size)
        << placement.name;
    double nearest = size;
    for (const int v : site.vertices) {
      const Vector3 x = world(parent, carrier.mesh.vertices.col(v));
      for (const int w : part_of(tree(), placement).fixed) {
        const Vector3 y = world(placement, part_of(tree(), placement).mesh.vertices.col(w));
        nearest = std::min(nearest, (x - y).norm());
      }
    }
    EXPECT_LT(nearest, 0.05 * size) << placement.name;
  }
}

TEST_P(BuiltinTrees, HaveAColorForEverythingDrawn) {
  for (const Part& part : tree().parts) {
    EXPECT_NO_THROW(check_surface(part.render, part.name));
    EXPECT_EQ(part.colors.size(), part.render.parts.size()) << part.name;
    const BoundingBox drawn = bounding_box(part.render), mesh = bounding_box(part.mesh);
    const double margin = 0.05 * diagonal(part);
    EXPECT_TRUE((drawn.min.array() > mesh.min.array() - margin).all()) << part.name;
    EXPECT_TRUE((drawn.max.array() < mesh.max.array() + margin).all()) << part.name;
  }
}

std::string test_name(const testing::TestParamInfo<Expected>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '?' || c == '='; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinTrees, testing::ValuesIn(expected_trees), test_name);

TEST(BuiltinTree, OakHasLeavesThatAreAllOnePart) {
  const PartTree& oak = made("oak");
  EXPECT_EQ(uses_of(oak, "leaf"), 1394);
  EXPECT_EQ(uses_of(oak, "trunk") + uses_of(oak, "bough") + uses_of(oak, "limb") + uses_of(oak, "branch") +
                uses_of(oak, "twig"),
            41);
}

TEST(BuiltinTree, OakIsHeldAtTheGroundOnly) {
  const PartTree& oak = made("oak");
  double lowest = 1.0;
  for (const Placement& placement : oak.placements) {
    const Part& part = part_of(oak, placement);
    if (placement.parent < 0) {
      for (const int v : part.fixed) EXPECT_LT(world(placement, part.mesh.vertices.col(v)).z(), 0.05);
    } else {
      for (const auto& x : part.mesh.vertices.colwise()) lowest = std::min(lowest, world(placement, x).z());
    }
  }
  EXPECT_GT(lowest, 0.3);
}

TEST(BuiltinTree, OakWithFewerLeavesHasTheSameWood) {
  const PartTree &whole = made("oak"), &bare = made("oak?leaves=100");
  for (std::size_t i = 0; i < 41; ++i) {
    EXPECT_EQ(whole.placements[i].name, bare.placements[i].name);
    EXPECT_EQ(whole.placements[i].position, bare.placements[i].position);
    EXPECT_EQ(whole.placements[i].scale, bare.placements[i].scale);
  }
}

TEST(BuiltinTree, StationIsMadeOfBricks) {
  for (const Part& part : made("station").parts) EXPECT_EQ(part.mesh.kind, ElementKind::brick) << part.name;
}

TEST(BuiltinTree, LettersSpellTheirWordFromLeftToRight) {
  const PartTree& letters = made("letters");
  std::vector<std::pair<double, std::string>> found;
  int links = 0;
  for (const Placement& placement : letters.placements) {
    const Part& part = part_of(letters, placement);
    links += part.rigid ? 1 : 0;
    if (!part.rigid) found.emplace_back(placement.position.x(), part.name.substr(0, 1));
  }
  std::sort(found.begin(), found.end());
  std::string word;
  for (const auto& letter : found) word += letter.second;
  EXPECT_EQ(word, "FLEXIBLE");
  EXPECT_EQ(links, 7);
}

TEST(BuiltinTree, EqualNamesGiveEqualBits) {
  for (const Expected& expected : expected_trees) {
    if (expected.name == "oak") continue;  // as with fewer leaves
    const PartTree& a = made(expected.name);
    const PartTree b = make_builtin_tree(fmt::format("builtin:{}", expected.name), Executor(2));
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
      EXPECT_EQ(a.parts[p].mesh.vertices, b.parts[p].mesh.vertices) << a.parts[p].name;
      EXPECT_EQ(a.parts[p].mesh.elements, b.parts[p].mesh.elements) << a.parts[p].name;
      EXPECT_EQ(a.parts[p].render.vertices, b.parts[p].render.vertices) << a.parts[p].name;
      EXPECT_EQ(a.parts[p].fixed, b.parts[p].fixed) << a.parts[p].name;
    }
    ASSERT_EQ(a.placements.size(), b.placements.size());
    for (std::size_t i = 0; i < a.placements.size(); ++i) {
      EXPECT_EQ(a.placements[i].position, b.placements[i].position);
      EXPECT_EQ(a.placements[i].rotation.coeffs(), b.placements[i].rotation.coeffs());
    }
  }
}

TEST(BuiltinTree, KnowsItsNames) {
  for (const std::string_view name : builtin_tree_names()) {
    EXPECT_TRUE(is_builtin_tree(fmt::format("builtin:{}", name)));
    EXPECT_FALSE(builtin_tree_description(name).empty());
  }
  EXPECT_TRUE(is_builtin_tree("builtin:oak?leaves=100"));
  EXPECT_FALSE(is_builtin_tree("builtin:tree"));
  EXPECT_FALSE(is_builtin_tree("oak"));
  EXPECT_FALSE(is_builtin_tree("builtin:"));
}

TEST(BuiltinTree, SaysWhatIsWrongWithAName) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"oak", "'oak' is not the name of a built-in tree of parts; they start with 'builtin:'"},
      {"builtin:oaks", "unknown built-in tree of parts 'oaks'; did you mean 'oak'?"},
      {"builtin:elephant", "unknown built-in tree of parts 'elephant'; known are oak, station, letters"},
      {"builtin:oak?leaf=5", "builtin:oak?leaf=5: unknown parameter 'leaf'; known are leaves"},
      {"builtin:oak?leaves", "builtin:oak?leaves: 'leaves' should read key=value"},
      {"builtin:oak?leaves=many",
       "builtin:oak?leaves=many: leaves is 'many', expected a whole number from 1 to 1394"},
      {"builtin:oak?leaves=0", "builtin:oak?leaves=0: leaves is '0', expected a whole number from 1 to 1394"},
      {"builtin:station?panels=3", "builtin:station?panels=3: 'station' takes no parameters"},
  };
  for (const auto& [name, text] : cases) EXPECT_EQ(error_text([&] { (void)make_builtin_tree(name); }), text);
}

}  // namespace
}  // namespace limber::builtin_tree_test
