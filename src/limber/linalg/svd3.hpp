#pragma once

#include "limber/linalg/small.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// F = U diag(sigma) V^T with rotations U and V (determinant +1) and sigma_1 >= sigma_2 >= |sigma_3|.
/// An inverted F shows as a negative sigma_3.                                   [Irving, Teran & Fedkiw 2004,
/// section 4]
struct RotationSvd {
  Matrix3 U;
  Vector3 sigma;
  Matrix3 V;
};

/// Defined for every finite F, singular ones and zero included. One-sided Jacobi iteration: every singular
/// value comes out to nearly full relative accuracy, which the eigenvalues of F^T F would not give.
RotationSvd rotation_svd(const Matrix3& F);

/// F = R S with the rotation R nearest to F and S symmetric (indefinite where F is inverted).
struct PolarDecomposition {
  Matrix3 R;
  Matrix3 S;
};
PolarDecomposition polar_decomposition(const Matrix3& F);

}  // namespace limber
