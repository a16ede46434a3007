#include "limber/contact/friction_cone.hpp"

#include <cmath>

namespace limber {
namespace {

/// With y = -R^-1 (v - a e_n) inside of the cone: the contact sticks.
ConeResponse stick(const FrictionCone& cone, const Vector3& y, Matrix3* G) {
  if (G != nullptr) *G = Vector3(1.0 / cone.tangent, 1.0 / cone.tangent, 1.0 / cone.normal).asDiagonal();
  return {0.5 * (cone.tangent * y.head<2>().squaredNorm() + cone.normal * y.z() * y.z()), y};
}

/// Outside of it: y goes to the nearest point of its side. length: |y_t|, positive.  slope: friction R_t /
/// R_n.
ConeResponse slide(const FrictionCone& cone, const Vector3& y, double length, double slope, Matrix3* G) {
  const double mu = cone.friction, share = 1.0 / (1.0 + mu * slope);
  const double normal = share * (y.z() + slope * length);
  const Eigen::Vector2d along = y.head<2>() / length, across(-along.y(), along.x());
  if (G != nullptr) {
    // Along the way the impulse grows with the normal one, across it turns with the velocity.
    const double grows = mu * slope * share / cone.tangent, turns = mu * normal / (length * cone.tangent);
    G->topLeftCorner<2, 2>() = grows * along * along.transpose() + turns * across * across.transpose();
    G->topRightCorner<2, 1>() = mu * share / cone.normal * along;
    G->bottomLeftCorner<1, 2>() = G->topRightCorner<2, 1>().transpose();
    (*G)(2, 2) = share / cone.normal;
  }
  ConeResponse result;
  result.impulse << mu * normal * along, normal;
  result.cost = 0.5 * (cone.tangent * mu * mu + cone.normal) * normal * normal;
  return result;
}

}  // namespace

ConeResponse respond(const FrictionCone& cone, const Vector3& v, Matrix3* G) {
  const Vector3 y(-v.x() / cone.tangent, -v.y() / cone.tangent, -(v.z() - cone.approach) / cone.normal);
  const double length = y.head<2>().norm(), slope = cone.friction * cone.tangent / cone.normal;
  if (y.z() >= 0.0 && length <= cone.friction * y.z()) return stick(cone, y, G);
  if (y.z() <= -slope * length) {
    if (G != nullptr) G->setZero();
    return {};
  }
  if (length == 0.0) return stick(cone, y, G);  // without friction, and pressed straight
  return slide(cone, y, length, slope, G);
}

}  // namespace limber
