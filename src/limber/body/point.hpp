#pragma once

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

}  // namespace limber
