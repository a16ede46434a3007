#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// Largest entry of |U^T M U - I|: 0 for a mass-orthonormal basis.
double orthonormality_error(const Eigen::Ref<const Matrix>& U, const SparseMatrix& M,
                            const Executor& executor = Executor(1));

/// Angle between each vector and the span of U in the mass metric, radians: 0 where U holds it, pi/2 where it
/// knows nothing of it.
/// vectors: n x k, of any length but 0.  U: n x r, of any lengths and angles.  Accurate for small angles too,
/// down to 1e-15: from the length of what is left, not from the cosine.  Cost O(n r (r + k)).
Vector subspace_angles(const Eigen::Ref<const Matrix>& U, const Eigen::Ref<const Matrix>& vectors,
                       const SparseMatrix& M, const Executor& executor = Executor(1));

/// How much of some samples a basis misses: sqrt(sum of |x - P x|^2 / sum of |x|^2), mass-norms, P the
/// projection onto the span of U.                                            [Yang et al. 2015, Figure 11]
double projection_error(const Eigen::Ref<const Matrix>& U, const Eigen::Ref<const Matrix>& samples,
                        const SparseMatrix& M, const Executor& executor = Executor(1));

}  // namespace limber
