#include "bench/registry.hpp"
#include "limber/base/random.hpp"
#include "limber/mesh/embedding.hpp"
#include "limber/mesh/surface_query.hpp"
#include "limber/mesh/tetrahedralize.hpp"

#include <cmath>
#include <memory>

namespace limber::bench {
namespace {

constexpr double cell = 0.0645;  ///< m: 200,000 tetrahedra in the body below
constexpr Index point_count = 10'000;

/// A ball of radius 1 m with bumps.
Solid bumpy_ball() {
  const auto sample = [](const Vector3& x) {
    const double d =
        x.norm() - 1.0 + 0.02 * (std::sin(9.0 * x.x()) + std::sin(11.0 * x.y()) + std::sin(10.0 * x.z()));
    return SolidSample{d, std::abs(d) / 1.7};
  };
  return {sample, {Vector3::Constant(-1.1), Vector3::Constant(1.1)}};
}

VolumeMesh fill(const Solid& solid, int threads, int smoothing = 10) {
  TetrahedralizeOptions options;
  options.cell = cell;
  options.smoothing_passes = smoothing;
  options.executor = Executor(threads);
  return tetrahedralize(solid, options);
}

std::shared_ptr<const SurfaceQuery> bumpy_surface() {
  TetrahedralizeOptions options;
  options.cell = 0.02;
  options.grading = 6;
  options.smoothing_passes = 0;
  return std::make_shared<const SurfaceQuery>(boundary_surface(tetrahedralize(bumpy_ball(), options)));
}

std::shared_ptr<const Matrix3X> points_around() {
  Random random(1);
  auto points = std::make_shared<Matrix3X>(3, point_count);
  for (double& coordinate : points->reshaped()) coordinate = random.uniform(-1.2, 1.2);
  return points;
}

std::function<void()> query(double (*ask)(const SurfaceQuery&, const Vector3&)) {
  return [ask, surface = bumpy_surface(), points = points_around()] {
    double sum = 0.0;
    for (const auto& x : points->colwise()) sum += ask(*surface, x);
    [[maybe_unused]] static volatile double sink = 0.0;
    sink = sum;
  };
}

}  // namespace

std::vector<Case> mesh_cases(int threads) {
  const std::string body = "mesh/tetrahedralize/200000_tets";
  std::vector<Case> cases;
  cases.push_back(
      {"mesh/closest_point/10000_points",
       [] { return query([](const SurfaceQuery& s, const Vector3& x) { return s.closest(x).distance; }); }});
  cases.push_back(
      {"mesh/winding_number/10000_points",
       [] { return query([](const SurfaceQuery& s, const Vector3& x) { return s.winding_number(x); }); },
       "closest points",
       [](const Results& results, double s) { return s / results.at("mesh/closest_point/10000_points"); }});
  cases.push_back({body + "/without_smoothing", [] { return [] { fill(bumpy_ball(), 1, 0); }; }});
  cases.push_back(
      {body + "/1_thread", [] { return [] { fill(bumpy_ball(), 1); }; }, "without smoothing",
       [body](const Results& results, double s) { return s / results.at(body + "/without_smoothing"); }});
  cases.push_back(
      {body + "/of_a_surface",
       [threads] {
         const auto surface = bumpy_surface();
         const Solid solid{[surface](const Vector3& x) { return surface->sample(x); }, surface->bounds()};
         return [solid, threads] { fill(solid, threads); };
       },
       "the body given by a function, 1 thread",
       [body](const Results& results, double s) { return s / results.at(body + "/1_thread"); }});
  cases.push_back(
      {"mesh/embed/10000_points",
       [] {
         const auto mesh = std::make_shared<const VolumeMesh>(fill(bumpy_ball(), 1, 0));
         return [mesh, points = points_around()] { embed_points(*mesh, *points); };
       },
       "closest points of a surface",
       [](const Results& results, double s) { return s / results.at("mesh/closest_point/10000_points"); }});
  return cases;
}

}  // namespace limber::bench
