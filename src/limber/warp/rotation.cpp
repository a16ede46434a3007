#include "limber/warp/rotation.hpp"

#include <numbers>

namespace limber {
namespace {

constexpr double full_turn = 2.0 * std::numbers::pi;

/// Half an angle, rad, below which a rotation has no axis of its own: what rounding leaves of a quaternion
/// that stands for none.
constexpr double no_axis = 1e-12;

/// I + a [w] + b [w]^2.
Matrix3 polynomial(double a, double b, const Vector3& w) {
  const Matrix3 W = cross_matrix(w);
  return Matrix3::Identity() + a * W + b * (W * W);
}

}  // namespace

RotationSlopes rotation_slopes(double x, const RotationFactors<double>& factors) {
  if (x < 4.0) {
    // Term by term. Below it is the sum of k (-x)^(k-1) n! / (n + 2k)! over k >= 1, scaled to start with 1;
    // twelve terms do.
    const auto series = [x](int n) {
      double sum = 1.0;
      for (int k = 12; k >= 1; --k)
        sum = 1.0 - x * sum * (k + 1) / (k * (n + 2.0 * k + 1) * (n + 2.0 * k + 2));
      return sum;
    };
    const auto second_series = [x](int n) {
      double sum = 1.0;
      for (int k = 13; k >= 2; --k)
        sum = 1.0 - x * sum * (k + 1) / ((k - 1) * (n + 2.0 * k + 1) * (n + 2.0 * k + 2));
      return sum;
    };
    return {-series(2) / 24.0, -series(3) / 120.0, second_series(2) / 360.0, second_series(3) / 2520.0};
  }
  RotationSlopes result{(factors.sine - 2.0 * factors.cosine) / (2.0 * x),
                        (factors.cosine - 3.0 * factors.mean) / (2.0 * x), 0.0, 0.0};
  const double sine_slope = -factors.mean - x * result.mean;  // of s = 1 - x e
  result.cosine_twice = (sine_slope - 4.0 * result.cosine) / (2.0 * x);
  result.mean_twice = (result.cosine - 5.0 * result.mean) / (2.0 * x);
  return result;
}

Matrix3 rotation_matrix(const Vector3& w) {
  const RotationFactors<double> factors = rotation_factors(w.squaredNorm());
  return polynomial(factors.sine, factors.cosine, w);
}

Matrix3 mean_rotation(const Vector3& w) {
  const RotationFactors<double> factors = rotation_factors(w.squaredNorm());
  return polynomial(factors.cosine, factors.mean, w);
}

Matrix3 mean_rotation_derivative(const Vector3& w, const Vector3& x) {
  const RotationFactors<double> factors = rotation_factors(w.squaredNorm());
  const RotationSlopes slopes = rotation_slopes(w.squaredNorm(), factors);
  // d(w x x) = -[x] dw, and d(w x (w x x)) = d(w (w.x) - x (w.w)) = (w.x + w x^T - 2 x w^T) dw.
  const Vector3 once = w.cross(x), twice = w.cross(once);
  return -factors.cosine * cross_matrix(x) +
         factors.mean * (w.dot(x) * Matrix3::Identity() + w * x.transpose() - 2.0 * x * w.transpose()) +
         (slopes.cosine * once + slopes.mean * twice) * (2.0 * w.transpose());
}

Matrix3 mean_rotation_curvature(const Vector3& w, const Vector3& x, const Vector3& a) {
  // a . R~ x = a.x + c B + e C  with  B = w . (x cross a),  C = (a.w) (w.x) - (a.x) (w.w).
  const RotationFactors<double> factors = rotation_factors(w.squaredNorm());
  const RotationSlopes slopes = rotation_slopes(w.squaredNorm(), factors);
  const Vector3 dB = x.cross(a), dC = w.dot(x) * a + a.dot(w) * x - 2.0 * a.dot(x) * w;
  const double B = w.dot(dB), C = a.dot(w) * w.dot(x) - a.dot(x) * w.squaredNorm();
  const Matrix3 mixed = w * (slopes.cosine * dB + slopes.mean * dC).transpose();
  const Matrix3 ax = a * x.transpose();
  return factors.mean * (ax + ax.transpose() - 2.0 * a.dot(x) * Matrix3::Identity()) +
         2.0 * (mixed + mixed.transpose() + (slopes.cosine * B + slopes.mean * C) * Matrix3::Identity()) +
         4.0 * (slopes.cosine_twice * B + slopes.mean_twice * C) * (w * w.transpose());
}

Eigen::Quaterniond rotation_between(const Vector3& from, const Vector3& to) {
  const Vector3 a = from.normalized(), b = to.normalized();
  // The sum of the two lies on the axis of a half turn that swaps them: the product of two half turns is the
  // rotation. Where they are nearly opposite it is short, and rounding decides its direction.
  constexpr double shortest = 1e-8;
  const Vector3 middle = a + b;
  if (middle.norm() < shortest) {
    const Vector3 axis = a.unitOrthogonal();
    return {0.0, axis.x(), axis.y(), axis.z()};
  }
  const Vector3 half = middle.normalized(), axis = a.cross(half);
  return {a.dot(half), axis.x(), axis.y(), axis.z()};
}

Vector3 rotation_vector(const Eigen::Quaterniond& rotation) {
  const double sign = rotation.w() < 0.0 ? -1.0 : 1.0;
  const Vector3 v = sign * rotation.vec();
  const double sine = v.norm();
  return sine > 0.0 ? Vector3(2.0 * std::atan2(sine, sign * rotation.w()) / sine * v) : Vector3(2.0 * v);
}

Vector3 nearest_rotation_vector(const Eigen::Quaterniond& rotation, const Vector3& near) {
  const Vector3 w = rotation_vector(rotation);
  const double angle = w.norm(), distance = near.norm();
  if (angle < 2.0 * no_axis) {
    // Whole turns about any axis are the same rotation: that of `near` is the nearest. About it w matters
    // only along the axis.
    const double turns = std::round(distance / full_turn);
    if (turns == 0.0) return w;
    const Vector3 axis = near / distance;
    return (turns * full_turn + w.dot(axis)) * axis;
  }
  const Vector3 axis = w / angle;
  return (angle + full_turn * std::round((near.dot(axis) - angle) / full_turn)) * axis;
}

}  // namespace limber
