#include "limber/draw/camera.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace limber {
namespace {

constexpr double nearest_depth = 0.05;  ///< of the scene's extent: what is nearer is not drawn

Matrix3 camera_axes(const View& view) {
  require(view.direction.allFinite() && view.direction.norm() > 1e-100 && view.up.allFinite() &&
              view.up.norm() > 1e-100,
          "view: direction ({}, {}, {}) and up ({}, {}, {}), expected two finite vectors other than zero",
          view.direction.x(), view.direction.y(), view.direction.z(), view.up.x(), view.up.y(), view.up.z());
  const Vector3 forward = view.direction.stableNormalized();
  Vector3 right = forward.cross(view.up.stableNormalized());
  if (right.norm() < 1e-6) {  // looking straight up or down: any upright direction will do
    right = forward.cross(std::abs(forward.y()) < 0.9 ? Vector3::UnitY() : Vector3::UnitX());
  }
  right.normalize();
  Matrix3 axes;
  axes << right.transpose(), right.cross(forward).transpose(), forward.transpose();
  return axes;
}

Matrix3X unit_cube() {
  Matrix3X corners(3, 8);
  for (int i = 0; i < 8; ++i) corners.col(i) << (i & 1), (i >> 1 & 1), (i >> 2 & 1);
  return corners;
}

}  // namespace

View upright_view(const Vector3& up) {
  View view;
  if (!(up.norm() > 0.0)) return view;
  const Eigen::Quaterniond turn = rotation_between(view.up, up);
  return {turn * view.direction, turn * view.up, view.field_of_view};
}

Camera::Camera(const View& view, const Matrix3X& points, const Viewport& viewport)
    : axes_(camera_axes(view)),
      perspective_(view.field_of_view > 0.0),
      middle_(viewport.left + viewport.width / 2, viewport.top + viewport.height / 2) {
  require(view.field_of_view >= 0.0 && view.field_of_view <= 150.0,
          "view: field of view of {} degrees, expected 0 (orthographic) to 150", view.field_of_view);
  const Matrix3X& framed = points.cols() > 0 ? points : unit_cube();
  const Vector3 low = framed.rowwise().minCoeff();
  const Vector3 high = framed.rowwise().maxCoeff();
  centre_ = low / 2 + high / 2;
  extent_ = (high - low).norm();
  if (!(extent_ > 1e-100)) extent_ = 1.0;  // a single point
  const Matrix3X seen = axes_ * ((framed.colwise() - centre_) / extent_);
  if (perspective_) {
    focal_ = viewport.height / 2 / std::tan(view.field_of_view / 2 * std::numbers::pi / 180.0);
    frame_perspective(seen, viewport);
  } else {
    frame_orthographic(seen, viewport);
  }
}

void Camera::frame_perspective(const Matrix3X& points, const Viewport& viewport) {
  const Vector2 half = Vector2(viewport.width, viewport.height) / (2 * focal_);
  for (int axis = 0; axis < 2; ++axis) {
    const double t = half(axis);
    const double high = (points.row(axis) - t * points.row(2)).maxCoeff();
    const double low = (-points.row(axis) - t * points.row(2)).maxCoeff();
    distance_ = std::max(distance_, (high + low) / (2 * t));
    shift_(axis) = (high - low) / 2;
  }
  distance_ = std::max(distance_, 2 * nearest_depth - points.row(2).minCoeff());
}

void Camera::frame_orthographic(const Matrix3X& points, const Viewport& viewport) {
  const Eigen::Array2d low = points.topRows<2>().rowwise().minCoeff();
  const Eigen::Array2d high = points.topRows<2>().rowwise().maxCoeff();
  shift_ = (low + high) / 2;
  const Eigen::Array2d size = (high - low).max(1e-9);
  focal_ = (Eigen::Array2d(viewport.width, viewport.height) / size).minCoeff();
}

ScreenPoint Camera::project(const Vector3& point) const {
  const Vector3 seen = axes_ * ((point - centre_) / extent_);
  if (!perspective_) {
    return {middle_.x() + focal_ * (seen.x() - shift_.x()), middle_.y() - focal_ * (seen.y() - shift_.y()),
            -seen.z(), 1.0};
  }
  const double depth = seen.z() + distance_;
  if (!(depth > nearest_depth)) return {};
  const double scale = focal_ / depth;
  return {middle_.x() + scale * (seen.x() - shift_.x()), middle_.y() - scale * (seen.y() - shift_.y()),
          1.0 / depth, 1.0 / depth};
}

std::optional<Vector3> Camera::intersect_plane(double x, double y, const Vector3& normal,
                                               double height) const {
  const Vector2 offset = Vector2(x - middle_.x(), middle_.y() - y) / focal_;
  Vector3 origin(shift_.x(), shift_.y(), -distance_);
  Vector3 direction(offset.x(), offset.y(), 1.0);
  if (!perspective_) {
    origin.head<2>() += offset;
    direction = Vector3::UnitZ();
  }
  const Vector3 start = centre_ + extent_ * (axes_.transpose() * origin);
  const Vector3 step = extent_ * (axes_.transpose() * direction);
  const double speed = normal.dot(step);
  const double t = (height - normal.dot(start)) / speed;
  if (!(std::abs(t) < 1e6) || (perspective_ && t <= 0.0)) return std::nullopt;
  return start + t * step;
}

double Camera::nearness_of(double share) const {
  return share / (perspective_ ? distance_ * distance_ : 1.0);
}

}  // namespace limber
