#include "limber/basis/rest_stiffness.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/linalg/lu.hpp"
#include "tests/basis/support.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace limber::rest_stiffness_test {
namespace {

using test::Support;

class EverySupport : public testing::TestWithParam<Support> {
 protected:
  FullModel model = test::supported_beam(GetParam());
  RestStiffness rest{model};
  const Matrix& N = rest.rigid_modes();
  Matrix B = test::random_vector(model.dof_count() * 30, 1.0, 1).reshaped(model.dof_count(), 30);
};

TEST_P(EverySupport, HasAsManyRigidModesAsItLeaves) {
  EXPECT_EQ(N.cols(), test::rigid_mode_count(GetParam()));
}

TEST_P(EverySupport, HasRigidModesWithoutStrainThatAreMassOrthonormal) {
  EXPECT_LE((rest.matrix() * N).norm(), 1e-12 * rest.matrix().norm() * N.norm());
  EXPECT_LT((N.transpose() * (model.mass() * N) - Matrix::Identity(N.cols(), N.cols())).norm(), 1e-13);
}

TEST_P(EverySupport, SolvesForTheSelfEquilibratedPartOfALoad) {
  Matrix X(B.rows(), B.cols());
  ASSERT_TRUE(rest.solve(B, X).ok());
  const Matrix load = B - model.mass() * N * (N.transpose() * B);
  const double error =
      (rest.matrix() * X - load).colwise().norm().cwiseQuotient(load.colwise().norm()).maxCoeff();
  EXPECT_LT(error, 1e-10);
  EXPECT_LT((N.transpose() * (model.mass() * X)).norm(),
            1e-13 * std::sqrt(X.cwiseProduct(model.mass() * X).sum()));
}

TEST_P(EverySupport, GivesNothingForTheInertiaOfARigidMotion) {
  if (N.cols() == 0) GTEST_SKIP() << "the body is held";
  Matrix X(N.rows(), N.cols());
  ASSERT_TRUE(rest.solve(model.mass() * N, X).ok());
  Matrix elastic(B.rows(), B.cols());
  ASSERT_TRUE(rest.solve(model.mass() * B, elastic).ok());
  EXPECT_LT(X.norm(), 1e-11 * elastic.norm());
}

TEST_P(EverySupport, IsTheSolverOfTheEigensolver) {
  Matrix X(B.rows(), B.cols()), Y(B.rows(), B.cols());
  ASSERT_TRUE(rest.solve(B, X).ok());
  ASSERT_TRUE(rest.solver().solve(B, Y).ok());
  EXPECT_EQ(X, Y);
  EXPECT_THROW(rest.solver().analyze(rest.matrix()), Error);
  EXPECT_THROW((void)rest.solver().factor(rest.matrix()), Error);
}

TEST_P(EverySupport, RefusesShapesThatDoNotFit) {
  Matrix narrow(B.rows(), B.cols() - 1), low(B.rows() - 1, B.cols()), X(B.rows(), B.cols());
  EXPECT_THROW((void)rest.solve(B, narrow), Error);
  EXPECT_THROW((void)rest.solve(B, low), Error);
  EXPECT_THROW((void)rest.solve(B.topRows(B.rows() - 1), X), Error);
}

INSTANTIATE_TEST_SUITE_P(, EverySupport, testing::ValuesIn(test::all_supports),
                         [](const auto& tested) { return test::name_of(tested.param); });

TEST(RestStiffness, SolvesTheConstrainedSystemOfAFreeBody) {
  const FullModel model = test::supported_beam(Support::free);
  RestStiffness rest(model);
  const Index n = model.dof_count(), k = 6;
  const Matrix MN = model.mass() * rest.rigid_modes();
  Matrix system = Matrix::Zero(n + k, n + k);
  system.topLeftCorner(n, n) = rest.matrix();
  system.topRightCorner(n, k) = MN;
  system.bottomLeftCorner(k, n) = MN.transpose();
  Vector f = Vector::Zero(n + k), x(n);
  f.head(n) = test::random_vector(n, 1.0, 3);
  ASSERT_TRUE(rest.solve(f.head(n), x).ok());
  const Vector expected = solve_general(system, f).topRows(n);
  EXPECT_LT((x - expected).norm(), 1e-9 * expected.norm());
}

TEST(RestStiffness, RefusesElementsThatHangOnByAnEdge) {
  VolumeMesh mesh = test::unit_beam(ElementKind::brick, 2, 2, 1);
  Eigen::MatrixXi diagonal(8, 2);  // two bricks that share an edge along z
  diagonal << mesh.elements.col(0), mesh.elements.col(3);
  mesh.elements = diagonal;
  mesh.region.resize(2);
  const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5));
  EXPECT_THROW(RestStiffness{model}, Error);
}

// It keeps a reference to the model.
static_assert(std::is_constructible_v<RestStiffness, const FullModel&>);
static_assert(!std::is_constructible_v<RestStiffness, FullModel>);

TEST(RestStiffness, OfAFixedPlaceIsMovable) {
  const FullModel model = test::supported_beam(Support::held);
  RestStiffness first(model);
  RestStiffness second(std::move(first));
  Vector x(model.dof_count());
  EXPECT_TRUE(second.solve(Vector::Ones(model.dof_count()), x).ok());
  EXPECT_EQ(&second.model(), &model);
}

}  // namespace
}  // namespace limber::rest_stiffness_test
