#pragma once

#include "limber/base/executor.hpp"
#include "limber/base/progress.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/sparse_solver.hpp"
#include "limber/linalg/types.hpp"

#include <cstdint>

namespace limber {

struct EigenOptions {
  int block_size = 16;  ///< vectors per solve: a factor is read once for them all
  double tolerance =
      1e-9;  ///< |residual| of each Ritz pair relative to it; the eigenvalue's own error is its square
  int max_vectors = 1200;  ///< largest subspace kept in memory
  std::uint64_t seed = 1;  ///< of the random part of the start block
  Progress progress{};
  Executor executor{1};  ///< for the products; the solver has threads of its own
};

struct EigenResult {
  Vector values;   ///< count, ascending
  Matrix vectors;  ///< n x count, M-orthonormal: X^T M X = I
  SolveReport report;
};

/// The `count` lowest eigenpairs of K x = lambda M x, by block Lanczos on (K - shift M)^-1 M in the M inner
/// product, with full reorthogonalisation. M: symmetric, positive definite. solver: has factored K - shift M,
/// with shift below all eigenvalues; or it solves in the complement of some directions, as RestStiffness
/// does, whose eigenvalues are then left out.  start: n x k (k may be 0), directions thought to be rich in
/// low modes, such as the rigid motions; random vectors fill up the block. Cost: about (2 to 4) count /
/// block_size block solves, O(n k^2) for a subspace of size k. residual in the report: the largest relative
/// residual among the pairs returned.
/// Throws Error for a count, a start or options that do not fit.
EigenResult lowest_eigenpairs(SparseSolver& solver, const SparseMatrix& M, int count, double shift,
                              const Eigen::Ref<const Matrix>& start, const EigenOptions& options = {});

}  // namespace limber
