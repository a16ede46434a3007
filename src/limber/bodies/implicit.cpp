#include "limber/bodies/implicit.hpp"

#include "limber/base/error.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {
namespace {

/// Bounds of a box or ellipsoid in general position: half sizes along the columns of `axes`.
BoundingBox box_around(const Vector3& center, const Vector3& half) { return {center - half, center + half}; }

/// Distance to an ellipsoid from a point in its own axes, negative inside.
///
/// The nearest point is y_i = r_i^2 x_i / (t + r_i^2), where t is the largest root of
///   F(t) = sum (r_i x_i / (t + r_i^2))^2 - 1.
/// F falls and is convex right of its last pole, so that Newton from the left of the root never overshoots.
///                                                  [Eberly, "Distance from a point to an ellipsoid", 2013]
double distance_to_ellipsoid(const Vector3& radii, const Vector3& point) {
  const Eigen::Array3d r2 = radii.array().square();
  // On a plane of symmetry a pole of F vanishes: points are kept 1e-9 radii away, far below what matters.
  const Eigen::Array3d x = point.array().abs().max(1e-9 * radii.array());
  const Eigen::Array3d rx = radii.array() * x;
  double t = (rx - r2).maxCoeff();  // there one term of F alone is 1
  for (int step = 0; step < 30; ++step) {
    const Eigen::Array3d inverse = (r2 + t).inverse();
    const Eigen::Array3d term = (rx * inverse).square();
    const double value = term.sum() - 1.0;
    const double change = value / (2.0 * (term * inverse).sum());
    t += change;
    if (change <= 1e-12 * r2.maxCoeff()) break;  // far below what a mesh resolves
  }
  const Eigen::Array3d nearest = r2 * x / (r2 + t);
  const double distance = (x - nearest).matrix().norm();
  return t < 0.0 ? -distance : distance;
}

/// Round cone between balls of radius r1 at the origin of pa and r2 at ba.          [Quilez, "round cone"]
struct RoundCone {
  Vector3 a, ba;
  double r1, r2, l2, rr, a2, il2;

  RoundCone(const Vector3& from, const Vector3& to, double radius_a, double radius_b)
      : a(from),
        ba(to - from),
        r1(radius_a),
        r2(radius_b),
        l2(ba.squaredNorm()),
        rr(r1 - r2),
        a2(l2 - rr * rr) {
    il2 = 1.0 / l2;
  }

  double operator()(const Vector3& x) const {
    const Vector3 pa = x - a;
    const double y = pa.dot(ba), z = y - l2;
    const double x2 = (pa * l2 - ba * y).squaredNorm();
    const double y2 = y * y * l2, z2 = z * z * l2;
    const double k = std::copysign(rr * rr * x2, rr);
    if (std::copysign(a2 * z2, z) > k) return std::sqrt(x2 + z2) * il2 - r2;
    if (std::copysign(a2 * y2, y) < k) return std::sqrt(x2 + y2) * il2 - r1;
    return (std::sqrt(x2 * a2 * il2) + y * rr) * il2 - r1;
  }
};

/// Distance to what two circles have in common: `width` across, with corners at (0, -half) and (0, half).
///                                                                                       [Quilez, "vesica"]
double distance_to_vesica(Eigen::Vector2d p, double half, double width) {
  const double w = 0.5 * width;
  const double d = 0.5 * (half * half - w * w) / w;
  p = p.cwiseAbs();
  const bool corner = half * p.x() < d * (p.y() - half);
  const Eigen::Vector2d center = corner ? Eigen::Vector2d(0.0, half) : Eigen::Vector2d(-d, 0.0);
  return (p - center).norm() - (corner ? 0.0 : d + w);
}

/// A plate around z = 0 with rounded edge, from the distance `outline` of (x, y) to its outline.
double distance_to_plate(double outline, double z, double half_thickness) {
  const double q = std::max(outline + half_thickness, 0.0);
  const double inside = std::min(std::max(outline + half_thickness, std::abs(z)), 0.0);
  return std::hypot(q, z) + inside - half_thickness;
}

/// Catmull-Rom: the cubic from q to r with the tangents (r - p) / 2 and (s - q) / 2.
template <class T>
T spline(const T& p, const T& q, const T& r, const T& s, double t) {
  return 0.5 * (2.0 * q + (r - p) * t + (2.0 * p - 5.0 * q + 4.0 * r - s) * (t * t) +
                (3.0 * q - p - 3.0 * r + s) * (t * t * t));
}

}  // namespace

BoundingBox merged(const BoundingBox& a, const BoundingBox& b) {
  return {a.min.cwiseMin(b.min), a.max.cwiseMax(b.max)};
}

double distance_to_box(const BoundingBox& box, const Vector3& x) {
  return (box.min - x).cwiseMax(x - box.max).cwiseMax(0.0).norm();
}

Implicit sphere(const Vector3& center, double radius) {
  return {[=](const Vector3& x) { return (x - center).norm() - radius; },
          box_around(center, Vector3::Constant(radius))};
}

Implicit ellipsoid(const Vector3& center, const Vector3& radii, const Matrix3& axes) {
  const Vector3 half = (axes * radii.asDiagonal()).rowwise().norm();
  return {[=](const Vector3& x) { return distance_to_ellipsoid(radii, axes.transpose() * (x - center)); },
          box_around(center, half)};
}

Implicit capsule(const Vector3& a, const Vector3& b, double radius) {
  return round_cone(a, b, radius, radius);
}

Implicit round_cone(const Vector3& a, const Vector3& b, double radius_a, double radius_b) {
  if (std::abs(radius_a - radius_b) >= (b - a).norm()) {  // one ball holds the other
    return radius_a > radius_b ? sphere(a, radius_a) : sphere(b, radius_b);
  }
  return {RoundCone(a, b, radius_a, radius_b),
          merged(box_around(a, Vector3::Constant(radius_a)), box_around(b, Vector3::Constant(radius_b)))};
}

Implicit rounded_box(const Vector3& center, const Vector3& half, double rounding, const Matrix3& axes) {
  const Vector3 core = half.array() - rounding;
  return {[=](const Vector3& x) {
            const Vector3 q = (axes.transpose() * (x - center)).cwiseAbs() - core;
            return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - rounding;
          },
          box_around(center, axes.cwiseAbs() * half)};
}

Implicit torus(const Vector3& center, const Vector3& axis, double ring, double tube_radius) {
  const Vector3 n = axis.normalized();
  const Vector3 half = ring * (1.0 - n.array().square()).max(0.0).sqrt() + tube_radius;
  return {[=](const Vector3& x) {
            const double along = n.dot(x - center);
            const double radial = (x - center - along * n).norm();
            return std::hypot(radial - ring, along) - tube_radius;
          },
          box_around(center, half)};
}

Implicit cylinder(const Vector3& a, const Vector3& b, double radius, double rounding) {
  const Vector3 middle = 0.5 * (a + b), n = (b - a).normalized();
  const double half_length = 0.5 * (b - a).norm();
  const Vector3 half =
      half_length * n.cwiseAbs().array() + radius * (1.0 - n.array().square()).max(0.0).sqrt();
  return {[=](const Vector3& x) {
            const double along = n.dot(x - middle);
            const Eigen::Vector2d q((x - middle - along * n).norm() - radius + rounding,
                                    std::abs(along) - half_length + rounding);
            return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - rounding;
          },
          box_around(middle, half)};
}

Implicit half_space(const Vector3& point, const Vector3& normal) {
  const Vector3 all = Vector3::Constant(std::numeric_limits<double>::infinity());
  return {[point, n = normal.normalized().eval()](const Vector3& x) { return n.dot(x - point); },
          {-all, all}};
}

Implicit leaf_plate(double length, double width, double thickness) {
  require(width <= length, "a leaf {} m long and {} m wide, expected it longer than wide", length, width);
  return {[=](const Vector3& x) {
            const double outline = distance_to_vesica({x.y(), x.x() - 0.5 * length}, 0.5 * length, width);
            return distance_to_plate(outline, x.z(), 0.5 * thickness);
          },
          {{0.0, -0.5 * width, -0.5 * thickness}, {length, 0.5 * width, 0.5 * thickness}}};
}

Implicit petal_plate(double length, double radius_a, double radius_b, double thickness) {
  const Implicit outline =
      round_cone(Vector3(radius_a, 0, 0), Vector3(length - radius_b, 0, 0), radius_a, radius_b);
  const double half = std::max(radius_a, radius_b);
  return {[=, d = outline.distance](const Vector3& x) {
            return distance_to_plate(d(Vector3(x.x(), x.y(), 0.0)), x.z(), 0.5 * thickness);
          },
          {{0.0, -half, -0.5 * thickness}, {length, half, 0.5 * thickness}}};
}

Implicit tube(std::span<const TubePoint> path) {
  require(path.size() >= 2, "a tube along {} points, expected two or more", path.size());
  std::vector<Implicit> pieces;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    pieces.push_back(round_cone(path[i].position, path[i + 1].position, path[i].radius, path[i + 1].radius));
  }
  return unite(std::move(pieces));
}

std::vector<TubePoint> smooth_path(std::span<const TubePoint> path, int per_piece) {
  require(!path.empty(), "a path without points, expected one or more");
  std::vector<TubePoint> result;
  const auto at = [&](std::ptrdiff_t i) {
    const auto last = static_cast<std::ptrdiff_t>(path.size()) - 1;
    const TubePoint& p = path[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, last))];
    return Eigen::Vector4d(p.position.x(), p.position.y(), p.position.z(), p.radius);
  };
  for (std::ptrdiff_t i = 0; i + 1 < static_cast<std::ptrdiff_t>(path.size()); ++i) {
    for (int k = 0; k < per_piece; ++k) {
      const Eigen::Vector4d q =
          spline<Eigen::Vector4d>(at(i - 1), at(i), at(i + 1), at(i + 2), static_cast<double>(k) / per_piece);
      result.push_back({q.head<3>(), q(3)});
    }
  }
  result.push_back(path.back());
  return result;
}

Solid to_solid(const Implicit& body) {
  return {[distance = body.distance](const Vector3& x) {
            const double d = distance(x);
            return SolidSample{d, std::abs(d)};
          },
          body.bounds};
}

}  // namespace limber
