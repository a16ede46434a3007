#pragma once

#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/types.hpp"

#include <memory>
#include <string_view>

namespace limber {

/// Solves A X = B for symmetric positive definite sparse A, stored whole. Kept small so that solvers can be
/// exchanged: the supernodal part of CHOLMOD is under the GPL, and a build without it
/// (LIMBER_WITH_CHOLMOD=OFF) uses Eigen's LDL^T.
class SparseSolver {
 public:
  virtual ~SparseSolver() = default;

  /// Prepares for matrices with the pattern of A (ordering, symbolic factorisation). Values do not matter.
  virtual void analyze(const SparseMatrix& A) = 0;

  /// Takes over the values of A, which must have the analysed pattern; the first matrix is analysed where
  /// nothing was.
  virtual SolveReport factor(const SparseMatrix& A) = 0;

  /// X = A^-1 B for the last A factored. Many columns at once are ten times cheaper each than one (measured),
  /// and shared between threads; a column's bits do not depend on their number. residual: |A x - b| / |b|,
  /// largest over the columns, where the method is iterative; 0 for a factorisation.
  /// Throws Error unless B has the rows of A and X the shape of B.
  virtual SolveReport solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) = 0;

  /// Floating-point operations of one factorisation; 0 where they are not known.
  [[nodiscard]] virtual double factor_flops() const { return 0.0; }

  /// A cheap estimate of 1 / condition number, from the factor's diagonal; 1 where there is no factor.
  [[nodiscard]] virtual double reciprocal_condition() const { return 1.0; }

 protected:
  /// Throws Error unless B has that many rows and X the shape of B.
  static void check_shapes(Index unknowns, const Eigen::Ref<const Matrix>& B,
                           const Eigen::Ref<const Matrix>& X);
};

enum class SparseSolverKind {
  cholesky,            ///< sparse Cholesky factorisation
  conjugate_gradient,  ///< preconditioned by incomplete Cholesky: less memory, slow for stiff or nearly
                       ///< incompressible bodies
};

struct SparseSolverOptions {
  SparseSolverKind kind = SparseSolverKind::cholesky;
  int threads = 1;     ///< for the factorisation's matrix products and for solves of many columns
  int block_size = 3;  ///< unknowns that always come together: the ordering works on blocks
  double cg_tolerance =
      1e-10;  ///< |A x - b| / |b|: two digits below Newton's default, so that it never limits Newton
  int cg_max_iterations = 20000;  ///< a beam of 10^5 unknowns at Poisson's ratio 0.45 takes about 1,000
};

std::unique_ptr<SparseSolver> make_sparse_solver(const SparseSolverOptions& options = {});

/// Names of the factorisation in use and its ordering, for reports: "CHOLMOD supernodal, METIS".
std::string_view cholesky_backend();

}  // namespace limber
