#pragma once

#include "limber/base/executor.hpp"
#include "limber/draw/surface.hpp"

#include <Eigen/Core>

#include <span>

namespace limber {

/// An opaque surface that casts shadows.
struct Caster {
  const Shape* shape;
  const Surface* surface;
};

/// How much of a uniformly bright sky the points of a scene see.
///
/// Discs stand for the surfaces: one for all that lies in the same cell of a cubic grid and faces the same of
/// the six axis directions, so that they are spread evenly over fine and coarse meshes alike. The share of
/// the sky that a disc of area A, at distance d along the unit vector w and with the outward normal m, hides
/// from a point with the normal n is
///   F = A max(0, n.w) max(0, -m.w) / (pi d^2 + A)                      [Bunnell 2005, GPU Gems 2, ch. 14]
/// The A in the denominator keeps near discs finite. Several layers add up, which is too dark deep inside of
/// folds; the sum is capped at 1. Exact for a convex body, up to the size of the discs.
class Sky {
 public:
  /// discs: about how many to use.
  Sky(std::span<const Caster> casters, int discs);

  /// Share of the sky, 0 to 1, that is hidden from a point. normal: unit. Cost O(discs).
  [[nodiscard]] float occlusion(const Vector3& point, const Vector3& normal) const;

  /// Distance of neighbouring discs, m: nearer than this to a surface, its discs show one by one.
  [[nodiscard]] double spacing() const { return spacing_; }

 private:
  Vector3 origin_ = Vector3::Zero();
  double scale_ = 1.0;  ///< discs are at (x - origin) / scale, which keeps floats in range
  double spacing_ = 0.0;
  Eigen::Array<float, Eigen::Dynamic, 7> discs_;  ///< columns: position, normal, area
};

/// The shadow of a scene on the plane below it, tabulated on a grid.
class GroundShadow {
 public:
  /// up: unit normal of the ground; height: up . x on it.  points: 3 x n, what casts the shadow.
  /// cells: of the grid along its longer side.
  GroundShadow(const Sky& sky, const Matrix3X& points, const Vector3& up, double height, int cells,
               const Executor& executor);

  /// Share of the sky hidden from a point of the ground; fades to 0 far from the scene.
  [[nodiscard]] float at(const Vector3& point) const;

  [[nodiscard]] const Vector3& up() const { return up_; }
  [[nodiscard]] double height() const { return height_; }

 private:
  Vector3 up_;
  double height_;
  Eigen::Matrix<double, 2, 3> axes_;  ///< two directions along the ground
  Eigen::Vector2d low_;               ///< corner of the grid, m along the axes
  double cell_ = 1.0;                 ///< m
  Eigen::ArrayXXf grid_;
};

}  // namespace limber
