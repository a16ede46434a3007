#include "limber/linalg/sparse_solver.hpp"

#include "limber/base/error.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::sparse_solver_test {
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

TEST_P(EverySolver, RefusesShapesThatDoNotFit) {
  const SparseMatrix A = held_stiffness();
  ASSERT_TRUE(solver->factor(A).ok());
  const Index n = A.rows();
  const Matrix B = Matrix::Ones(n, 2), short_B = Matrix::Ones(n - 3, 2);
  Matrix X(n, 2), narrow(n, 1), low(n - 3, 2);
  EXPECT_EQ(test::error_text([&] { (void)solver->solve(short_B, X); }),
            fmt::format("right-hand side has {} rows, the matrix {}", n - 3, n));
  EXPECT_EQ(
      test::error_text([&] { (void)solver->solve(B, narrow); }),
      fmt::format("the solution has room for {0} x 1 numbers, expected {0} x 2 as the right-hand side", n));
  EXPECT_EQ(test::error_text([&] { (void)solver->solve(B, low); }),
            fmt::format("the solution has room for {} x 2 numbers, expected {} x 2 as the right-hand side",
                        n - 3, n));
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

TEST(Cholesky, GivesColumnsTheSameBitsWhateverIsSolvedBesideThemAndOnAnyNumberOfThreads) {
  const SparseMatrix A = held_stiffness();
  const Matrix B = test::random_vector(A.rows() * 61, 1.0, 5).reshaped(A.rows(), 61);
  Matrix all(A.rows(), 61);
  const auto one_thread = make_sparse_solver();
  ASSERT_TRUE(one_thread->factor(A).ok());
  ASSERT_TRUE(one_thread->solve(B, all).ok());
  for (const int threads : {1, 2, 8}) {
    const auto solver = make_sparse_solver({.threads = threads});
    ASSERT_TRUE(solver->factor(A).ok());
    for (const Index columns : {2, 9, 17, 25, 57, 61}) {
      Matrix X(A.rows(), columns);
      ASSERT_TRUE(solver->solve(B.leftCols(columns), X).ok());
      EXPECT_TRUE(X == all.leftCols(columns)) << columns << " columns on " << threads << " threads";
    }
  }
}

TEST(Cholesky, SolvesOneColumnAsItSolvesMany) {
  const SparseMatrix A = held_stiffness();
  const Matrix B = test::random_vector(A.rows() * 2, 1.0, 7).reshaped(A.rows(), 2);
  Matrix X(A.rows(), 2), x(A.rows(), 1);
  const auto solver = make_sparse_solver();
  ASSERT_TRUE(solver->factor(A).ok());
  ASSERT_TRUE(solver->solve(B, X).ok());
  ASSERT_TRUE(solver->solve(B.col(0), x).ok());
  EXPECT_LT((x - X.col(0)).norm(), 1e-13 * x.norm());
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
}  // namespace limber::sparse_solver_test
