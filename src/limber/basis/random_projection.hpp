#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/types.hpp"

#include <cstdint>

namespace limber {

/// samples * R, n x rank, with random entries +sqrt(3), 0, -sqrt(3) of probability 1/6, 4/6, 1/6 in R.
///                                                        [Yang et al. 2015, Eq. 10; Achlioptas 2001]
/// In the place of mass-PCA where there are many samples: only as many additions as a third of a matrix
/// product, but no guarantee that the most important directions are kept, and no orthonormal vectors.
/// samples: n x s, scaled by importance.  rank: 1 or more; the samples themselves come back where it is s or
/// more. Columns of R that are zero are drawn again.  The same seed gives the same bits, for any number of
/// threads; a lower rank gives the first columns.
Matrix random_projection(const Eigen::Ref<const Matrix>& samples, Index rank, std::uint64_t seed = 1,
                         const Executor& executor = Executor(1));

}  // namespace limber
