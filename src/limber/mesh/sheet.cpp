#include "limber/mesh/sheet.hpp"

#include "limber/mesh/surface_samples.hpp"

#include <Eigen/Geometry>

namespace limber {
namespace {

constexpr Index points = 4000;          ///< the share of a body is then known to a few thousandths
constexpr double behind = 1e-4;         ///< of the size: of the place where winding numbers are taken
constexpr double like_a_plane = 0.525;  ///< at most, as a mean: gentle sheets have 0.49 to 0.511
constexpr double like_a_body = 0.6;     ///< at least
constexpr double no_body = 0.01;        ///< share of the area, at most

}  // namespace

bool is_sheet(const SurfaceMesh& surface, const SurfaceQuery& query) {
  if (query.closed()) return false;
  const SurfaceSamples samples = sample_surface(surface, points);
  const double depth = behind * (query.bounds().max - query.bounds().min).norm();
  double sum = 0.0, bodily = 0.0;
  for (Index i = 0; i < points; ++i) {
    const auto corners = surface.triangles.col(samples.triangle[static_cast<std::size_t>(i)]);
    const Vector3 origin = surface.vertices.col(corners(0));
    const Vector3 one = surface.vertices.col(corners(1)) - origin;
    const Vector3 other = surface.vertices.col(corners(2)) - origin;
    const double winding =
        query.winding_number(samples.points.col(i) - depth * one.cross(other).normalized());
    sum += winding;
    if (winding > like_a_body) bodily += 1.0;
  }
  return sum < like_a_plane * static_cast<double>(points) && bodily < no_body * static_cast<double>(points);
}

}  // namespace limber
