#include "limber/base/error.hpp"
#include "limber/fem/full_model.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

namespace limber::supports_test {
namespace {

using test::random_vector;
using test::remainder_slope;

/// A held beam whose supports are moved.
struct MovedBeam {
  VolumeMesh mesh;
  FullModel model;

  explicit MovedBeam(const test::Combination& of)
      : mesh(test::unit_beam(of.kind)),
        model(mesh, {test::material(of.law)}, test::vertices_below(mesh, 0.5)) {}

  /// At random, by up to a tenth of a cell.
  void shake() {
    const Vector values = random_vector(3 * mesh.vertex_count(), 0.1, 7);
    model.set_supports(Eigen::Map<const Matrix3X>(values.data(), 3, mesh.vertex_count()));
  }
};

class MovedSupports : public testing::TestWithParam<test::Combination> {};
class MovedSupportsOfObjectiveLaws : public testing::TestWithParam<test::Combination> {};

TEST_P(MovedSupports, KeepTheForceTheDerivativeOfTheEnergy) {
  MovedBeam beam(GetParam());
  beam.shake();
  const Vector u = random_vector(beam.model.dof_count(), 0.1, 1), d = random_vector(u.size(), 1.0, 2);
  const double energy = beam.model.energy(u), slope = beam.model.internal_force(u).dot(d);
  const auto remainder = [&](double h) {
    return std::abs(beam.model.energy(u + h * d) - energy - h * slope);
  };
  EXPECT_GT(remainder_slope(remainder, energy, 1e-3), 1.9);
}

TEST_P(MovedSupports, KeepTheStiffnessTheDerivativeOfTheForce) {
  MovedBeam beam(GetParam());
  beam.shake();
  const Vector u = random_vector(beam.model.dof_count(), 0.1, 1), d = random_vector(u.size(), 1.0, 2);
  Vector f;
  SparseMatrix K = beam.model.pattern();
  beam.model.force_and_stiffness(u, f, K);
  const Vector slope = K * d;
  const auto remainder = [&](double h) {
    return (beam.model.internal_force(u + h * d) - f - h * slope).norm();
  };
  EXPECT_GT(remainder_slope(remainder, f.norm(), 1e-3), 1.9);
}

TEST_P(MovedSupports, KeepTheStiffnessDerivativeThatOfTheStiffness) {
  MovedBeam beam(GetParam());
  beam.shake();
  const Vector u = random_vector(beam.model.dof_count(), 0.1, 1), d = random_vector(u.size(), 1.0, 2);
  const SparseMatrix K = beam.model.stiffness(u), H = beam.model.stiffness_derivative(u, d);
  const auto remainder = [&](double h) { return (beam.model.stiffness(u + h * d) - K - h * H).norm(); };
  EXPECT_GT(remainder_slope(remainder, K.norm(), 1e-3), 1.9);
}

TEST_P(MovedSupports, ExertTheForcesThatAreTheDerivativeAlongTheirOwnMotion) {
  MovedBeam beam(GetParam());
  const Vector u = random_vector(beam.model.dof_count(), 0.1, 1);
  const Vector values = random_vector(3 * beam.mesh.vertex_count(), 1.0, 5);
  Matrix3X d = Eigen::Map<const Matrix3X>(values.data(), 3, beam.mesh.vertex_count());
  for (const int v : beam.model.dofs().free_vertices()) d.col(v).setZero();
  const double energy = beam.model.energy(u), slope = beam.model.vertex_forces(u).cwiseProduct(d).sum();
  const auto remainder = [&](double h) {
    beam.model.set_supports(h * d);
    return std::abs(beam.model.energy(u) - energy - h * slope);
  };
  EXPECT_GT(remainder_slope(remainder, energy, 1e-3), 1.9);
}

TEST_P(MovedSupportsOfObjectiveLaws, WithARigidMotionOfTheWholeBodyExertNoForce) {
  MovedBeam beam(GetParam());
  const Matrix3X moved = (test::some_rotation() * beam.mesh.vertices).colwise() + Vector3(3, -2, 1);
  const Matrix3X rigid = moved - beam.mesh.vertices;
  beam.model.set_supports(rigid);
  const Vector u = beam.model.dofs().restrict(rigid);
  EXPECT_LT(beam.model.vertex_forces(u).norm(), 10.0 * beam.model.force_rounding());
  EXPECT_NEAR(beam.model.smallest_volume_ratio(u), 1.0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, MovedSupports, testing::ValuesIn(test::all_combinations()),
                         [](const auto& one) { return test::name_of(one.param); });
INSTANTIATE_TEST_SUITE_P(All, MovedSupportsOfObjectiveLaws, testing::ValuesIn(test::objective_combinations()),
                         [](const auto& one) { return test::name_of(one.param); });

TEST(Supports, ThatComeBackLeaveNoTrace) {
  MovedBeam beam({"stvk", ElementKind::tetrahedron});
  const Vector u = random_vector(beam.model.dof_count(), 0.1, 1), before = beam.model.internal_force(u);
  beam.shake();
  EXPECT_TRUE(beam.model.supports_moved());
  EXPECT_NE(beam.model.internal_force(u), before);
  beam.model.set_supports(Matrix3X::Zero(3, beam.mesh.vertex_count()));
  EXPECT_FALSE(beam.model.supports_moved());
  EXPECT_EQ(beam.model.internal_force(u), before);
}

TEST(Supports, AreNotPartOfAChangeOfTheDisplacement) {
  MovedBeam beam({"stvk", ElementKind::brick});
  const Vector du = random_vector(beam.model.dof_count(), 1e-3, 1);
  const double gradient = beam.model.largest_gradient(du);
  beam.shake();
  EXPECT_EQ(beam.model.largest_gradient_of_change(du), gradient);
  EXPECT_GT(beam.model.largest_gradient(du), 10.0 * gradient);
}

TEST(Supports, OfAnotherMeshAreRefused) {
  MovedBeam beam({"stvk", ElementKind::brick});
  EXPECT_THROW(beam.model.set_supports(Matrix3X::Zero(3, 2)), Error);
}

}  // namespace
}  // namespace limber::supports_test
