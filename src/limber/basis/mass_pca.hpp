#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// X = Q R with Q^T M Q = I. Columns of X that depend on earlier ones (to `tolerance` of their own length)
/// add nothing to Q.
struct MassQr {
  Matrix Q;  ///< n x k, k at most n and at most the columns of X
  Matrix R;  ///< k x columns
};

/// By block Gram-Schmidt in the inner product of M, in two passes (MassBasis), so that Q is orthonormal to
/// 1e-12. X: n x s.  Cost O(n s^2).
MassQr mass_orthonormalize(const Eigen::Ref<const Matrix>& X, const SparseMatrix& M, double tolerance = 1e-12,
                           const Executor& executor = Executor(1));

struct MassPca {
  Matrix basis;            ///< n x r, mass-orthonormal to 1e-12, the most important direction first
  Vector singular_values;  ///< min(n, s) of all samples, descending: sqrt(kg) times their unit
};

/// The r-dimensional subspace nearest to all samples in the mass metric. [Barbic & James 2005, Appendix A]
/// samples: n x s, displacements that may be scaled by their importance.  rank: at most; fewer where the
/// samples span less: directions with singular values below 1e-10 of the largest are left out of the basis.
/// The singular values come from the triangular factor R of a mass-orthonormalisation, not from the Gram
/// matrix X^T M X, which would lose those below 1e-8 of the largest.
/// Cost with k = min(n, s), the most that they can span: O(n s k), and memory for 2 n k + O(s k) numbers
/// beside the samples.
MassPca mass_pca(const Eigen::Ref<const Matrix>& samples, const SparseMatrix& M, Index rank,
                 const Executor& executor = Executor(1));

/// Samples of one source.
struct WeightedSamples {
  Matrix samples;       ///< n x s
  double weight = 1.0;  ///< importance of this source next to the others
};

/// Joins samples of several sources, each scaled so that its largest column has mass-norm 1, times its
/// weight. sources: each is freed once it is copied, as samples may fill a good part of the memory.
Matrix mix_samples(std::vector<WeightedSamples> sources, const SparseMatrix& M);

}  // namespace limber
