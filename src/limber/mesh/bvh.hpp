#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace limber {

/// A tree of boxes around items that have a box each (triangles, elements): finds those near a point, in a
/// box in O(log n) instead of O(n). It knows only the boxes; what an item is, the caller says.
///
/// Binary, split by the surface-area heuristic over bins, at most four items per leaf; built in O(n log n),
/// the same tree for the same boxes. No path from the root is longer than 60 nodes.
class Bvh {
 public:
  struct Node {
    BoundingBox box;
    int first = 0;  ///< leaf: start in `items`; inner node: its left child, the right one is the next
    int count = 0;  ///< items of a leaf; 0 for an inner node
    [[nodiscard]] bool is_leaf() const { return count > 0; }
  };

  Bvh() = default;
  explicit Bvh(std::span<const BoundingBox> boxes);

  /// The root first, children after their parents.
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const int> items() const { return items_; }  ///< grouped by leaf
  [[nodiscard]] bool empty() const { return nodes_.empty(); }

  /// Calls visit(item) for every item whose box meets `box`, sides included, and for those that share a leaf
  /// with it: what the item is decides, the tree keeps no boxes of items.
  template <class Visit>
  void for_each_overlap(const BoundingBox& box, Visit&& visit) const;

  /// The item nearest to a point: distance_squared(item) gives its exact squared distance. Returns -1 where
  /// none is nearer than `within` (squared). Ties go to the item visited first; the tree alone decides.
  template <class DistanceSquared>
  int nearest(const Vector3& point, DistanceSquared&& distance_squared,
              double within = std::numeric_limits<double>::infinity()) const;

 private:
  std::vector<Node> nodes_;
  std::vector<int> items_;
};

/// Squared distance of a point to a box, 0 inside.
inline double distance_squared(const BoundingBox& box, const Vector3& point) {
  return (box.min - point).cwiseMax(point - box.max).cwiseMax(0.0).squaredNorm();
}

inline bool overlap(const BoundingBox& a, const BoundingBox& b) {
  return (a.min.array() <= b.max.array()).all() && (b.min.array() <= a.max.array()).all();
}

template <class Visit>
void Bvh::for_each_overlap(const BoundingBox& box, Visit&& visit) const {
  if (empty()) return;
  std::array<int, 128> pending;  // as in nearest()
  int count = 0;
  pending[count++] = 0;
  while (count > 0) {
    const Node& node = nodes_[pending[--count]];
    if (!overlap(node.box, box)) continue;
    if (node.is_leaf()) {
      for (int i = 0; i < node.count; ++i) visit(items_[node.first + i]);
    } else {
      pending[count++] = node.first + 1;
      pending[count++] = node.first;
    }
  }
}

template <class DistanceSquared>
int Bvh::nearest(const Vector3& point, DistanceSquared&& item_distance, double within) const {
  if (empty()) return -1;
  struct Entry {
    int node;
    double distance;
  };
  std::array<Entry, 128> pending;  // twice the depth at most, and the depth is bounded by the builder
  int count = 0;
  pending[count++] = {0, limber::distance_squared(nodes_[0].box, point)};
  int best = -1;
  while (count > 0) {
    const Entry entry = pending[--count];
    if (entry.distance >= within) continue;
    const Node& node = nodes_[entry.node];
    if (node.is_leaf()) {
      for (int i = 0; i < node.count; ++i) {
        const int item = items_[node.first + i];
        const double d = item_distance(item);
        if (d < within) {
          within = d;
          best = item;
        }
      }
      continue;
    }
    Entry near{node.first, limber::distance_squared(nodes_[node.first].box, point)};
    Entry far{node.first + 1, limber::distance_squared(nodes_[node.first + 1].box, point)};
    if (far.distance < near.distance) std::swap(near, far);
    pending[count++] = far;
    pending[count++] = near;
  }
  return best;
}

}  // namespace limber
