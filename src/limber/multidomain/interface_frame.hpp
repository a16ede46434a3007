#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// (Y_zy - Y_yz, Y_xz - Y_zx, Y_yx - Y_xy): the vector t with [t] = Y - Y^T. That of U x^T is x cross U.
inline Vector3 axial(const Matrix3& Y) { return {Y(2, 1) - Y(1, 2), Y(0, 2) - Y(2, 0), Y(1, 0) - Y(0, 1)}; }

/// The rotation R nearest to A, in A = R S with S symmetric, for a matrix that is singular as well, as those
/// of planar interfaces are: then the one without reflection. It is sought near `start`, by Newton's
/// iteration on the rotation group; where that leads nowhere, by the SVD. S may have one eigenvalue that is
/// zero or negative, as long as the sum of any two is positive.
Matrix3 nearest_rotation(const Matrix3& A, const Matrix3& start);

/// How far an interface is spread across three axes: the eigenvalues of tr(P) I - P, ascending, with the left
/// stretch P = A R^T. That across the axis e changes with A by (I - e e^T) R.
struct Spreads {
  Vector3 values;  ///< in the unit of A
  Matrix3 axes;    ///< by columns
};
Spreads spreads_of(const Matrix3& A, const Matrix3& R);

/// How the rotation of a polar decomposition A(t) = R S moves: R' = [w] R. [Barbic & Zhao 2011, Eq. 7-9,
/// Appendix A]
///
/// In the axes in which R turns, with the left stretch P = A R^T = R S R^T in place of S:
///
///   (tr(P) I - P) w  = axial(A' R^T)
///   (tr(P) I - P) w' = axial(A'' R^T - A' R^T [w]) - (tr(P') I - P') w,       P' = A' R^T - P [w]
///
/// The matrix on the left is regular where the sum of any two eigenvalues of P is not zero: for planar
/// interfaces too, which have one that is zero.
class PolarRates {
 public:
  /// R: the rotation of A.  least: eigenvalues of the matrix on the left that are less are taken to be that,
  /// lest an interface that is crushed to a line turns infinitely fast.  narrow: at least that; it is told
  /// whether one is less.
  PolarRates(const Matrix3& A, const Matrix3& R, double least = 0.0, double narrow = 0.0);

  [[nodiscard]] bool narrow() const { return narrow_; }
  [[nodiscard]] bool bounded() const { return bounded_; }  ///< whether one is less than the least

  [[nodiscard]] Vector3 velocity(const Matrix3& A1) const { return inverse_ * axial(A1 * Rt_); }
  /// w' for the first and second derivative of A, w = velocity(A1).
  [[nodiscard]] Vector3 acceleration(const Matrix3& A1, const Matrix3& A2, const Vector3& w) const;

  /// velocity() as a 3 x 9 matrix that takes A' by columns.
  [[nodiscard]] Eigen::Matrix<double, 3, 9> velocity_matrix() const;

 private:
  Matrix3 Rt_, P_, inverse_;
  bool narrow_ = false, bounded_ = false;
};

}  // namespace limber
