#pragma once

#include "limber/basis/linear_modes.hpp"
#include "limber/body/body.hpp"
#include "limber/precompute/build_model.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace limber::test {

inline constexpr Index bar_rank = 12;

/// A bar along x by its linear modes, held at x = 0, of two regions.
inline const ReducedModel& bar_model() {
  static const ReducedModel model = [] {
    VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.15), {6, 2, 2}});
    mesh.regions = {{1, "left"}, {2, "right"}};
    for (std::size_t e = mesh.region.size() / 2; e < mesh.region.size(); ++e) mesh.region[e] = 1;
    const FullModel full(mesh, {material("stvk", 4e5, 0.35, 1000.0), material("stvk", 2e5, 0.3, 800.0)},
                         vertices_below(mesh, 1e-9));
    ReducedModel result = build_reduced_model(full, compute_linear_modes(full, bar_rank).shapes);
    result.name = "bar";
    return result;
  }();
  return model;
}

/// The vertex of the surface nearest to a point.
inline int vertex_at(const ReducedModel& model, const Vector3& point) {
  Index nearest = 0;
  (model.surface.mesh.vertices.colwise() - point).colwise().norm().minCoeff(&nearest);
  return static_cast<int>(nearest);
}

inline int tip() { return vertex_at(bar_model(), Vector3(1.0, 0.2, 0.15)); }
inline int middle() { return vertex_at(bar_model(), Vector3(0.5, 0.0, 0.0)); }
inline int held() { return vertex_at(bar_model(), Vector3::Zero()); }

inline Body warped_bar() {
  Body body(make_model(bar_model(), false));
  body.set_method(Method::warped);
  return body;
}

/// Bent by as much as its length: rotations of the tip are about a radian.
inline Vector bent() {
  Vector q = random_vector(bar_rank, 0.1, 3);
  q(0) = 3.0;
  q(1) = -2.0;
  return q;
}

inline void advance(Body& body, int steps, double h = 0.01, int iterations = 1) {
  ReducedStepOptions options;
  options.newmark.max_iterations = iterations;
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(body.step(h, options).ok()) << "step " << i;
}

/// The angle between two orientations, rad.
inline double angle_between(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  return 2.0 * std::asin(std::min(1.0, (a.conjugate() * b).vec().norm()));
}

inline Eigen::Quaterniond turn(double angle, const Vector3& axis) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()));
}

}  // namespace limber::test
