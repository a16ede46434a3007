#include "limber/multidomain/interface_frame.hpp"

#include "limber/linalg/svd3.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/LU>

#include <cmath>

namespace limber {
namespace {

constexpr int most_iterations = 20;
constexpr double small_turn = 1e-8;  ///< rad; the next turn would be its square

/// tr(P) I - P for the symmetric part of P.
Matrix3 turning_stiffness(const Matrix3& P) {
  return P.trace() * Matrix3::Identity() - 0.5 * (P + P.transpose());
}

/// A rotation by nearly |w| radians about w, for little work: that by the angle 2 atan(|w| / 2).
Matrix3 cayley(const Vector3& w) {
  const Matrix3 half = cross_matrix(0.5 * w);
  return Matrix3::Identity() + 2.0 / (1.0 + 0.25 * w.squaredNorm()) * (half + half * half);
}

/// Whether a symmetric matrix is positive definite, by its leading minors.
bool is_positive(const Matrix3& A) {
  return A(0, 0) > 0.0 && A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0) > 0.0 && A.determinant() > 0.0;
}

}  // namespace

Matrix3 nearest_rotation(const Matrix3& A, const Matrix3& start) {
  Matrix3 R = start;
  for (int i = 0; i < most_iterations; ++i) {
    const Matrix3 P = A * R.transpose();
    const Matrix3 stiffness = turning_stiffness(P);
    if (!is_positive(stiffness)) break;
    const Vector3 turn = stiffness.inverse() * axial(P);
    R = cayley(turn) * R;
    const double squared = turn.squaredNorm();
    if (!std::isfinite(squared)) break;
    if (squared > small_turn * small_turn) continue;
    return R *
           (1.5 * Matrix3::Identity() - 0.5 * R.transpose() * R);  // rounding must not add up over many steps
  }
  return polar_decomposition(A).R;
}

Spreads spreads_of(const Matrix3& A, const Matrix3& R) {
  const auto eigen = symmetric_eigen3(turning_stiffness(A * R.transpose()));
  return {eigen.values, eigen.vectors};
}

PolarRates::PolarRates(const Matrix3& A, const Matrix3& R, double least, double narrow)
    : Rt_(R.transpose()), P_(A * Rt_) {
  const Matrix3 stiffness = turning_stiffness(P_);
  if (narrow <= 0.0 || is_positive(stiffness - narrow * Matrix3::Identity())) {
    inverse_ = stiffness.inverse();
    return;
  }
  const auto eigen = symmetric_eigen3(stiffness);
  narrow_ = true;
  bounded_ = eigen.values(0) < least;
  inverse_ =
      eigen.vectors * eigen.values.cwiseMax(least).cwiseInverse().asDiagonal() * eigen.vectors.transpose();
}

Vector3 PolarRates::acceleration(const Matrix3& A1, const Matrix3& A2, const Vector3& w) const {
  const Matrix3 turning = cross_matrix(w), A1R = A1 * Rt_;
  const Matrix3 P1 = A1R - P_ * turning;
  return inverse_ * (axial(A2 * Rt_ - A1R * turning) - P1.trace() * w + P1 * w);
}

Eigen::Matrix<double, 3, 9> PolarRates::velocity_matrix() const {
  // Column c of A' adds A'_c R_c^T to A' R^T, whose axial vector is R_c cross A'_c.
  Eigen::Matrix<double, 3, 9> T;
  for (int c = 0; c < 3; ++c) T.block<3, 3>(0, 3 * c) = inverse_ * cross_matrix(Rt_.row(c).transpose());
  return T;
}

}  // namespace limber
