#include "limber/contact/shape.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

bool is_length(double x) { return std::isfinite(x) && x > 0.0; }

/// From a point, with a radius of its own. At the point itself any direction leads out.
SurfaceDistance around(const Vector3& from_center, double radius) {
  const double length = from_center.norm();
  return {length - radius, length > 0.0 ? Vector3(from_center / length) : Vector3::UnitZ()};
}

struct Measure {
  const Vector3& x;

  SurfaceDistance operator()(const HalfSpace&) const { return {x.z(), Vector3::UnitZ()}; }
  SurfaceDistance operator()(const Sphere& sphere) const { return around(x, sphere.radius); }
  SurfaceDistance operator()(const Capsule& capsule) const {
    const double along = std::clamp(x.z(), -capsule.half_length, capsule.half_length);
    return around(x - along * Vector3::UnitZ(), capsule.radius);
  }
  SurfaceDistance operator()(const Box& box) const {
    const Vector3 beyond = x.cwiseAbs() - box.half;
    Vector3 side = Vector3::Zero();
    for (int k = 0; k < 3; ++k) side(k) = x(k) < 0.0 ? -1.0 : 1.0;
    const Vector3 outside = beyond.cwiseMax(0.0);
    if (const double length = outside.norm(); length > 0.0)
      return {length, Vector3(outside.cwiseProduct(side) / length)};
    Index nearest = 0;
    const double depth = beyond.maxCoeff(&nearest);
    return {depth, Vector3(side(nearest) * Vector3::Unit(nearest))};
  }
  SurfaceDistance operator()(const std::shared_ptr<const HeightField>& field) const {
    return field->distance(x);
  }
  SurfaceDistance operator()(const std::shared_ptr<const MeshShape>& mesh) const { return mesh->distance(x); }
};

struct Bound {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  BoundingBox operator()(const HalfSpace&) const {
    return {Vector3::Constant(-infinity), {infinity, infinity, 0.0}};
  }
  BoundingBox operator()(const Sphere& sphere) const {
    return {Vector3::Constant(-sphere.radius), Vector3::Constant(sphere.radius)};
  }
  BoundingBox operator()(const Box& box) const { return {-box.half, box.half}; }
  BoundingBox operator()(const Capsule& capsule) const {
    const Vector3 half(capsule.radius, capsule.radius, capsule.radius + capsule.half_length);
    return {-half, half};
  }
  BoundingBox operator()(const std::shared_ptr<const HeightField>& field) const {
    BoundingBox box = field->bounds();
    box.min.z() = -infinity;
    return box;
  }
  BoundingBox operator()(const std::shared_ptr<const MeshShape>& mesh) const { return mesh->bounds(); }
};

struct Check {
  std::string_view where;

  void operator()(const HalfSpace&) const {}
  void operator()(const Sphere& sphere) const {
    require(is_length(sphere.radius), "{}: the radius is {} m, expected a positive number", where,
            sphere.radius);
  }
  void operator()(const Box& box) const {
    for (const double half : box.half)
      require(is_length(half), "{}: half of an edge is {} m, expected a positive number", where, half);
  }
  void operator()(const Capsule& capsule) const {
    require(is_length(capsule.radius), "{}: the radius is {} m, expected a positive number", where,
            capsule.radius);
    require(is_length(capsule.half_length), "{}: half of the length is {} m, expected a positive number",
            where, capsule.half_length);
  }
  void operator()(const std::shared_ptr<const HeightField>& field) const {
    require(field != nullptr, "{}: there is no height field", where);
  }
  void operator()(const std::shared_ptr<const MeshShape>& mesh) const {
    require(mesh != nullptr, "{}: there is no mesh", where);
  }
};

}  // namespace

void check_shape(const SolidShape& shape, std::string_view where) { std::visit(Check{where}, shape); }

SurfaceDistance distance_to(const SolidShape& shape, const Vector3& x) {
  return std::visit(Measure{x}, shape);
}

BoundingBox bounds_of(const SolidShape& shape) { return std::visit(Bound{}, shape); }

}  // namespace limber
