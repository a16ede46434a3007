#pragma once

#include "limber/mesh/solid.hpp"

#include <functional>
#include <span>
#include <vector>

namespace limber {

/// A body given by a function in space: negative inside, zero on its surface, positive outside, and nowhere
/// steeper than distance itself, |d(x) - d(y)| <= |x - y|. So |d| never exceeds the distance to the surface.
/// Bodies are made of a few primitives and operations on them; none of these breaks that promise.
///                                                                 [Hart 1996; Quilez, "distance functions"]
struct Implicit {
  std::function<double(const Vector3&)> distance;  ///< m; thread-safe
  BoundingBox bounds;                              ///< contains the body, m
};

// Primitives, all with exact distances. Lengths in m; a and b are ends of an axis.

Implicit sphere(const Vector3& center, double radius);
/// radii: half axes along the columns of `axes` (a rotation). Cost: about ten steps of Newton.
Implicit ellipsoid(const Vector3& center, const Vector3& radii, const Matrix3& axes = Matrix3::Identity());
Implicit capsule(const Vector3& a, const Vector3& b, double radius);
/// What two balls and the cone that touches both enclose.
Implicit round_cone(const Vector3& a, const Vector3& b, double radius_a, double radius_b);
/// half: half sizes, rounding included.
Implicit rounded_box(const Vector3& center, const Vector3& half, double rounding,
                     const Matrix3& axes = Matrix3::Identity());
/// ring: distance of the tube's centre line from the axis.
Implicit torus(const Vector3& center, const Vector3& axis, double ring, double tube_radius);
/// Flat ends at a and b, with rounded edges.
Implicit cylinder(const Vector3& a, const Vector3& b, double radius, double rounding = 0.0);

/// All on the side of a plane that `normal` points away from; without bounds, to cut other bodies with.
Implicit half_space(const Vector3& point, const Vector3& normal);

/// The outline of a leaf or petal in the plane z = 0: as wide as `width` and pointed at x = 0 and x = length.
Implicit leaf_plate(double length, double width, double thickness);
/// The same from a rounded end of radius `radius_a` at x = 0 to one of `radius_b` at x = length.
Implicit petal_plate(double length, double radius_a, double radius_b, double thickness);

/// A point of the centre line of a tube.
struct TubePoint {
  Vector3 position;     ///< m
  double radius = 0.0;  ///< m
};

/// A tube along straight pieces between the points, with round ends and joints.
Implicit tube(std::span<const TubePoint> path);

/// The points with `per_piece - 1` more between any two, along a Catmull-Rom spline.
std::vector<TubePoint> smooth_path(std::span<const TubePoint> path, int per_piece);

// Operations. `blend` (m) is the width over which two surfaces flow into each other; 0 leaves a crease.

/// All bodies together. Those far from the point asked for are skipped, so that hundreds of them cost little.
///
/// The blend is Quilez' quadratic one, s(a, b) = min(a, b) - max(0, blend - |a - b|)^2 / (4 blend), applied
/// to the four smallest distances in ascending order: a value that neither depends on the order of the
/// bodies nor on those farther than `blend` beyond the nearest.
Implicit unite(std::vector<Implicit> bodies, double blend = 0.0);
Implicit intersect(Implicit a, Implicit b, double blend = 0.0);
/// What of `a` lies outside of `b`.
Implicit subtract(Implicit a, Implicit b, double blend = 0.0);
/// Grown by `amount` on all sides (shrunk, where negative).
Implicit grow(Implicit body, double amount);
/// The skin of a body: all within half of `thickness` of its surface.
Implicit shell(Implicit body, double thickness);
/// The body and its mirror image at the plane through the origin that is orthogonal to an axis (0, 1, 2).
Implicit with_mirror_image(Implicit body, int axis, double blend = 0.0);
/// x -> axes x + shift; axes: a rotation.
Implicit moved(Implicit body, const Vector3& shift, const Matrix3& axes = Matrix3::Identity());
/// x -> factors * x by component. The distance is scaled by the least factor: exact only for equal factors.
Implicit stretched(Implicit body, const Vector3& factors);
/// x -> x + (along x^2 + across y^2) z: curls what lies in the plane z = 0.  along, across: 1/m.
Implicit curled(Implicit body, double along, double across);
/// The body x with map(x) in `body`; steepness: bound on |map(x) - map(y)| / |x - y| in and around `bounds`.
Implicit warped(Implicit body, std::function<Vector3(const Vector3&)> map, double steepness,
                const BoundingBox& bounds);

BoundingBox merged(const BoundingBox& a, const BoundingBox& b);
/// Distance to a box, 0 inside.
double distance_to_box(const BoundingBox& box, const Vector3& x);

/// The body as the mesher takes it.
Solid to_solid(const Implicit& body);

}  // namespace limber
