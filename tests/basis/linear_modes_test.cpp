#include "limber/basis/linear_modes.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <numbers>

namespace limber {
namespace {

TEST(LinearModes, OfAHeldBodyAgreeWithADenseSolver) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const VolumeMesh mesh = test::unit_beam(kind, 6, 2, 2);
    const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5));
    const LinearModes modes = compute_linear_modes(model, 12);
    ASSERT_TRUE(modes.report.ok());
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> dense(
        Matrix(model.stiffness(Vector::Zero(model.dof_count()))), Matrix(model.mass()));
    for (Index i = 0; i < 12; ++i) {
      EXPECT_NEAR(modes.eigenvalues(i) / dense.eigenvalues()(i), 1.0, 1e-10);
      EXPECT_NEAR(modes.frequencies_hz(i), std::sqrt(modes.eigenvalues(i)) / (2 * std::numbers::pi), 1e-12);
    }
  }
}

TEST(LinearModes, OfAFreeBodyStartWithSixRigidMotions) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, 6, 2, 2);
  const FullModel model(mesh, {test::material("neo-hookean")}, {});
  const LinearModes modes = compute_linear_modes(model, 10);
  ASSERT_TRUE(modes.report.ok());
  for (Index i = 0; i < 6; ++i) EXPECT_LT(std::abs(modes.eigenvalues(i)), 1e-6 * modes.eigenvalues(6)) << i;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> dense(
      Matrix(model.stiffness(Vector::Zero(model.dof_count()))), Matrix(model.mass()));
  for (Index i = 6; i < 10; ++i) EXPECT_NEAR(modes.eigenvalues(i) / dense.eigenvalues()(i), 1.0, 1e-8) << i;
}

TEST(LinearModes, DoNotDependOnTheLaw) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::brick, 4, 2, 2);
  Vector reference;
  for (const std::string_view law : material_names) {
    const FullModel model(mesh, {test::material(law)}, test::vertices_below(mesh, 0.5));
    const Vector values = compute_linear_modes(model, 5).eigenvalues;
    if (reference.size() == 0) reference = values;
    EXPECT_LT((values - reference).norm(), 1e-9 * reference.norm()) << law;
  }
}

TEST(LinearModes, RefuseMoreThanTheModelHas) {
  const FullModel model(test::unit_beam(ElementKind::brick, 1, 1, 1), {test::material("stvk")}, {});
  EXPECT_THROW(compute_linear_modes(model, 25), Error);
  EXPECT_THROW(compute_linear_modes(model, 0), Error);
}

TEST(RigidMotions, CostNoEnergyAtFirstOrder) {
  const FullModel model(test::unit_beam(ElementKind::tetrahedron), {test::material("stvk")}, {});
  const SparseMatrix K = model.stiffness(Vector::Zero(model.dof_count()));
  EXPECT_LT((K * rigid_motions(model)).norm(), 1e-12 * K.norm());
}

}  // namespace
}  // namespace limber
