#pragma once

#include "limber/contact/surface_distance.hpp"
#include "limber/mesh/volume_mesh.hpp"

namespace limber {

/// Ground over a rectangle of the plane z = 0, with its first corner at the origin: heights on a grid, two
/// triangles between each four of them, all that is below is solid. It ends at the rim, without walls.
class HeightField {
 public:
  /// heights: columns along x, rows along y, at least 2 x 2, m.  spacing: of the grid, m. Throws Error for
  /// others, and for numbers that are not finite.
  HeightField(Matrix heights, double spacing);

  /// To the nearest of the triangles: exact. Only those near enough are looked at: of a point that is d
  /// from the ground, O((d / spacing)^2). Negative below the ground; beside the rim nothing is below.
  [[nodiscard]] SurfaceDistance distance(const Vector3& x) const;
  /// Of the ground; beyond the rim that of the nearest place on it.
  [[nodiscard]] double height(double x, double y) const;
  [[nodiscard]] const Matrix& heights() const { return heights_; }
  [[nodiscard]] double spacing() const { return spacing_; }
  [[nodiscard]] BoundingBox bounds() const;  ///< of its surface; below it is solid without end

 private:
  struct Nearest;
  [[nodiscard]] Vector3 corner(Index i, Index j) const;
  void look_at_cell(Index i, Index j, const Vector3& x, Nearest& nearest) const;

  Matrix heights_;
  double spacing_ = 1.0;
  double lowest_ = 0.0, highest_ = 0.0;
};

}  // namespace limber
