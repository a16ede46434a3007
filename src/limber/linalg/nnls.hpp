#pragma once

#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

struct NnlsOptions {
  /// Stop at the first support on which |A x - b| <= residual |b|; 0: go on to the optimum. From normal
  /// equations alone no residual below 1e-7 can be told from zero: asked for less, the solver goes on to the
  /// optimum.
  double residual = 0.0;
  Index max_nonzeros = -1;  ///< stop when so many entries are positive, never more are; -1: no limit
  /// A column may enter only if its slope a_j . (b - A x) is above this share of |a_j| |b|.
  double optimality = 1e-10;
  int max_iterations = -1;  ///< entries that enter, in all; -1: 3 per column and 100 more
};

struct NnlsResult {
  Vector x;                    ///< n, >= 0
  std::vector<Index> support;  ///< positive entries, in the order in which they entered
  double residual = 0.0;       ///< |A x - b| / |b|; 0 where b is zero
  SolveReport report;  ///< iterations: entries that entered. not_converged where max_iterations ended it
};

/// The normal equations of  min |A x - b|: all that non-negative least squares needs of A and b, so that rows
/// can be added one batch after the other and forgotten.
struct NormalEquations {
  Matrix gram;             ///< A^T A, n x n, both triangles
  Vector projection;       ///< A^T b, n
  double target_sq = 0.0;  ///< |b|^2

  NormalEquations() = default;
  explicit NormalEquations(Index columns);

  /// Adds rows: A is m x n, b has m entries.  Cost O(m n^2), in matrix products; see start_rank_updates()
  /// (rank_update.hpp) before several threads do so at once.
  void add_rows(const Eigen::Ref<const Matrix>& A, const VectorRef& b);
};

/// min |A x - b| over x >= 0, by the active-set method of Lawson & Hanson (1974) on the normal equations [Bro
/// & de Jong 1997], with a Cholesky factor of the positive entries that grows by rows when some enter and is
/// repaired by rotations when one leaves.
///
/// At the optimum the slopes a_j . (b - A x) are zero where x_j > 0 and at most optimality |a_j| |b|
/// elsewhere. Lengths of columns and of b do not matter (between 1e-145 and 1e150; what is shorter counts as
/// zero). Among equal slopes the smaller index enters. A column that adds less than 1e-7 of its length to the
/// span of the support does not enter.
///
/// start: where to begin (its positive entries are tried as the support at once), or empty: at zero.
/// The residual is known to about 1e-7 of |b| from the normal equations, or of the a_j x_j where those are
/// longer.
/// Cost O(n k) for each of some k / 5 passes, and O(k^2) for each entry that enters or leaves, k: positive
/// entries.
NnlsResult solve_nnls(const NormalEquations& problem, const NnlsOptions& options = {},
                      const Vector& start = {});

/// The same from the matrix, A: m x n: afterwards x is refined on its support with slopes computed from A, to
/// the digits that a QR factorisation gives, unless that would make an entry negative. residual in the result
/// is computed from A, and any can be asked for.
NnlsResult solve_nnls(const Eigen::Ref<const Matrix>& A, const VectorRef& b, const NnlsOptions& options = {},
                      const Vector& start = {});

}  // namespace limber
