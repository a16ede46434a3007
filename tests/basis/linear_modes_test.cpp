#include "limber/basis/linear_modes.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/basis/support.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace limber::linear_modes_test {
namespace {

using test::Support;

class ModesOfEverySupport : public testing::TestWithParam<Support> {
 protected:
  static constexpr Index elastic = 12;
  FullModel model = test::supported_beam(GetParam());
  Index rigid = test::rigid_mode_count(GetParam());
  LinearModes modes = compute_linear_modes(model, rigid + elastic);
  SparseMatrix K = model.stiffness(Vector::Zero(model.dof_count()));
};

TEST_P(ModesOfEverySupport, AgreeWithADenseSolver) {
  ASSERT_TRUE(modes.report.ok());
  const Vector dense = symmetric_eigenvalues(Matrix(K), Matrix(model.mass())).values;
  for (Index i = rigid; i < rigid + elastic; ++i)
    EXPECT_NEAR(modes.eigenvalues(i) / dense(i), 1.0, 1e-9) << "mode " << i;
}

TEST_P(ModesOfEverySupport, StartWithTheRigidOnes) {
  EXPECT_EQ(modes.rigid, rigid);
  for (Index i = 0; i < rigid; ++i) EXPECT_EQ(modes.eigenvalues(i), 0.0) << "mode " << i;
  EXPECT_GT(modes.eigenvalues(rigid), 0.0);
  EXPECT_EQ(modes.elastic_shapes().cols(), elastic);
  EXPECT_EQ(modes.elastic_eigenvalues()(0), modes.eigenvalues(rigid));
}

TEST_P(ModesOfEverySupport, AreMassOrthonormal) {
  const Matrix gram = modes.shapes.transpose() * (model.mass() * modes.shapes);
  EXPECT_LT((gram - Matrix::Identity(gram.rows(), gram.cols())).norm(), 1e-11);
  EXPECT_LT(gram.topRightCorner(rigid, elastic).norm(), 1e-13) << "rigid motions in elastic modes";
}

TEST_P(ModesOfEverySupport, SolveTheirProblem) {
  // x = lambda K^-1 M x: the form that the iteration's tolerance of 1e-9 speaks of.
  RestStiffness rest(model);
  const Matrix X = modes.elastic_shapes();
  Matrix image(X.rows(), X.cols());
  ASSERT_TRUE(rest.solve(model.mass() * X, image).ok());
  const Matrix error = X - image * modes.elastic_eigenvalues().asDiagonal();
  for (Index i = 0; i < elastic; ++i)
    EXPECT_LT(std::sqrt(error.col(i).dot(model.mass() * error.col(i))), 3e-9) << "mode " << rigid + i;
}

INSTANTIATE_TEST_SUITE_P(, ModesOfEverySupport, testing::ValuesIn(test::all_supports),
                         [](const auto& tested) { return test::name_of(tested.param); });

TEST(LinearModes, HaveTheFrequenciesOfTheirEigenvalues) {
  const LinearModes modes =
      compute_linear_modes(test::supported_beam(Support::held, "linear", ElementKind::brick), 5);
  for (Index i = 0; i < 5; ++i)
    EXPECT_NEAR(modes.frequencies_hz(i), std::sqrt(modes.eigenvalues(i)) / (2 * std::numbers::pi), 1e-12);
}

TEST(LinearModes, AreAllFoundInASmallFreeBody) {
  const FullModel model(test::unit_beam(ElementKind::brick, 1, 1, 1), {test::material("stvk")}, {});
  const LinearModes modes = compute_linear_modes(model, 24);
  ASSERT_TRUE(modes.report.ok());
  const Vector dense =
      symmetric_eigenvalues(Matrix(model.stiffness(Vector::Zero(24))), Matrix(model.mass())).values;
  for (Index i = 6; i < 24; ++i) EXPECT_NEAR(modes.eigenvalues(i) / dense(i), 1.0, 1e-9) << i;
}

TEST(LinearModes, FewerThanTheRigidOnesAreRigid) {
  const FullModel model = test::supported_beam(Support::free);
  const LinearModes modes = compute_linear_modes(model, 4);
  EXPECT_EQ(modes.rigid, 4);
  EXPECT_EQ(modes.shapes.cols(), 4);
  EXPECT_EQ(modes.eigenvalues, Vector::Zero(4));
  EXPECT_EQ(modes.frequencies_hz, Vector::Zero(4));
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
}  // namespace limber::linear_modes_test
