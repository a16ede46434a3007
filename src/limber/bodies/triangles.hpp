#pragma once

#include "limber/bodies/implicit.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <functional>
#include <span>

namespace limber {

/// A straight bar with a rectangular section, e.g. a member of a framework.
struct Bar {
  Vector3 from, to;               ///< middle of its ends, m
  double width = 0.0;             ///< m, along the normal of the plane of the bar and `up`
  double height = 0.0;            ///< m, along `up` as far as that is orthogonal to the bar
  Vector3 up = Vector3::UnitZ();  ///< not along the bar
};

/// Right-handed axes of a bar: along it, to its side, up.
Matrix3 bar_axes(const Bar& bar);

/// Closed boxes, 12 triangles and 8 vertices each, as one surface. Boxes may overlap.
SurfaceMesh bar_surface(std::span<const Bar> bars);

/// What a closed outline in the half-plane (radius, height) sweeps out when it turns about an axis. It runs
/// upward on its outer side; it ends on the axis (radius 0) at both ends, or else is closed by the side from
/// its last to its first point, as a ring is.  frame: the columns span the plane (0, 1) and the axis (2).
SurfaceMesh revolved_surface(std::span<const Eigen::Vector2d> outline, const Vector3& center,
                             const Matrix3& frame, int segments);

SurfaceMesh sphere_surface(const Vector3& center, double radius, int segments);
SurfaceMesh cylinder_surface(const Vector3& a, const Vector3& b, double radius, int segments);
/// ring: distance of the tube's centre line from the axis.
SurfaceMesh torus_surface(const Vector3& center, const Vector3& axis, double ring, double tube_radius,
                          int segments);

/// A closed section, counter-clockwise in (side, up), carried along straight pieces; flat ends. At each point
/// it is scaled by the radius there and stands across the mean of both pieces.  up: along none of them.
SurfaceMesh swept_surface(std::span<const TubePoint> path, std::span<const Eigen::Vector2d> section,
                          const Vector3& up);

/// A round tube with round ends along a path that nowhere runs along `up`.
SurfaceMesh tube_surface(std::span<const TubePoint> path, int segments, const Vector3& up);

/// A leaf or petal from x = 0 to x = length around the plane z = 0, bent out of it.
struct Sheet {
  double length = 0.0;                           ///< m
  double thickness = 0.0;                        ///< in the middle, m; it thins out to its edge
  std::function<double(double)> half_width;      ///< m, of the share 0 to 1 of the length; 0 at both ends
  std::function<double(double, double)> height;  ///< m, of x and y in m
  int rows = 16;                                 ///< triangles along it
  int columns = 8;                               ///< triangles across it
};
SurfaceMesh sheet_surface(const Sheet& sheet);

/// x -> axes x + shift.
SurfaceMesh moved(SurfaceMesh surface, const Vector3& shift, const Matrix3& axes = Matrix3::Identity());

/// All triangles in one surface of one part.
SurfaceMesh joined(std::span<const SurfaceMesh> surfaces);

/// A right-handed orthonormal frame with the third column along `axis`.
Matrix3 frame_about(const Vector3& axis);

}  // namespace limber
