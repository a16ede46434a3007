#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// A pseudo-inverse that stays bounded: singular values s below s_0 = singular_share * scale are damped,
///   1/s  ->  (s / s_0)^3 / s_0,
/// which is continuous and lets rounding errors vanish; the others, and with them all that can be reached,
/// are inverted exactly. In the manner of [Nakamura & Hanafusa 1986]
class DampedInverse {
 public:
  static constexpr double singular_share = 1e-6;  ///< forces a million times those of the easiest direction

  /// A: rows x n.  scale: that singular values are compared with, e.g. |A|. Cost O(rows^2 n). Allocates
  /// nothing where the one before was of the same size.
  void compute(const Eigen::Ref<const Matrix>& A, double scale);

  [[nodiscard]] const Matrix& inverse() const { return inverse_; }  ///< n x rows of A
  /// n x k, orthonormal: the directions of singular values that are not damped.
  [[nodiscard]] auto row_space() const { return row_space_.leftCols(kept_); }

 private:
  Matrix inverse_, row_space_;
  Index kept_ = 0;
  Matrix turned_, turns_;  ///< memory
};

/// The inverse of two tasks A_1 x = b_1 and A_2 x = b_2, of which the first is met first and the second as
/// well as is possible then:
///   x = A_1^+ b_1 + [A_2 (I - A_1^+ A_1)]^+ (b_2 - A_2 A_1^+ b_1).              [Choi & Ko 2005, Eq. 29]
class PrioritizedInverse {
 public:
  /// Returns the matrix n x (rows_1 + rows_2) that makes x of b_1 above b_2; it is this object's. Either may
  /// have no rows. Allocates nothing where the one before was of the same size.
  const Matrix& compute(const Eigen::Ref<const Matrix>& first, const Eigen::Ref<const Matrix>& second);

 private:
  DampedInverse one_, two_;
  Matrix result_;
  Matrix rest_, shares_, within_, product_;  ///< memory
};

}  // namespace limber
