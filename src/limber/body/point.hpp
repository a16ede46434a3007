#pragma once

#include "limber/linalg/types.hpp"

#include <numeric>
#include <vector>

namespace limber {

/// A place on a body: a vertex of its surface, or of the mesh that it was made from, where that was kept. All
/// that touches a body does so at points.
struct Point {
  enum class Of { surface, mesh };

  int vertex = -1;
  Of of = Of::surface;

  constexpr Point() = default;
  constexpr Point(int number, Of which = Of::surface)  // NOLINT: a number is that of the surface
      : vertex(number), of(which) {}

  bool operator==(const Point&) const = default;
};

/// A vertex of the mesh.
constexpr Point mesh_point(int vertex) { return {vertex, Point::Of::mesh}; }

/// How a point moves with the unknowns of its body, to first order: its velocity in the world is
///
///   x' = J v + s,     J = dx/dq,
///
/// with s what a support that moves gives it where v = 0. J^T F is what a force F on the point (N, in the
/// world) is to the unknowns. Their order is that of q(): coordinates of one domain after the other; a body
/// that flies then has six more, the velocity of the origin of its frame and its angular velocity, in axes of
/// the world, as FrameState has them. Of a body that moves by fewer natural modes than it has coordinates
/// they are these all the same, and J has what the modes can do.
struct PointRows {
  std::vector<int> columns;  ///< unknowns that move the point, each once
  Matrix3X rows;             ///< 3 x their number: J at these

  /// Makes room for the first unknowns of the body, of which all move the point; what rows hold is left open.
  void take_first(Index count) {
    columns.resize(static_cast<std::size_t>(count));
    std::iota(columns.begin(), columns.end(), 0);
    rows.resize(3, count);
  }
};

}  // namespace limber
