#include "limber/mesh/triangle_distance.hpp"

#include <Eigen/Geometry>

#include <cmath>

namespace limber {
namespace {

/// Twice the area over the longest edge squared, itself squared, below which a triangle counts as its edges.
/// The normal of such a triangle is off by 1e-16 / 1e-8, its edges are off the interior by 1e-8: the same.
constexpr double flat = 1e-16;

Packet absolute(Packet x) { return max(x, -x); }
Packet minimum(Packet a, Packet b) { return select(a < b, a, b); }

/// Squared distance to segments, from the offset `from` of the point to their start.
Packet segment_distance_squared(const PacketVector& from, const PacketVector& edge, Packet length_squared) {
  // A segment of no length has t = 0 / tiny.
  Packet t = dot(from, edge) / max(length_squared, broadcast(1e-300));
  t = max(minimum(t, broadcast(1.0)), broadcast(0.0));
  const PacketVector off = from - t * edge;
  return dot(off, off);
}

/// True in the lanes where the projections of three corners (p, q, r) on an axis lie beyond those of a box.
PacketMask beyond(Packet p, Packet q, Packet r, Packet reach) {
  const Packet lowest = minimum(minimum(p, q), r);
  const Packet highest = max(max(p, q), r);
  return (lowest > reach) | (highest < -reach);
}

}  // namespace

SurfacePoint closest_on_triangle(const Vector3& point, const Vector3& a, const Vector3& b, const Vector3& c) {
  const std::array<Vector3, 3> corner{a, b, c};
  const std::array<Vector3, 3> edge{b - a, c - b, a - c};
  const Vector3 normal = edge[0].cross(edge[1]);
  const double longest = std::max({edge[0].squaredNorm(), edge[1].squaredNorm(), edge[2].squaredNorm()});
  const auto result = [&](const Vector3& barycentric) {
    const Vector3 position = barycentric(0) * a + barycentric(1) * b + barycentric(2) * c;
    return SurfacePoint{-1, position, barycentric, (point - position).norm()};
  };

  if (normal.squaredNorm() > flat * longest * longest) {
    Vector3 weight;  // of each corner: the area that the point makes with the opposite edge
    for (int k = 0; k < 3; ++k) {
      weight((k + 2) % 3) = normal.dot(edge[k].cross(point - corner[k])) / normal.squaredNorm();
    }
    if ((weight.array() >= 0.0).all()) return result(weight / weight.sum());
  }
  double best = std::numeric_limits<double>::infinity();
  Vector3 barycentric = Vector3::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vector3 from = point - corner[k];
    const double t = std::clamp(from.dot(edge[k]) / std::max(edge[k].squaredNorm(), 1e-300), 0.0, 1.0);
    const double distance = (from - t * edge[k]).squaredNorm();
    if (distance >= best) continue;
    best = distance;
    barycentric.setZero();
    barycentric(k) = 1.0 - t;
    barycentric((k + 1) % 3) = t;
  }
  return result(barycentric);
}

Packet distance_squared(const PacketVector& point, const std::array<PacketVector, 3>& corner) {
  const auto& [a, b, c] = corner;
  const PacketVector ab = b - a;
  const PacketVector bc = c - b;
  const PacketVector ca = a - c;
  const PacketVector from_a = point - a;
  const PacketVector from_b = point - b;
  const PacketVector from_c = point - c;
  const Packet ab2 = dot(ab, ab);
  const Packet bc2 = dot(bc, bc);
  const Packet ca2 = dot(ca, ca);
  const Packet edges = minimum(minimum(segment_distance_squared(from_a, ab, ab2),  //
                                       segment_distance_squared(from_b, bc, bc2)),
                               segment_distance_squared(from_c, ca, ca2));

  const PacketVector normal = cross(ab, bc);
  const Packet normal2 = dot(normal, normal);
  const Packet longest = max(max(ab2, bc2), ca2);
  const Packet zero = broadcast(0.0);
  const PacketMask above = (dot(normal, cross(ab, from_a)) >= zero) &
                           (dot(normal, cross(bc, from_b)) >= zero) &
                           (dot(normal, cross(ca, from_c)) >= zero) & (normal2 > flat * longest * longest);
  const Packet height = dot(normal, from_a);
  return select(above, height * height / max(normal2, broadcast(1e-300)), edges);
}

bool any_meets(const std::array<PacketVector, 3>& corner, const BoundingBox& box) {
  const auto& [p, q, r] = corner;
  // The axes of the box, on the coordinates as they are: exact.
  const auto outside = [&](Packet x, Packet y, Packet z, int axis) {
    return (minimum(minimum(x, y), z) > broadcast(box.max(axis))) |
           (max(max(x, y), z) < broadcast(box.min(axis)));
  };
  PacketMask separated = outside(p.x, q.x, r.x, 0) | outside(p.y, q.y, r.y, 1) | outside(p.z, q.z, r.z, 2);

  const PacketVector center = broadcast(Vector3(0.5 * (box.min + box.max)));
  const Vector3 half = 0.5 * (box.max - box.min);
  const PacketVector a = p - center;
  const PacketVector b = q - center;
  const PacketVector c = r - center;
  const std::array<PacketVector, 3> edge{b - a, c - b, a - c};
  Packet size = broadcast(half.maxCoeff());  // of anything that is rounded below
  for (const PacketVector& v : {a, b, c})
    size = max(size, max(max(absolute(v.x), absolute(v.y)), absolute(v.z)));
  const Packet slack = 1e-15 * size;  // a few roundings
  const PacketVector h{half.x() + slack, half.y() + slack, half.z() + slack};
  for (const PacketVector& e : edge) {
    const Packet x = absolute(e.x);
    const Packet y = absolute(e.y);
    const Packet z = absolute(e.z);
    separated |=
        beyond(e.y * a.z - e.z * a.y, e.y * b.z - e.z * b.y, e.y * c.z - e.z * c.y, h.y * z + h.z * y);
    separated |=
        beyond(e.z * a.x - e.x * a.z, e.z * b.x - e.x * b.z, e.z * c.x - e.x * c.z, h.z * x + h.x * z);
    separated |=
        beyond(e.x * a.y - e.y * a.x, e.x * b.y - e.y * b.x, e.x * c.y - e.y * c.x, h.x * y + h.y * x);
  }
  const PacketVector normal = cross(edge[0], edge[1]);
  const Packet reach = h.x * absolute(normal.x) + h.y * absolute(normal.y) + h.z * absolute(normal.z);
  // The normal of a sliver is off by the rounding of the products that cancel in it.
  const Packet cancelled = 8.0 * slack * size * size;
  separated |= absolute(dot(normal, a)) > reach + cancelled;
  for (int i = 0; i < packet_size; ++i) {
    if (!separated[i]) return true;
  }
  return false;
}

}  // namespace limber
