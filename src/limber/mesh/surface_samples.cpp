#include "limber/mesh/surface_samples.hpp"

#include <Eigen/Geometry>

#include <cmath>

namespace limber {

/// Strata of equal area along the triangles, and within a triangle the sequence of the plastic number, whose
/// points keep their distance.                                                                [Roberts 2018]
SurfaceSamples sample_surface(const SurfaceMesh& surface, Index count) {
  constexpr double first = 0.7548776662466927, second = 0.5698402909980532;  // 1/p and 1/p^2, p^3 = p + 1
  SurfaceSamples samples{Matrix3X(3, count), {}};
  samples.triangle.reserve(static_cast<std::size_t>(count));
  const double area = surface_area(surface);
  double passed = 0.0;  // area of the triangles up to t
  int t = -1;
  const auto corner = [&](int i) -> Vector3 { return surface.vertices.col(surface.triangles(i, t)); };
  for (Index i = 0; i < count; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(count) * area;
    while (t < 0 || (passed < place && t + 1 < surface.triangle_count())) {
      ++t;
      passed += 0.5 * (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
    }
    double a = std::fmod(first * static_cast<double>(i), 1.0);
    double b = std::fmod(second * static_cast<double>(i), 1.0);
    if (a + b > 1.0) a = 1.0 - a, b = 1.0 - b;
    samples.points.col(i) = (1.0 - a - b) * corner(0) + a * corner(1) + b * corner(2);
    samples.triangle.push_back(t);
  }
  return samples;
}

}  // namespace limber
