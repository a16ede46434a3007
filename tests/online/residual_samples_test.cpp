#include "limber/online/residual_samples.hpp"

#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::residual_samples_test {
namespace {

/// Two laws and, at rest and in the world, a body that is held at one end.
FullModel held_beam(ElementKind kind = ElementKind::tetrahedron) {
  VolumeMesh mesh = make_beam({.kind = kind, .size = {1.0, 0.2, 0.2}, .cells = {8, 2, 2}});
  mesh.regions = {{1, "left"}, {2, "right"}};
  for (Index e = 0; e < mesh.element_count(); ++e)
    mesh.region[static_cast<std::size_t>(e)] = mesh.vertices(0, mesh.elements(0, e)) < 0.49 ? 0 : 1;
  const std::vector<int> fixed = test::vertices_below(mesh, 1e-9);
  return {std::move(mesh), {test::material("neo-hookean"), test::material("stvk", 3e5)}, fixed};
}

VertexMaps some_maps(const FullModel& model) {
  const Matrix3X& X = model.mesh().vertices;
  VertexMaps maps = VertexMaps::identity(X.cols());
  for (Index v = 0; v < X.cols(); ++v) {
    const Matrix3 turn =
        Eigen::AngleAxisd(0.4 * X(0, v), Vector3(0.3, 0.5, 0.8).normalized()).toRotationMatrix();
    maps.linear.push_back((1.0 + 0.1 * X(1, v)) * turn);
    maps.offset.col(v) = (maps.linear.back() - Matrix3::Identity()) * X.col(v) + Vector3(0.1, 0.0, -0.2);
  }
  return maps;
}

/// Supports that move, and nothing else that is carried.
VertexMaps moved_supports(const FullModel& model) {
  VertexMaps maps = VertexMaps::identity(model.mesh().vertex_count());
  for (Index v = 0; v < maps.offset.cols(); ++v) {
    if (model.dofs().free_index(static_cast<int>(v)) < 0) maps.offset.col(v) = Vector3(0.02, 0.01, -0.03);
  }
  return maps;
}

Matrix some_basis(const FullModel& model) {
  return test::random_vector(3 * model.dof_count(), 0.01, 5).reshaped(model.dof_count(), 3);
}

const Vector3 q(0.4, -0.7, 0.5);

double full_residual(FullModel& model, const VertexMaps& maps, const Vector& load) {
  model.set_supports(maps.offset);
  const Vector force = model.internal_force(maps.to_world(model.dofs(), some_basis(model) * q));
  return maps.pulled_back(model.dofs(), force - load).norm();
}

TEST(ResidualSamples, OfAllVerticesIsTheResidual) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    FullModel model = held_beam(kind);
    ResidualSamples samples(model, 100000, 1);
    EXPECT_EQ(samples.count(), model.dof_count() / 3);
    samples.set_basis(some_basis(model));
    const Vector load = test::random_vector(model.dof_count(), 5.0, 7);
    for (const VertexMaps& maps :
         {VertexMaps::identity(model.mesh().vertex_count()), some_maps(model), moved_supports(model)}) {
      const double expected = full_residual(model, maps, load);
      EXPECT_NEAR(samples.residual(q, maps, load), expected, 1e-11 * expected);
    }
  }
}

TEST(ResidualSamples, OfAFewVerticesIsRightOnAverage) {
  FullModel model = held_beam();
  const VertexMaps maps = some_maps(model);
  const Vector load = test::random_vector(model.dof_count(), 5.0, 7);
  const double expected = full_residual(model, maps, load);
  double squares = 0.0;
  const int draws = 300;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    ResidualSamples samples(model, 6, seed);
    EXPECT_EQ(samples.count(), 6);
    samples.set_basis(some_basis(model));
    const double estimate = samples.residual(q, maps, load);
    squares += estimate * estimate;
  }
  EXPECT_NEAR(std::sqrt(squares / draws), expected, 0.05 * expected);
}

TEST(ResidualSamples, AreDrawnBySeed) {
  FullModel model = held_beam();
  const VertexMaps maps = some_maps(model);
  const Vector load = Vector::Zero(model.dof_count());
  const auto estimate = [&](std::uint64_t seed) {
    ResidualSamples samples(model, 4, seed);
    samples.set_basis(some_basis(model));
    return samples.residual(q, maps, load);
  };
  EXPECT_EQ(estimate(3), estimate(3));
  EXPECT_NE(estimate(3), estimate(4));
}

TEST(ResidualSamples, VanishInEquilibrium) {
  FullModel model = held_beam();
  const VertexMaps maps = some_maps(model);
  model.set_supports(maps.offset);
  const Vector load = model.internal_force(maps.to_world(model.dofs(), some_basis(model) * q));
  ResidualSamples samples(model, 12, 1);
  samples.set_basis(some_basis(model));
  EXPECT_LT(samples.residual(q, maps, load), 1e-11 * load.norm());
}

}  // namespace
}  // namespace limber::residual_samples_test
