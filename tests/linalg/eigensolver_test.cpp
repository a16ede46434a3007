#include "limber/linalg/eigensolver.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::eigensolver_test {
namespace {

struct Problem {
  SparseMatrix K, M;
};

Problem held_beam(int nx, MassKind mass = MassKind::consistent) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, nx, 2, 2);
  const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5), {mass, Executor(1)});
  return {model.stiffness(Vector::Zero(model.dof_count())), model.mass()};
}

EigenResult solve(const Problem& problem, int count, const EigenOptions& options = {}) {
  const auto solver = make_sparse_solver();
  EXPECT_TRUE(solver->factor(problem.K).ok());
  return lowest_eigenpairs(*solver, problem.M, count, 0.0, Matrix(problem.M.rows(), 0), options);
}

/// Lowest eigenvalues by LAPACK-style dense reduction: an independent path.
Vector dense_values(const Problem& problem, int count) {
  return symmetric_eigenvalues(Matrix(problem.K), Matrix(problem.M)).values.head(count);
}

TEST(LowestEigenpairs, AgreeWithADenseSolver) {
  for (const MassKind mass : {MassKind::consistent, MassKind::lumped}) {
    const Problem problem = held_beam(8, mass);
    const EigenResult result = solve(problem, 25);
    ASSERT_TRUE(result.report.ok());
    const Vector expected = dense_values(problem, 25);
    for (Index i = 0; i < 25; ++i) EXPECT_NEAR(result.values(i) / expected(i), 1.0, 1e-10) << "mode " << i;
  }
}

TEST(LowestEigenpairs, AreMassOrthonormalAndSolveTheProblem) {
  const Problem problem = held_beam(8);
  const EigenResult result = solve(problem, 20);
  const Matrix& X = result.vectors;
  EXPECT_LT((X.transpose() * (problem.M * X) - Matrix::Identity(20, 20)).norm(), 1e-11);
  const Matrix residual = problem.K * X - problem.M * X * result.values.asDiagonal();
  EXPECT_LT(residual.norm(), 1e-7 * (problem.K * X).norm());
}

TEST(LowestEigenpairs, AreAllFoundInAProblemSmallerThanItsBlocks) {
  const Problem problem = held_beam(1);  // 27 unknowns
  for (const int count : {1, 5, 27}) {
    const EigenResult result = solve(problem, count);
    ASSERT_TRUE(result.report.ok()) << count;
    const Vector expected = dense_values(problem, count);
    EXPECT_LT(((result.values - expected).array() / expected.array()).abs().maxCoeff(), 1e-9) << count;
  }
}

TEST(LowestEigenpairs, FindEveryCopyOfARepeatedEigenvalue) {
  // A square beam bends alike in y and z: pairs. Blocks find both, where a single-vector iteration may miss
  // one.
  const VolumeMesh mesh = test::unit_beam(ElementKind::brick, 8, 2, 2);
  const FullModel model(mesh, {test::material("linear")}, test::vertices_below(mesh, 0.5));
  const EigenResult result = solve({model.stiffness(Vector::Zero(model.dof_count())), model.mass()}, 2);
  EXPECT_NEAR(result.values(0) / result.values(1), 1.0, 1e-9);
}

TEST(LowestEigenpairs, AreTheSameForTheSameSeed) {
  const Problem problem = held_beam(6);
  EXPECT_EQ(solve(problem, 10).vectors, solve(problem, 10).vectors);
}

TEST(LowestEigenpairs, SayWhenTheSubspaceIsTooSmall) {
  const Problem problem = held_beam(12);
  EigenOptions options;
  options.block_size = 1;
  options.max_vectors = 4;
  options.tolerance = 1e-14;
  EXPECT_EQ(solve(problem, 3, options).report.status, SolveStatus::not_converged);
}

TEST(LowestEigenpairs, RefuseBlocksWithoutColumns) {
  EigenOptions options;
  options.block_size = 0;
  EXPECT_EQ(test::error_text([&] { (void)solve(held_beam(1), 3, options); }),
            "the eigensolver's block_size is 0, expected 1 or more");
}

TEST(LowestEigenpairs, RefuseTolerancesOutOfRange) {
  for (const double tolerance : {0.0, -1e-9, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EigenOptions options;
    options.tolerance = tolerance;
    EXPECT_EQ(
        test::error_text([&] { (void)solve(held_beam(1), 3, options); }),
        fmt::format("the eigensolver's tolerance is {}, expected more than 0 and less than 1", tolerance));
  }
}

TEST(LowestEigenpairs, RefuseStartDirectionsOfAnotherSize) {
  const Problem problem = held_beam(1);
  const auto solver = make_sparse_solver();
  ASSERT_TRUE(solver->factor(problem.K).ok());
  EXPECT_EQ(
      test::error_text([&] { (void)lowest_eigenpairs(*solver, problem.M, 3, 0.0, Matrix::Ones(26, 2)); }),
      "start directions have 26 rows, the mass matrix 27");
  EXPECT_TRUE(lowest_eigenpairs(*solver, problem.M, 3, 0.0, Matrix()).report.ok());
}

TEST(LowestEigenpairs, RefuseMoreModesThanUnknowns) { EXPECT_THROW(solve(held_beam(1), 28), Error); }

}  // namespace
}  // namespace limber::eigensolver_test
