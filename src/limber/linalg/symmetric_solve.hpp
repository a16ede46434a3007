#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// A^-1 B for a symmetric matrix that is positive or negative semidefinite, by A = P^T L D L^T P with pivots
/// (in D) of decreasing size. Directions in which A is zero to rounding get the solution zero.  A: n x n, of
/// which the lower triangle is read.  B: n x k. Cost: n^3 / 6 multiply-adds, and n^2 per column.
Matrix solve_symmetric(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B);

/// The same for the six motions of a rigid body: allocates nothing.
Eigen::Matrix<double, 6, 1> solve_symmetric6(const Eigen::Matrix<double, 6, 6>& A,
                                             const Eigen::Matrix<double, 6, 1>& b);

}  // namespace limber
