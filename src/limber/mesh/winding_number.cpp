#include "limber/mesh/surface_query.hpp"
#include "limber/mesh/triangle_tree.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace limber {
namespace {

Packet square_root(Packet x) {
  Eigen::Map<Eigen::Array<double, packet_size, 1>, Eigen::Aligned64> lanes(reinterpret_cast<double*>(&x));
  lanes = lanes.sqrt();
  return x;
}

Packet absolute(Packet x) { return max(x, -x); }

/// Angle of the point (x, y) in (-pi, pi], 0 for (0, 0); to about 1e-15.
///
/// With lo and hi the smaller and larger of |x| and |y|, and the nearest t of tan 0, tan pi/8 and tan pi/4:
///   atan(lo/hi) = atan(t) + atan(u),   u = (lo - t hi) / (hi + t lo),   |u| <= tan(pi/16) = 0.2,
/// for which eleven terms of the series of atan leave 0.2^23 / 23 = 4e-18.
Packet arc_tangent(Packet y, Packet x) {
  constexpr double eighth = 0.41421356237309503;     // tan(pi/8)
  constexpr double to_eighth = 0.19891236737965800;  // tan(pi/16)
  constexpr double to_fourth = 0.66817863791929890;  // tan(3 pi/16)
  constexpr double pi = std::numbers::pi;
  const Packet zero = broadcast(0.0);
  const Packet ax = absolute(x);
  const Packet ay = absolute(y);
  const PacketMask steep = ay > ax;
  const Packet hi = select(steep, ay, ax);
  const Packet lo = select(steep, ax, ay);
  const PacketMask first = lo > to_eighth * hi;
  const PacketMask second = lo > to_fourth * hi;
  const Packet t = select(second, broadcast(1.0), select(first, broadcast(eighth), zero));
  const Packet base = select(second, broadcast(pi / 4), select(first, broadcast(pi / 8), zero));
  const Packet u = (lo - t * hi) / max(hi + t * lo, broadcast(1e-300));
  const Packet u2 = u * u;
  Packet series = broadcast(1.0 / 21.0);
  for (int k = 19; k > 0; k -= 2) series = broadcast(1.0 / k) - u2 * series;
  Packet angle = base + u * series;
  angle = select(steep, pi / 2 - angle, angle);
  angle = select(x < zero, pi - angle, angle);
  return select(y < zero, -angle, angle);
}

/// Winding numbers of eight triangles: tan(Omega/2) = a . (b x c) / (|a||b||c| + ...), with a, b, c from the
/// point to the corners.                                                       [van Oosterom & Strackee 1983]
Packet exact_share(const TriangleTree::Leaf& leaf, const PacketVector& point) {
  const PacketVector a = leaf.corner[0] - point;
  const PacketVector b = leaf.corner[1] - point;
  const PacketVector c = leaf.corner[2] - point;
  const Packet la = square_root(dot(a, a));
  const Packet lb = square_root(dot(b, b));
  const Packet lc = square_root(dot(c, c));
  const Packet numerator = dot(a, cross(b, c));
  const Packet denominator = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return 0.5 * std::numbers::inv_pi * arc_tangent(numerator, denominator);
}

/// Coordinates and their powers that polynomials are made of.
struct Monomials {
  Packet x, y;
  std::array<Packet, far_field_order + 1> z;  ///< z^0 to z^5
};

/// Sum of y^b z^(K-b), b falling from K.
template <int K>
Packet evaluate_in_yz(const Packet* c, const Monomials& m) {
  if constexpr (K == 0) {
    return c[0];
  } else {
    return m.y * evaluate_in_yz<K - 1>(c, m) + m.z[K] * c[K];
  }
}

/// Homogeneous polynomial of degree K: x times one of degree K - 1, and what is without x.
template <int K>
Packet evaluate(const Packet* c, const Monomials& m) {
  if constexpr (K == 0) {
    return c[0];
  } else {
    return m.x * evaluate<K - 1>(c, m) + evaluate_in_yz<K>(c + coefficient_count(K - 1), m);
  }
}

/// The expansions of eight children at r, the offset from the point to their centres.
Packet expanded_share(const TriangleTree::Moments& moments, const PacketVector& r, Packet r2) {
  Monomials m{r.x, r.y, {broadcast(1.0), r.z}};
  for (int k = 2; k <= far_field_order; ++k) m.z[k] = m.z[k - 1] * r.z;
  const Packet* c = moments.coefficient.data();
  const Packet inverse = 1.0 / r2;
  Packet sum = evaluate<5>(c + first_coefficient(5), m);
  sum = evaluate<4>(c + first_coefficient(4), m) + inverse * sum;
  sum = evaluate<3>(c + first_coefficient(3), m) + inverse * sum;
  sum = evaluate<2>(c + first_coefficient(2), m) + inverse * sum;
  sum = evaluate<1>(c + first_coefficient(1), m) + inverse * sum;
  return inverse * square_root(inverse) * sum;
}

}  // namespace

double SurfaceQuery::winding_number(const Vector3& point) const {
  const TriangleTree& tree = *tree_;
  const PacketVector p = broadcast(point);
  std::array<int, TriangleTree::stack_size> pending;
  int count = 0;
  pending[count++] = 0;
  Packet sum = broadcast(0.0);
  while (count > 0) {
    const int child = pending[--count];
    if (child < 0) {
      sum += exact_share(tree.leaves[~child], p);
      continue;
    }
    const TriangleTree::Moments& moments = tree.moments[child];
    const PacketVector r = moments.center - p;
    const Packet r2 = dot(r, r);
    const PacketMask far = r2 > moments.far_squared;
    sum += select(far, expanded_share(moments, r, r2), broadcast(0.0));
    const TriangleTree::Node& node = tree.nodes[child];
    for (int i = 0; i < node.count; ++i) {  // without branches, which nobody could predict
      pending[count] = node.child[i];
      count += far[i] ? 0 : 1;
    }
  }
  return sum_lanes(sum);
}

}  // namespace limber
