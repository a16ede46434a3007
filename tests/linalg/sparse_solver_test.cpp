#include "limber/linalg/sparse_solver.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber {
namespace {

/// The stiffness of a small held beam: symmetric, positive definite, 3 x 3 blocks.
SparseMatrix held_stiffness() {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, 6, 2, 2);
  const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5));
  return model.stiffness(Vector::Zero(model.dof_count()));
}

class EverySolver : public testing::TestWithParam<SparseSolverKind> {
 protected:
  std::unique_ptr<SparseSolver> solver = make_sparse_solver({.kind = GetParam()});
};

TEST_P(EverySolver, SolvesBlocksOfRightHandSides) {
  const SparseMatrix A = held_stiffness();
  const Matrix B = test::random_vector(A.rows() * 13, 1.0, 2).reshaped(A.rows(), 13);
  Matrix X(B.rows(), B.cols());
  ASSERT_TRUE(solver->factor(A).ok());
  const SolveReport report = solver->solve(B, X);
  EXPECT_TRUE(report.ok());
  EXPECT_LT((A * X - B).norm(), 1e-9 * B.norm());
}

TEST_P(EverySolver, TakesNewValuesForTheSamePattern) {
  SparseMatrix A = held_stiffness();
  const Matrix b = test::random_vector(A.rows(), 1.0, 3);
  Matrix x(A.rows(), 1), y(A.rows(), 1);
  solver->analyze(A);
  ASSERT_TRUE(solver->factor(A).ok());
  ASSERT_TRUE(solver->solve(b, x).ok());
  A.coeffs() *= 4.0;
  ASSERT_TRUE(solver->factor(A).ok());
  ASSERT_TRUE(solver->solve(b, y).ok());
  EXPECT_LT((4.0 * y - x).norm(), 1e-8 * x.norm());
}

INSTANTIATE_TEST_SUITE_P(, EverySolver,
                         testing::Values(SparseSolverKind::cholesky, SparseSolverKind::conjugate_gradient),
                         [](const auto& tested) {
                           return tested.param == SparseSolverKind::cholesky ? "cholesky"
                                                                             : "conjugate_gradient";
                         });

TEST(Cholesky, ReportsAMatrixThatIsNotPositiveDefinite) {
  SparseMatrix A = held_stiffness();
  A.coeffs() *= -1.0;
  EXPECT_EQ(make_sparse_solver()->factor(A).status, SolveStatus::not_positive_definite);
}

TEST(Cholesky, GivesTheSameBitsEachTime) {
  const SparseMatrix A = held_stiffness();
  const Matrix b = test::random_vector(A.rows(), 1.0, 4);
  Matrix x(A.rows(), 1), y(A.rows(), 1);
  for (Matrix* result : {&x, &y}) {
    const auto solver = make_sparse_solver();
    ASSERT_TRUE(solver->factor(A).ok());
    ASSERT_TRUE(solver->solve(b, *result).ok());
  }
  EXPECT_EQ(x, y);
}

TEST(Cholesky, SolvesDiagonalMatrices) {
  SparseMatrix A(6, 6);
  A.setIdentity();
  A.coeffs() *= 2.0;
  Matrix x(6, 1);
  const auto solver = make_sparse_solver();
  ASSERT_TRUE(solver->factor(A).ok());
  ASSERT_TRUE(solver->solve(Matrix::Ones(6, 1), x).ok());
  EXPECT_LT((x - 0.5 * Matrix::Ones(6, 1)).norm(), 1e-15);
}

TEST(ConjugateGradient, ReportsIterationsAndResidual) {
  const SparseMatrix A = held_stiffness();
  Matrix x(A.rows(), 1);
  const auto solver =
      make_sparse_solver({.kind = SparseSolverKind::conjugate_gradient, .cg_max_iterations = 2});
  ASSERT_TRUE(solver->factor(A).ok());
  const SolveReport report = solver->solve(Matrix::Ones(A.rows(), 1), x);
  EXPECT_EQ(report.status, SolveStatus::not_converged);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_GT(report.residual, 1e-10);
}

}  // namespace
}  // namespace limber
