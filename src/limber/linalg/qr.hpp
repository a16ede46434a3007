#pragma once

#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

// What Householder's reflections give of A = Q R.  A: m x n.  Cost: about 2 m n^2.

/// Q, m x min(m, n): orthonormal columns that span those of A.
Matrix orthonormal_columns(const Eigen::Ref<const Matrix>& A);

/// The columns of A in the order in which pivoting takes them: each is the one farthest from the span of
/// those before it.
std::vector<Index> pivot_columns(const Eigen::Ref<const Matrix>& A);

/// The X (n x k) that makes |A X - B| smallest, of those the one of smallest norm. A may be of any rank;
/// columns that depend on others to rounding count as dependent.  B: m x k.
Matrix solve_least_squares(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B);

}  // namespace limber
