#include "limber/contact/mass_properties.hpp"

#include "limber/base/error.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace limber {
namespace {

constexpr double pi = std::numbers::pi;

MassProperties diagonal(double mass, double x, double y, double z) {
  return {mass, Vector3::Zero(), Vector3(x, y, z).asDiagonal()};
}

struct Weigh {
  double density;
  std::string_view where;

  MassProperties operator()(const HalfSpace&) const { return ground(); }
  MassProperties operator()(const std::shared_ptr<const HeightField>&) const { return ground(); }
  MassProperties operator()(const Sphere& sphere) const {
    const double mass = density * 4.0 / 3.0 * pi * std::pow(sphere.radius, 3);
    const double moment = 0.4 * mass * sphere.radius * sphere.radius;
    return diagonal(mass, moment, moment, moment);
  }
  MassProperties operator()(const Box& box) const {
    const double mass = density * 8.0 * box.half.prod();
    const Vector3 squares = mass / 3.0 * box.half.cwiseAbs2();
    return diagonal(mass, squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y());
  }
  /// A cylinder between two halves of a ball, whose centres of mass are 3/8 of the radius off their planes.
  MassProperties operator()(const Capsule& capsule) const {
    const double r = capsule.radius, a = capsule.half_length, r2 = r * r;
    const double cylinder = density * pi * r2 * 2.0 * a, ball = density * 4.0 / 3.0 * pi * r2 * r;
    const double along = 0.5 * cylinder * r2 + 0.4 * ball * r2;
    const double across = cylinder * (r2 / 4.0 + a * a / 3.0) + ball * (0.4 * r2 + a * a + 0.75 * r * a);
    return diagonal(cylinder + ball, across, across, along);
  }
  MassProperties operator()(const std::shared_ptr<const MeshShape>& mesh) const {
    return mass_properties(mesh->vertices(), mesh->triangles(), density);
  }

  [[nodiscard]] MassProperties ground() const {
    throw Error("{}: ground has no end, and so no mass; a body that moves needs another shape", where);
  }
};

}  // namespace

MassProperties mass_properties(const SolidShape& shape, double density, std::string_view where) {
  require(std::isfinite(density) && density > 0.0, "{}: the density is {} kg/m^3, expected a positive number",
          where, density);
  return std::visit(Weigh{density, where}, shape);
}

MassProperties mass_properties(const Matrix3X& vertices, const Eigen::Matrix3Xi& triangles, double density) {
  // About a point nearby: far from the origin differences of large numbers would be left.
  const Vector3 near = vertices.rowwise().mean();
  double volume = 0.0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();  // integral of x x^T
  for (const auto& triangle : triangles.colwise()) {
    const Vector3 a = vertices.col(triangle(0)) - near, b = vertices.col(triangle(1)) - near,
                  c = vertices.col(triangle(2)) - near;
    // Of the tetrahedron with the point: signed.
    const double v = a.dot(b.cross(c)) / 6.0;
    const Vector3 sum = a + b + c;
    volume += v;
    first += v / 4.0 * sum;
    second += v / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  MassProperties result;
  result.mass = density * volume;
  const Vector3 center = first / volume;
  second -= volume * center * center.transpose();
  result.center = near + center;
  result.inertia = density * (second.trace() * Matrix3::Identity() - second);
  return result;
}

}  // namespace limber
