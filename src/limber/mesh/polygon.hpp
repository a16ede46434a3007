#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace limber {

/// Appends triangles that cover the polygon with these corners (columns of `vertices`, in order around it)
/// and are turned the same way; n corners give n - 2 triangles at most, fewer than three give none.
///
/// A convex polygon becomes a fan around its first corner; any other one is cut by ear clipping in the plane
/// of its Newell normal, exact for simple planar polygons and sensible for nearly planar ones. Corners on the
/// line between their neighbours are kept without triangles of zero area where that is possible. Polygons
/// without area or whose coordinates overflow become a fan too. Corners that directly repeat are used once.
///
/// Throws Error for a polygon that is not convex and has more than `max_concave_corners`.
/// Cost: O(n) if convex, else O(n r) for r corners that are not convex.
void triangulate_polygon(const Matrix3X& vertices, std::span<const int> corners,
                         std::vector<Eigen::Vector3i>& triangles);

/// Keeps the cost of one polygon below a second.
inline constexpr std::size_t max_concave_corners = 10'000;

/// Numbers the names of parts in the order in which they first come.
class PartNames {
 public:
  /// The number of the part of this name, new or known.
  int number_of(std::string_view name);
  /// The names; at least one, which may be empty.
  [[nodiscard]] std::vector<std::string> take();

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> numbers_;
};

/// Polygons of any number of corners, as readers of files collect them.
struct PolygonSoup {
  std::vector<double> coordinates;  ///< x, y, z of each vertex, m
  std::vector<int> corners;         ///< vertex numbers from 0, in range, polygon after polygon
  std::vector<std::size_t> ends;    ///< of each polygon: where in `corners` it ends
  std::vector<int> part;            ///< of each polygon
  PartNames parts;

  [[nodiscard]] std::size_t vertex_count() const { return coordinates.size() / 3; }
  /// Ends the polygon whose corners were appended last.
  void end_polygon(int part_number) {
    ends.push_back(corners.size());
    part.push_back(part_number);
  }
};

/// The triangles of all polygons, in their order. `where` names the source in messages.
SurfaceMesh triangulate(PolygonSoup soup, std::string_view where);

}  // namespace limber
