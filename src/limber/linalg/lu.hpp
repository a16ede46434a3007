#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// A^-1 B for any regular matrix, by Gaussian elimination with pivots chosen in columns.  A: n x n.  B: n x
/// k. Cost: n^3 / 3 multiply-adds, and n^2 per column. Not finite where A is singular.
Matrix solve_general(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B);

}  // namespace limber
