#include "limber/mesh/surface_query.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/surface_orientation.hpp"
#include "limber/mesh/triangle_distance.hpp"
#include "limber/mesh/triangle_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace limber {
namespace {

/// Beyond any body, and small enough for its eleventh power, which the far field of winding numbers takes.
constexpr double largest_coordinate = 1e15;  // m

/// True where every edge is run through equally often in both directions.
bool is_closed(SurfaceMesh surface) {
  merge_vertices(surface);
  bool balanced = true;
  const std::vector<TriangleEdge> edges = sorted_edges(surface);
  for_each_edge(edges, [&](std::span<const TriangleEdge> sides) {
    int balance = 0;
    for (const TriangleEdge& side : sides) balance += side.forward ? 1 : -1;
    balanced = balanced && balance == 0;
  });
  return balanced;
}

/// Share of the distance to the surface within which w - 1/2 keeps its sign.
///
/// w is harmonic in the ball up to the surface. Harnack's inequality bounds a harmonic function u >= 0 at
/// t radii from the centre by u(0) (1-t)/(1+t)^2 <= u <= u(0) (1+t)/(1-t)^2. Where w is near 0, u = w; near
/// 1, u = 1 - w: it stays below 1/2 for
///   u(0) <= 0.01, t = 0.75: 0.01 * 28 = 0.28,   u(0) <= 0.1, t = 0.4: 0.1 * 3.89 = 0.39.
/// Beyond 1.1 (or -0.1) u = w (or 1 - w) stays above 1/2 for t = 0.25: 1.1 * 0.48 = 0.528. This takes for
/// granted that w is nowhere below 0 (or above 1), as for a repaired surface; the margins cover its error.
double sure_share(double w) {
  const double off = std::min(std::abs(w), std::abs(w - 1.0));
  if (off <= 0.01) return 0.75;
  if (off <= 0.1) return 0.4;
  return w > 0.0 && w < 1.0 ? 0.0 : 0.25;
}

}  // namespace

SurfaceQuery::SurfaceQuery(const SurfaceMesh& surface) {
  require(surface.triangle_count() > 0, "a surface without triangles has no inside; give it at least one");
  const double farthest = surface.vertices.cwiseAbs().maxCoeff();
  require(farthest <= largest_coordinate, "the surface reaches {:.3g} m, expected at most {:g} m; scale it",
          farthest, largest_coordinate);
  tree_ = std::make_shared<TriangleTree>(surface);
  closed_ = is_closed(surface);
}

const BoundingBox& SurfaceQuery::bounds() const { return tree_->bounds; }

SolidSample SurfaceQuery::sample(const Vector3& point) const {
  const double w = winding_number(point);
  const double distance = closest(point).distance;
  return {w > 0.5 ? -distance : distance, closed_ ? distance : sure_share(w) * distance};
}

SurfacePoint SurfaceQuery::closest(const Vector3& point) const {
  constexpr int width = TriangleTree::width;
  struct Entry {
    int child;
    double distance;
  };
  const TriangleTree& tree = *tree_;
  const PacketVector p = broadcast(point);
  std::array<Entry, TriangleTree::stack_size> pending;
  int count = 0;
  pending[count++] = {0, 0.0};
  double best = std::numeric_limits<double>::infinity();
  int best_leaf = 0;
  int best_lane = 0;
  while (count > 0) {
    const Entry entry = pending[--count];
    if (entry.distance >= best) continue;
    if (entry.child < 0) {
      const TriangleTree::Leaf& leaf = tree.leaves[~entry.child];
      const Packet distance = distance_squared(p, leaf.corner);
      double nearest = distance[0];
      for (int i = 1; i < width; ++i) nearest = std::min(nearest, distance[i]);
      if (nearest >= best) continue;
      best = nearest;
      best_leaf = ~entry.child;
      for (best_lane = 0; distance[best_lane] > nearest;) ++best_lane;
      continue;
    }
    const TriangleTree::Node& node = tree.nodes[entry.child];
    const Packet distance = box_distance_squared(p, node.low, node.high);
    // The nearest child goes onto the stack last, so that it is looked at first.
    const int start = count;
    for (int i = 0; i < node.count; ++i) {
      const double d = distance[i];
      if (d >= best) continue;
      int slot = count++;
      for (; slot > start && pending[slot - 1].distance < d; --slot) pending[slot] = pending[slot - 1];
      pending[slot] = {node.child[i], d};
    }
  }
  const TriangleTree::Leaf& leaf = tree.leaves[best_leaf];
  SurfacePoint result = closest_on_triangle(point, lane(leaf.corner[0], best_lane),
                                            lane(leaf.corner[1], best_lane), lane(leaf.corner[2], best_lane));
  result.triangle = leaf.triangle[best_lane];
  return result;
}

bool SurfaceQuery::meets(const BoundingBox& box) const {
  const TriangleTree& tree = *tree_;
  const PacketVector low = broadcast(box.min);
  const PacketVector high = broadcast(box.max);
  std::array<int, TriangleTree::stack_size> pending;
  int count = 0;
  pending[count++] = 0;
  while (count > 0) {
    const int child = pending[--count];
    if (child < 0) {
      if (any_meets(tree.leaves[~child].corner, box)) return true;
      continue;
    }
    const TriangleTree::Node& node = tree.nodes[child];
    const PacketMask overlaps = (node.low.x <= high.x) & (node.low.y <= high.y) & (node.low.z <= high.z) &
                                (low.x <= node.high.x) & (low.y <= node.high.y) & (low.z <= node.high.z);
    for (int i = 0; i < node.count; ++i) {
      if (overlaps[i]) pending[count++] = node.child[i];
    }
  }
  return false;
}

Solid make_solid(const SurfaceMesh& surface) {
  const auto query = std::make_shared<const SurfaceQuery>(surface);
  return {[query](const Vector3& point) { return query->sample(point); }, query->bounds()};
}

}  // namespace limber
