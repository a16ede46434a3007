#pragma once

#include "limber/mesh/surface_query.hpp"
#include "limber/mesh/triangle_tree.hpp"

namespace limber {

/// The nearest point of one triangle, `triangle` being left at -1. A triangle flatter than 1e-8 counts as
/// its edges, which costs at most 1e-8 of its length and spares a normal without digits.
///                                                                                      [Ericson 2005, 5.1.5]
SurfacePoint closest_on_triangle(const Vector3& point, const Vector3& a, const Vector3& b, const Vector3& c);

/// Squared distance of a point to eight triangles, by the same rules.
Packet distance_squared(const PacketVector& point, const std::array<PacketVector, 3>& corner);

/// Squared distance of a point to eight boxes, 0 inside.
inline Packet box_distance_squared(const PacketVector& point, const PacketVector& low,
                                   const PacketVector& high) {
  const auto beyond = [](Packet x, Packet min, Packet max_) {
    return max(max(min - x, x - max_), broadcast(0.0));
  };
  const PacketVector d{beyond(point.x, low.x, high.x), beyond(point.y, low.y, high.y),
                       beyond(point.z, low.z, high.z)};
  return dot(d, d);
}

/// True where one of eight triangles meets a box: no axis among the box's, the triangle's normal and the
/// products of their edges separates them. Rounding decides in favour of meeting.      [Akenine-Moeller 2001]
bool any_meets(const std::array<PacketVector, 3>& corner, const BoundingBox& box);

}  // namespace limber
