#include "limber/linalg/sparse_solver.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/cholmod_solver.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCholesky>

#include <algorithm>

namespace limber {
namespace {

/// Preconditioned conjugate gradients, one column at a time.
class ConjugateGradientSolver final : public SparseSolver {
 public:
  explicit ConjugateGradientSolver(const SparseSolverOptions& options) : options_(options) {
    solver_.setTolerance(options.cg_tolerance);
    solver_.setMaxIterations(options.cg_max_iterations);
  }

  void analyze(const SparseMatrix& A) override { solver_.analyzePattern(A); }

  SolveReport factor(const SparseMatrix& A) override {
    A_ = A;  // the iteration multiplies by A; the caller may reuse its storage
    solver_.compute(A_);
    return {solver_.info() == Eigen::Success ? SolveStatus::converged : SolveStatus::not_positive_definite, 0,
            0.0};
  }

  SolveReport solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    check_shapes(A_.rows(), B, X);
    SolveReport report;
    for (Index column = 0; column < B.cols(); ++column) {
      X.col(column) = solver_.solve(B.col(column));
      report.iterations = std::max(report.iterations, static_cast<int>(solver_.iterations()));
      report.residual = std::max(report.residual, solver_.error());
    }
    if (!X.allFinite()) {
      report.status = SolveStatus::not_finite;
    } else if (report.residual > options_.cg_tolerance) {
      report.status = SolveStatus::not_converged;
    }
    return report;
  }

 private:
  SparseSolverOptions options_;
  SparseMatrix A_;
  Eigen::ConjugateGradient<SparseMatrix, Eigen::Lower | Eigen::Upper, Eigen::IncompleteCholesky<double>>
      solver_;
};

#ifndef LIMBER_WITH_CHOLMOD
/// Eigen's simplicial LDL^T: no dense kernels, much slower on large meshes, but free of the GPL.
class SimplicialSolver final : public SparseSolver {
 public:
  void analyze(const SparseMatrix& A) override {
    solver_.analyzePattern(A);
    analyzed_ = true;
  }

  SolveReport factor(const SparseMatrix& A) override {
    if (!analyzed_) analyze(A);
    solver_.factorize(A);
    const bool positive = solver_.info() == Eigen::Success && solver_.vectorD().minCoeff() > 0.0;
    return {positive ? SolveStatus::converged : SolveStatus::not_positive_definite, 0, 0.0};
  }

  SolveReport solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    check_shapes(solver_.rows(), B, X);
    X = solver_.solve(B);
    return {X.allFinite() ? SolveStatus::converged : SolveStatus::not_finite, 1, 0.0};
  }

  double reciprocal_condition() const override {
    return solver_.vectorD().cwiseAbs().minCoeff() / solver_.vectorD().cwiseAbs().maxCoeff();
  }

 private:
  bool analyzed_ = false;
  Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower> solver_;
};
#endif

}  // namespace

void SparseSolver::check_shapes(Index unknowns, const Eigen::Ref<const Matrix>& B,
                                const Eigen::Ref<const Matrix>& X) {
  require(B.rows() == unknowns, "right-hand side has {} rows, the matrix {}", B.rows(), unknowns);
  require(X.rows() == B.rows() && X.cols() == B.cols(),
          "the solution has room for {} x {} numbers, expected {} x {} as the right-hand side", X.rows(),
          X.cols(), B.rows(), B.cols());
}

std::unique_ptr<SparseSolver> make_sparse_solver(const SparseSolverOptions& options) {
  if (options.kind == SparseSolverKind::conjugate_gradient)
    return std::make_unique<ConjugateGradientSolver>(options);
#ifdef LIMBER_WITH_CHOLMOD
  return make_cholmod_solver(options);
#else
  return std::make_unique<SimplicialSolver>();
#endif
}

std::string_view cholesky_backend() {
#ifdef LIMBER_WITH_CHOLMOD
  return "CHOLMOD supernodal, METIS on vertices";
#else
  return "Eigen simplicial LDL^T, AMD";
#endif
}

}  // namespace limber
