#pragma once

#include "limber/body/world.hpp"

#include <vector>

namespace limber {

/// Two of those that touch in a world, one of which is partly inside of the other. Contact sees points of
/// surfaces alone: of bodies at the same place each point is on the other's surface, and nothing pushes them
/// apart.
struct StartOverlap {
  Touching first, second;
  double share = 0.0;  ///< of `first`, by elements of a body and by volume of a shape, that is in `second`
  double depth = 0.0;  ///< m, of the deepest of these
  /// Whether nearly all of either is in the other.
  bool same_place = false;
};

/// Of what stands on something, so much of its size may be in it.
inline constexpr double counted_depth = 0.01;

/// Of all pairs that touch, one of which moves; ground is left out, from which what nothing holds comes out.
/// By the middles of elements, by vertices of the surface where a body has no mesh of its own, and by a
/// lattice in rigid bodies and obstacles. Depths of less than `counted_depth` of the smaller of two do not
/// count. Bodies are as at rest, in their frames. O(elements) for each pair whose boxes meet.
std::vector<StartOverlap> find_overlaps(const World& world);

/// How much of a body is in an obstacle, which may be ground.
StartOverlap find_overlap(const World& world, Index body, Index obstacle);

/// How deep a place is in a shape, in the axes of that, m; 0 outside.
double depth_in(const SolidShape& shape, const Vector3& x);

/// Where an obstacle is at the start, which is by its motion where it has one.
Pose start_pose(const Obstacle& obstacle);

/// Whether it is solid without end, so that bodies come out of it upwards.
bool is_ground(const SolidShape& shape);

}  // namespace limber
