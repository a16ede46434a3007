#include "limber/mesh/up_axis.hpp"

namespace limber {
namespace {

/// Where the right, the front and the top are. All three are turned into each other by the shortest rotation
/// of one up axis to another.
Matrix3 side_directions(UpAxis up) {
  Matrix3 sides;
  switch (up) {
    case UpAxis::x:
      sides << 0, 0, -1, 0, -1, 0, 1, 0, 0;
      break;
    case UpAxis::y:
      sides << 1, 0, 0, 0, 0, 1, 0, 1, 0;
      break;
    case UpAxis::z:
      sides << 1, 0, 0, 0, -1, 0, 0, 0, 1;
      break;
  }
  return sides;
}

}  // namespace

Vector3 direction_of(UpAxis up) { return Vector3::Unit(static_cast<Index>(up)); }

UpAxis up_axis_along(const Vector3& direction) {
  const double length = direction.norm();
  for (const UpAxis up : {UpAxis::x, UpAxis::y}) {
    if (length > 0.0 && (direction - length * direction_of(up)).norm() < 1e-9 * length) return up;
  }
  return UpAxis::z;
}

Vector3 direction_of(BodySide side, UpAxis up) {
  const Matrix3 sides = side_directions(up);
  switch (side) {
    case BodySide::right:
      return sides.row(0).transpose();
    case BodySide::left:
      return -sides.row(0).transpose();
    case BodySide::front:
      return sides.row(1).transpose();
    case BodySide::back:
      return -sides.row(1).transpose();
    case BodySide::top:
      return sides.row(2).transpose();
    case BodySide::bottom:
      break;
  }
  return -sides.row(2).transpose();
}

}  // namespace limber
