#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// A pseudo-inverse that stays bounded: singular values s below s_0 = singular_share * scale are damped,
///   1/s  ->  (s / s_0)^3 / s_0,
/// which is continuous and lets rounding errors vanish; the others, and with them all that can be reached,
/// are inverted exactly. In the manner of [Nakamura & Hanafusa 1986]
struct DampedInverse {
  Matrix inverse;    ///< n x rows of A
  Matrix row_space;  ///< n x k, orthonormal: the directions of singular values that are not damped

  static constexpr double singular_share = 1e-6;  ///< forces a million times those of the easiest direction
};

/// A: rows x n.  scale: that singular values are compared with, e.g. |A|. Cost O(rows^2 n).
DampedInverse damped_inverse(const Matrix& A, double scale);

/// The inverse of two tasks A_1 x = b_1 and A_2 x = b_2, of which the first is met first and the second as
/// well as is possible then:
///   x = A_1^+ b_1 + [A_2 (I - A_1^+ A_1)]^+ (b_2 - A_2 A_1^+ b_1).              [Choi & Ko 2005, Eq. 29]
/// Returns the matrix n x (rows_1 + rows_2) that makes x of b_1 above b_2. Either may have no rows.
Matrix prioritized_inverse(const Matrix& first, const Matrix& second);

}  // namespace limber
