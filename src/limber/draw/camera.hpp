#pragma once

#include "limber/draw/font.hpp"
#include "limber/linalg/types.hpp"

#include <optional>

namespace limber {

/// From where to look. Where the camera stands follows from framing.
struct View {
  Vector3 direction{-0.42, 0.82, -0.40};  ///< in which the camera looks; any length
  Vector3 up{0.0, 0.0, 1.0};              ///< shown upright, and the normal of the ground
  double field_of_view = 26.0;            ///< degrees from bottom to top; 0 for an orthographic view
};

/// The usual view, turned so that a direction is up; z for none.
View upright_view(const Vector3& up);

/// A rectangle of the picture, pixels from its top left corner.
struct Viewport {
  double left = 0.0;
  double top = 0.0;
  double width = 1.0;
  double height = 1.0;
};

/// A vertex as the camera sees it.
struct ScreenPoint {
  double x = 0.0;         ///< pixels from the left
  double y = 0.0;         ///< pixels from the top
  double nearness = 0.0;  ///< grows towards the camera, linear across a triangle's picture
  double weight = 0.0;  ///< perspective-correct interpolation: sum b_i w_i a_i / sum b_i w_i; <= 0: not seen
};

/// A pinhole or orthographic camera, framed so that all given points just fit into a viewport.
///
/// In camera axes (x right, y up, z forward) a point is seen at focal (x - c_x) / (z + d). Fitting it between
/// the sides of the viewport, half of which is t focal wide, asks for
///   c_x + t d >= x - t z   and   -c_x + t d >= -x - t z,
/// so with A, B the largest right-hand sides, d = (A + B) / (2 t) and c_x = (A - B) / 2 is the tightest
/// frame; the same goes for y, and the larger d wins.
class Camera {
 public:
  /// points: 3 x n, m. Throws Error for a view without direction. No points at all frame the unit cube.
  Camera(const View& view, const Matrix3X& points, const Viewport& viewport);

  [[nodiscard]] ScreenPoint project(const Vector3& point) const;

  /// Where the line of sight through a pixel meets the plane normal . x = height in front of the camera.
  [[nodiscard]] std::optional<Vector3> intersect_plane(double x, double y, const Vector3& normal,
                                                       double height) const;

  /// How much nearer, in ScreenPoint::nearness, a point at the centre gets by a share of the scene's extent.
  [[nodiscard]] double nearness_of(double share) const;

  /// Right, up and forward: orthonormal rows.
  [[nodiscard]] const Matrix3& axes() const { return axes_; }

 private:
  void frame_perspective(const Matrix3X& points, const Viewport& viewport);
  void frame_orthographic(const Matrix3X& points, const Viewport& viewport);

  Matrix3 axes_;
  Vector3 centre_;         ///< origin of the camera axes, m
  double extent_ = 1.0;    ///< unit of length in camera axes, m
  bool perspective_;       ///< else orthographic
  Vector2 shift_;          ///< (c_x, c_y)
  double distance_ = 0.0;  ///< d
  double focal_ = 1.0;     ///< pixels per unit at unit depth, or per unit where orthographic
  Vector2 middle_;         ///< of the viewport, pixels
};

}  // namespace limber
