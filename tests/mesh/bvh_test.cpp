#include "limber/mesh/bvh.hpp"

#include "tests/mesh/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace limber::bvh_test {
namespace {

std::vector<BoundingBox> random_boxes(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<BoundingBox> boxes;
  for (int i = 0; i < count; ++i) {
    const Vector3 low = test::random_point(random, 1.0);
    boxes.push_back({low, low + 0.1 * (test::random_point(random, 1.0).array() + 1.0).matrix()});
  }
  return boxes;
}

int depth_below(const Bvh& bvh, int node) {
  const Bvh::Node& here = bvh.nodes()[static_cast<std::size_t>(node)];
  return here.is_leaf() ? 1 : 1 + std::max(depth_below(bvh, here.first), depth_below(bvh, here.first + 1));
}

/// Every item in one leaf, boxes around what is below them.
void expect_sound(const Bvh& bvh, std::span<const BoundingBox> boxes) {
  std::vector<int> items(bvh.items().begin(), bvh.items().end());
  std::sort(items.begin(), items.end());
  std::vector<int> expected(boxes.size());
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(items, expected);
  std::size_t in_leaves = 0;
  const auto holds = [](const BoundingBox& outer, const BoundingBox& inner) {
    return (outer.min.array() <= inner.min.array()).all() && (outer.max.array() >= inner.max.array()).all();
  };
  for (const Bvh::Node& node : bvh.nodes()) {
    for (int i = 0; i < node.count; ++i) {
      ASSERT_TRUE(holds(node.box, boxes[bvh.items()[node.first + i]]));
    }
    in_leaves += static_cast<std::size_t>(node.count);
    if (node.is_leaf()) continue;
    ASSERT_TRUE(holds(node.box, bvh.nodes()[node.first].box));
    ASSERT_TRUE(holds(node.box, bvh.nodes()[node.first + 1].box));
  }
  EXPECT_EQ(in_leaves, boxes.size());
}

TEST(Bvh, HoldsEveryItemOnce) {
  for (const int count : {1, 2, 4, 5, 17, 1000}) {
    const auto boxes = random_boxes(count, 1);
    expect_sound(Bvh(boxes), boxes);
  }
}

TEST(Bvh, OfNothingFindsNothing) {
  const Bvh bvh(std::span<const BoundingBox>{});
  EXPECT_TRUE(bvh.empty());
  EXPECT_EQ(bvh.nearest(Vector3::Zero(), [](int) { return 0.0; }), -1);
  bvh.for_each_overlap({Vector3::Zero(), Vector3::Ones()}, [](int) { ADD_FAILURE(); });
}

TEST(Bvh, StaysShallowWhereAllBoxesAgree) {
  const std::vector<BoundingBox> boxes(5000, {Vector3::Zero(), Vector3::Ones()});
  const Bvh bvh(boxes);
  expect_sound(bvh, boxes);
  EXPECT_LE(depth_below(bvh, 0), 13);
}

TEST(Bvh, StaysShallowWhereSizesSpanAllMagnitudes) {
  // The heuristic cuts off one box at a time here.
  std::vector<BoundingBox> boxes;
  for (int i = 0; i < 600; ++i) {
    const double x = std::ldexp(1.0, i - 300);
    boxes.push_back({Vector3(x, 0, 0), Vector3(1.5 * x, 0, 0)});
  }
  const Bvh bvh(boxes);
  expect_sound(bvh, boxes);
  EXPECT_LT(depth_below(bvh, 0), 60);
}

TEST(Bvh, FindsTheOverlapsThatASearchThroughAllFinds) {
  const auto boxes = random_boxes(500, 2);
  const Bvh bvh(boxes);
  Random random(3);
  std::size_t visits = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Vector3 low = test::random_point(random, 1.0);
    const BoundingBox box{low, low + Vector3(0.2, 0.1, 0.3)};
    std::vector<int> expected;
    for (int i = 0; i < 500; ++i) {
      if (overlap(boxes[i], box)) expected.push_back(i);
    }
    std::vector<int> found;
    bvh.for_each_overlap(box, [&](int item) { found.push_back(item); });
    visits += found.size();
    std::sort(found.begin(), found.end());
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end()) << "an item was visited twice";
    EXPECT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
  }
  EXPECT_LT(visits, 50u * 500u / 20u);  // of all 25,000 pairs few are looked at
}

TEST(Bvh, CountsBoxesThatTouch) {
  const std::vector<BoundingBox> boxes{{Vector3::Zero(), Vector3::Ones()}};
  int hits = 0;
  Bvh(boxes).for_each_overlap({Vector3(1, 1, 1), Vector3(2, 2, 2)}, [&](int) { ++hits; });
  EXPECT_EQ(hits, 1);
}

TEST(Bvh, FindsTheNearestThatASearchThroughAllFinds) {
  const auto boxes = random_boxes(500, 4);
  const Bvh bvh(boxes);
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const Vector3 point = test::random_point(random, 2.0);
    const auto to = [&](int i) { return (0.5 * (boxes[i].min + boxes[i].max) - point).squaredNorm(); };
    int expected = 0;
    for (int i = 1; i < 500; ++i) {
      if (to(i) < to(expected)) expected = i;
    }
    EXPECT_EQ(bvh.nearest(point, to), expected);
    EXPECT_EQ(bvh.nearest(point, to, 0.99 * to(expected)), -1);
  }
}

}  // namespace
}  // namespace limber::bvh_test
