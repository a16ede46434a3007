#include "limber/contact/height_field.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/triangle_distance.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {

/// The best so far.
struct HeightField::Nearest {
  double distance = std::numeric_limits<double>::infinity();
  Vector3 place = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ();  ///< of its triangle, upwards
};

HeightField::HeightField(Matrix heights, double spacing) : heights_(std::move(heights)), spacing_(spacing) {
  require(heights_.rows() >= 2 && heights_.cols() >= 2,
          "a height field of {} x {} heights, expected at least 2 x 2", heights_.rows(), heights_.cols());
  require(std::isfinite(spacing) && spacing > 0.0,
          "the heights of a height field are {} m apart, expected a positive number", spacing);
  require(heights_.allFinite(), "a height field has a height that is not finite");
  lowest_ = heights_.minCoeff();
  highest_ = heights_.maxCoeff();
}

Vector3 HeightField::corner(Index i, Index j) const {
  return {spacing_ * static_cast<double>(i), spacing_ * static_cast<double>(j), heights_(j, i)};
}

BoundingBox HeightField::bounds() const {
  const Vector3 last = corner(heights_.cols() - 1, heights_.rows() - 1);
  return {{0.0, 0.0, lowest_}, {last.x(), last.y(), highest_}};
}

double HeightField::height(double x, double y) const {
  const double u = std::clamp(x / spacing_, 0.0, static_cast<double>(heights_.cols() - 1));
  const double v = std::clamp(y / spacing_, 0.0, static_cast<double>(heights_.rows() - 1));
  const Index i = std::min(static_cast<Index>(u), heights_.cols() - 2);
  const Index j = std::min(static_cast<Index>(v), heights_.rows() - 2);
  const double a = u - static_cast<double>(i), b = v - static_cast<double>(j);
  const double h00 = heights_(j, i), h10 = heights_(j, i + 1), h01 = heights_(j + 1, i),
               h11 = heights_(j + 1, i + 1);
  // Cells are cut from (1, 0) to (0, 1).
  return a + b <= 1.0 ? h00 + a * (h10 - h00) + b * (h01 - h00)
                      : h11 + (1.0 - a) * (h01 - h11) + (1.0 - b) * (h10 - h11);
}

void HeightField::look_at_cell(Index i, Index j, const Vector3& x, Nearest& nearest) const {
  const Vector3 a = corner(i, j), b = corner(i + 1, j), c = corner(i, j + 1), d = corner(i + 1, j + 1);
  const auto look = [&](const Vector3& p, const Vector3& q, const Vector3& r) {
    const SurfacePoint found = closest_on_triangle(x, p, q, r);
    if (!(found.distance < nearest.distance)) return;
    nearest = {found.distance, found.position, (q - p).cross(r - p).normalized()};
  };
  look(a, b, c);
  look(b, d, c);
}

SurfaceDistance HeightField::distance(const Vector3& x) const {
  const Index cells_x = heights_.cols() - 1, cells_y = heights_.rows() - 1;
  const auto cell = [&](double along, Index cells) {
    return static_cast<Index>(
        std::floor(std::clamp(along / spacing_, 0.0, static_cast<double>(cells) - 0.5)));
  };
  const Index i0 = cell(x.x(), cells_x), j0 = cell(x.y(), cells_y);
  Nearest nearest;
  // Ring by ring around the cell below: those of a ring are at least so far away.
  const Index rings = std::max(cells_x, cells_y);
  const double above = std::max({0.0, x.z() - highest_, lowest_ - x.z()});
  for (Index ring = 0; ring <= rings; ++ring) {
    const double least = spacing_ * static_cast<double>(std::max<Index>(ring - 1, 0));
    if (std::hypot(least, above) > nearest.distance) break;
    for (Index j = std::max<Index>(j0 - ring, 0); j <= std::min(j0 + ring, cells_y - 1); ++j) {
      const bool side = j == j0 - ring || j == j0 + ring;
      const Index stride = side || ring == 0 ? 1 : 2 * ring;
      for (Index i = i0 - ring; i <= i0 + ring; i += stride)
        if (i >= 0 && i < cells_x) look_at_cell(i, j, x, nearest);
    }
  }
  const BoundingBox box = bounds();
  const bool over = x.x() >= 0.0 && x.x() <= box.max.x() && x.y() >= 0.0 && x.y() <= box.max.y();
  const bool below = over && x.z() < height(x.x(), x.y());
  const Vector3 way = x - nearest.place;
  constexpr double on_it = 1e-9;  // of the spacing: rounding leaves no direction
  if (nearest.distance <= on_it * spacing_)
    return {below ? -nearest.distance : nearest.distance, nearest.normal};
  return below ? SurfaceDistance{-nearest.distance, -way / nearest.distance}
               : SurfaceDistance{nearest.distance, way / nearest.distance};
}

}  // namespace limber
