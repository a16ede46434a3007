#pragma once

#include "limber/draw/camera.hpp"
#include "limber/draw/shape.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace limber {

/// What of a Shape can be drawn, with its normals and neighbours.
struct Surface {
  std::vector<Index> triangles;    ///< columns of Shape::triangles: finite, with area
  Matrix3X normals;                ///< 3 x triangles, unit, outward
  Vector areas;                    ///< m^2
  std::vector<int> first;          ///< n + 1: where in `incident` the triangles of each vertex begin
  std::vector<int> incident;       ///< indices into `triangles`
  std::vector<std::int64_t> keys;  ///< sorted edge keys where the shape lists its edges
};
Surface make_surface(const Shape& shape);

/// Mean unit normal of each vertex, 3 x n; zero where no triangle uses it.
Matrix3X vertex_normals(const Shape& shape, const Surface& surface);

/// Coordinates of the vertices in use, 3 x any.
Matrix3X used_points(const Shape& shape, const Surface& surface);

/// A triangle in the picture.
struct Facet {
  std::array<ScreenPoint, 3> corners;
  Eigen::Matrix3f normals;  ///< one column per corner, towards the camera
  Eigen::Vector3f values;   ///< of the corners; NaN: the shape's colour
  Eigen::Vector3f ambient;  ///< share of the surroundings that each corner sees
  int shape = 0;
  int edges = 0;           ///< bit k: the side from corner k to k + 1 is an edge
  float smallness = 0.0f;  ///< least altitude, pixels
};

/// ambient: n.  crease: cosine of the angle between faces beyond which their common edge stays sharp.
/// Triangles that reach behind the camera are left out.
std::vector<Facet> project_surface(const Shape& shape, const Surface& surface, const Camera& camera,
                                   const Eigen::VectorXf& ambient, double crease, int shape_number);

}  // namespace limber
