#include "limber/mesh/uncovered.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/surface_query.hpp"
#include "limber/mesh/surface_samples.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber {
namespace {

constexpr Index area_samples = 20'000;  ///< the share is then known to a few thousandths at worst

/// Distances from points to the mesh, 0 for those inside of it or nearer than that.
Vector distances_outside(const Matrix3X& points, const SurfaceQuery& mesh, double distance,
                         const Executor& executor) {
  Vector result = Vector::Zero(points.cols());
  executor.parallel_ranges(points.cols(), 256, [&](auto begin, auto end) {
    for (auto i = begin; i < end; ++i) {
      const Vector3 point = points.col(i);
      const double to_boundary = mesh.closest(point).distance;
      if (to_boundary > distance && !mesh.contains(point)) result(i) = to_boundary;
    }
  });
  return result;
}

}  // namespace

Uncovered find_uncovered(std::span<const SurfaceMesh* const> surfaces, const SurfaceMesh& boundary,
                         double distance, const Executor& executor) {
  const SurfaceQuery mesh(boundary);
  double area = 0.0;
  for (const SurfaceMesh* surface : surfaces) area += surface_area(*surface);
  require(area > 0.0, "surfaces without area cannot be covered");
  Uncovered result;
  const auto note_farthest = [&](const Matrix3X& points, const Vector& distances) {
    Index worst = 0;
    if (distances.size() == 0 || distances.maxCoeff(&worst) <= result.farthest) return;
    result.farthest = distances(worst);
    result.at = points.col(worst);
  };
  for (const SurfaceMesh* surface : surfaces) {
    const double share = surface_area(*surface) / area;
    const auto count = std::max<Index>(1, std::lround(share * static_cast<double>(area_samples)));
    const Matrix3X points = sample_surface(*surface, count).points;
    const Vector away = distances_outside(points, mesh, distance, executor);
    result.share += share * static_cast<double>((away.array() > 0.0).count()) / static_cast<double>(count);
    note_farthest(points, away);
    note_farthest(surface->vertices, distances_outside(surface->vertices, mesh, distance, executor));
  }
  return result;
}

}  // namespace limber
