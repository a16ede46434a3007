#pragma once

#include "limber/body/world.hpp"

#include <vector>

namespace limber {

/// Two bodies of a world, one of which is partly inside of the other. Contact sees points of surfaces alone:
/// of bodies at the same place each point is on the other's surface, and nothing pushes them apart.
struct StartOverlap {
  Index body = 0, other = 0;  ///< in the world
  double share = 0.0;         ///< of the elements of `body`, that are in `other`
  double depth = 0.0;         ///< m, of the deepest of these
  /// Whether nearly all of either is in the other.
  bool same_place = false;
};

/// Of all pairs that touch, by the middles of elements, or by vertices of the surface where a body has no
/// mesh of its own; depths of less than a hundredth of the smaller body do not count. Bodies are as at rest,
/// in their frames. O(elements) for each pair whose boxes meet.
std::vector<StartOverlap> find_overlaps(const World& world);

}  // namespace limber
