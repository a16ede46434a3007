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
  if (std::abs(c) <= std::numeric_limits<double>::epsilon() * std::sqrt(a * b) || c == 0.0) return false;
  const double zeta = (b - a) / (2.0 * c);
  const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
  const double cosine = 1.0 / std::hypot(1.0, t);
  const double sine = cosine * t;
  for (Matrix3* X : {&W, &V}) {
    const Vector3 xp = X->col(p);
    X->col(p) = cosine * xp - sine * X->col(q);
    X->col(q) = sine * xp + cosine * X->col(q);
  }
  return true;
}

/// A unit vector orthogonal to the unit vector n.
Vector3 any_orthogonal(const Vector3& n) { return n.unitOrthogonal(); }

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
  // A singular value at the level of rounding has no direction of its own: complete the frame instead.
  const double negligible = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  U.col(1) = sigma(1) > negligible ? Vector3(W.col(1) / sigma(1)) : any_orthogonal(U.col(0));
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
