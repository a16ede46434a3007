#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// C += alpha A^T A, its lower triangle only.  A: k x n, C: n x n.  Cost k n^2 flops.
/// By OpenBLAS where it is loaded (CHOLMOD brings it along), else by Eigen: that reaches four fifths of its
/// speed, and many times that of the reference BLAS. Runs on the calling thread once start_rank_updates() was
/// called; may then be called from several threads at once.
void add_rank_update(double alpha, const Eigen::Ref<const Matrix>& A, Eigen::Ref<Matrix> C);

/// The same by Eigen alone.
void add_rank_update_by_eigen(double alpha, const Eigen::Ref<const Matrix>& A, Eigen::Ref<Matrix> C);

/// Picks fast BLAS kernels and one thread for each call: before threads of one's own call add_rank_update.
void start_rank_updates();

}  // namespace limber
