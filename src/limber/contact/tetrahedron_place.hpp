#pragma once

#include "limber/linalg/types.hpp"

#include <Eigen/Geometry>

#include <array>

namespace limber {

/// A tetrahedron as a map from weights of its corners to places, and back. Of the same bits whichever corner
/// a place is near; without digits where it is flat.
struct TetrahedronFrame {
  Eigen::Vector3f corner;               ///< the first
  std::array<Eigen::Vector3f, 3> edge;  ///< to the others
  std::array<Eigen::Vector3f, 3> dual;  ///< edge_i . dual_j = 1 where i = j, else 0

  /// Three numbers each.
  TetrahedronFrame(const float* a, const float* b, const float* c, const float* d)
      : corner(a[0], a[1], a[2]),
        edge{Eigen::Vector3f(b[0] - a[0], b[1] - a[1], b[2] - a[2]),
             Eigen::Vector3f(c[0] - a[0], c[1] - a[1], c[2] - a[2]),
             Eigen::Vector3f(d[0] - a[0], d[1] - a[1], d[2] - a[2])} {
    dual = {edge[1].cross(edge[2]), edge[2].cross(edge[0]), edge[0].cross(edge[1])};
    const float volume = edge[0].dot(dual[0]);
    const float inverse = volume != 0.0F ? 1.0F / volume : 0.0F;
    for (auto& n : dual) n *= inverse;
  }

  [[nodiscard]] Eigen::Vector4f weights(const Eigen::Vector3f& x) const {
    const Eigen::Vector3f y = x - corner;
    const float b = y.dot(dual[0]), c = y.dot(dual[1]), d = y.dot(dual[2]);
    return {1.0F - b - c - d, b, c, d};
  }
  [[nodiscard]] Eigen::Vector3f place(const Eigen::Vector4f& weights) const {
    return corner + weights(1) * edge[0] + weights(2) * edge[1] + weights(3) * edge[2];
  }
};

/// Goes from a tetrahedron to the neighbour behind the face that x is farthest beyond, until none is left: x
/// is in the last one, or beyond a boundary. Returns it, with the weights of x.  next(t): four neighbours, -1
/// for none.  frame(t): a TetrahedronFrame.
template <class Next, class Frame>
int walk_to(const Eigen::Vector3f& x, int t, const Next& next, const Frame& frame, Eigen::Vector4f& weights) {
  constexpr float rounding = -1e-5F;  // below, floats know which side of a face x is on
  constexpr int longest = 48;         // tetrahedra; walks start nearby, and must end where some are inverted
  int before = -1;
  for (int steps = 0;; ++steps) {
    weights = frame(t).weights(x);
    const std::array<int, 4>& neighbours = next(t);
    int to = -1;
    float least = rounding;
    for (int k = 0; k < 4; ++k) {
      const int n = neighbours[static_cast<std::size_t>(k)];
      if (weights(k) < least && n >= 0 && n != before) {
        least = weights(k);
        to = n;
      }
    }
    if (to < 0 || steps == longest) return t;
    before = t;
    t = to;
  }
}

}  // namespace limber
