#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// Cholesky's factor of a symmetric positive definite matrix,
///
///   A = L L^T,     A: n x n,     L: lower triangular.
///
/// Cost: n^3 / 6 multiply-adds, and n^2 per right-hand side. Once it has held a matrix of this size nothing
/// is allocated.
class Cholesky {
 public:
  Cholesky() = default;  ///< of the matrix without rows
  explicit Cholesky(const Eigen::Ref<const Matrix>& A) { compute(A); }

  /// Reads the lower triangle alone. Returns ok().
  bool compute(const Eigen::Ref<const Matrix>& A);
  /// Whether A is positive definite to rounding and all of its numbers are finite. What follows is for such
  /// matrices alone.
  [[nodiscard]] bool ok() const { return ok_; }

  /// A^-1 B.  B: n x k.
  [[nodiscard]] Matrix solve(const Eigen::Ref<const Matrix>& B) const;
  void solve_in_place(Eigen::Ref<Matrix> B) const;  ///< allocates nothing for one column
  [[nodiscard]] Matrix solve_lower(const Eigen::Ref<const Matrix>& B) const;  ///< L^-1 B
  [[nodiscard]] Matrix solve_upper(const Eigen::Ref<const Matrix>& B) const;  ///< L^-T B
  [[nodiscard]] Matrix lower() const;                                         ///< L

 private:
  Matrix factor_;  ///< L; above its diagonal stands A
  bool ok_ = true;
};

}  // namespace limber
