#include "limber/linalg/svd3.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace limber {
namespace {

constexpr int max_sweeps = 20;  ///< quadratic convergence: 4 to 6 sweeps are usual

/// Rotates columns p and q of W (and of V) so that those of W become orthogonal. Returns whether they were
/// not.
bool rotate_columns(Matrix3& W, Matrix3& V, int p, int q) {
  const double a = W.col(p).squaredNorm();
  const double b = W.col(q).squaredNorm();
  const double c = W.col(p).dot(W.col(q));
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  if (c * c <= epsilon * epsilon * a * b) return false;
  const double zeta = (b - a) / (2.0 * c);  // infinite where c underflows: then t = 0
  const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
  const double cosine = 1.0 / std::sqrt(1.0 + t * t);
  const double sine = cosine * t;
  for (Matrix3* X : {&W, &V}) {
    const Vector3 xp = X->col(p);
    X->col(p) = cosine * xp - sine * X->col(q);
    X->col(q) = sine * xp + cosine * X->col(q);
  }
  return true;
}

}  // namespace

RotationSvd rotation_svd(const Matrix3& F) {
  const double scale = F.cwiseAbs().maxCoeff();
  if (!(scale > 0.0)) return {Matrix3::Identity(), Vector3::Zero(), Matrix3::Identity()};
  Matrix3 W = F / scale;  // squares of tiny or huge entries must not leave the range of double
  Matrix3 V = Matrix3::Identity();
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool rotated = rotate_columns(W, V, 0, 1);
    rotated |= rotate_columns(W, V, 0, 2);
    rotated |= rotate_columns(W, V, 1, 2);
    if (!rotated) break;
  }

  Vector3 sigma = W.colwise().norm();
  const auto order = [&](int i, int j) {  // swap columns, flipping one to keep det V = +1
    if (sigma(i) >= sigma(j)) return;
    std::swap(sigma(i), sigma(j));
    W.col(i).swap(W.col(j));
    V.col(i).swap(V.col(j));
    W.col(j) *= -1.0;
    V.col(j) *= -1.0;
  };
  order(0, 1);
  order(0, 2);
  order(1, 2);

  Matrix3 U;
  U.col(0) = W.col(0) / sigma(0);
  // A column of zeros (or next to it) has no direction of its own: complete the frame instead.
  const double negligible = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  U.col(1) = sigma(1) > negligible ? Vector3(W.col(1) / sigma(1)) : Vector3(U.col(0).unitOrthogonal());
  U.col(1) = (U.col(1) - U.col(0) * U.col(0).dot(U.col(1))).normalized();
  U.col(2) = U.col(0).cross(U.col(1));
  sigma(2) = U.col(2).dot(W.col(2));  // carries the sign of det F
  return {U, sigma * scale, V};
}

PolarDecomposition polar_decomposition(const Matrix3& F) {
  const RotationSvd svd = rotation_svd(F);
  return {svd.U * svd.V.transpose(), svd.V * svd.sigma.asDiagonal() * svd.V.transpose()};
}

}  // namespace limber
