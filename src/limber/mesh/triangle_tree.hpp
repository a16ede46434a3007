#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/mesh/far_field.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <array>
#include <vector>

namespace limber {

/// Eight points or vectors, one per lane.
struct PacketVector {
  Packet x, y, z;
};

inline PacketVector operator-(const PacketVector& a, const PacketVector& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline PacketVector operator*(Packet s, const PacketVector& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Packet dot(const PacketVector& a, const PacketVector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline PacketVector cross(const PacketVector& a, const PacketVector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline PacketVector broadcast(const Vector3& v) {
  return {broadcast(v.x()), broadcast(v.y()), broadcast(v.z())};
}
inline Vector3 lane(const PacketVector& v, int i) { return {v.x[i], v.y[i], v.z[i]}; }
inline void set_lane(PacketVector& v, int i, const Vector3& value) {
  v.x[i] = value.x();
  v.y[i] = value.y();
  v.z[i] = value.z();
}

/// What SurfaceQuery searches: a tree with eight children per node, whose boxes and expansions are computed
/// on together, one lane each; its leaves hold up to eight triangles in the same way.
struct TriangleTree {
  static constexpr int width = packet_size;

  struct Node {
    PacketVector low, high;        ///< boxes of the children; empty lanes lie at infinity
    std::array<int, width> child;  ///< a node, or the complement ~leaf
    int count = 0;                 ///< children
  };

  /// Winding number of each child's triangles seen from far away, about `center` (FarField).
  struct Moments {
    PacketVector center;
    Packet far_squared;  ///< squared distance beyond which the expansion is used; infinite for empty lanes
    std::array<Packet, far_field_coefficients> coefficient;
  };

  /// Empty lanes hold a point, the first corner of the first triangle: it has no area and is never nearer.
  struct Leaf {
    std::array<PacketVector, 3> corner;
    std::array<int, width> triangle;
  };

  /// No path from the root is longer than 55 nodes (bvh.cpp); each one leaves at most 7 siblings behind.
  static constexpr int stack_size = 448;

  std::vector<Node> nodes;  ///< the root first
  std::vector<Moments> moments;
  std::vector<Leaf> leaves;
  BoundingBox bounds;

  explicit TriangleTree(const SurfaceMesh& surface);
};

}  // namespace limber
