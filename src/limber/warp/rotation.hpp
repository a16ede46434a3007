#pragma once

#include "limber/linalg/types.hpp"

#include <Eigen/Geometry>

#include <cmath>

namespace limber {

// Rotations as rotation vectors w: by |w| radians about w. With [w] x = w cross x and t = |w|,
//
//   R(w)  = I + s [w] + c [w]^2,                 s = sin t / t,  c = (1 - cos t) / t^2,
//   R~(w) = integral of R(x w) over x from 0 to 1
//         = I + c [w] + e [w]^2,                 e = (t - sin t) / t^3.           [Choi & Ko 2005, Appendix II]
//
// R~ is also the left Jacobian of the rotation group: R(w + dw) = R(R~(w) dw) R(w) to first order. It is
// invertible for t < 2 pi.

/// s, c and e as above, to rounding for every t: by series below t = 2, where the formulas cancel.
template <class Scalar>
struct RotationFactors {
  Scalar sine, cosine, mean;
};

/// squared: t^2. For float and double.
template <class Scalar>
RotationFactors<Scalar> rotation_factors(Scalar squared) {
  using std::sin, std::sqrt;
  if (squared < Scalar(4)) {
    // 1 - x/(n (n+1)) (1 - x/((n+2) (n+3)) (...)); what comes after ten terms is below 2^-54 of the sum.
    const auto series = [x = squared](int n) {
      Scalar sum = 1;
      for (int k = n + 18; k >= n; k -= 2) sum = 1 - x * sum * (1 / Scalar(k * (k + 1)));
      return sum;
    };
    const Scalar mean = series(4) / 6;
    return {1 - squared * mean, series(3) / 2, mean};
  }
  const Scalar t = sqrt(squared), half = sin(t / 2);
  return {sin(t) / t, 2 * half * half / squared, (t - sin(t)) / (t * squared)};
}

/// Derivatives of c and e by t^2, the first and the second ones.
struct RotationSlopes {
  double cosine, mean;
  double cosine_twice, mean_twice;
};

/// x: t^2.  factors: at it.
RotationSlopes rotation_slopes(double x, const RotationFactors<double>& factors);

/// [w]: its product with x is w cross x.
inline Matrix3 cross_matrix(const Vector3& w) {
  Matrix3 m;
  m << 0.0, -w.z(), w.y(), w.z(), 0.0, -w.x(), -w.y(), w.x(), 0.0;
  return m;
}

/// R(w).
Matrix3 rotation_matrix(const Vector3& w);
/// R~(w).
Matrix3 mean_rotation(const Vector3& w);
/// d(R~(w) x)/dw, 3 x 3.
Matrix3 mean_rotation_derivative(const Vector3& w, const Vector3& x);
/// Second derivative of a . R~(w) x by w, 3 x 3.
Matrix3 mean_rotation_curvature(const Vector3& w, const Vector3& x, const Vector3& a);

/// Whether a quaternion has unit length to 1e-6, as text files and floats round it; false for what is not
/// finite.
inline bool is_unit(const Eigen::Quaterniond& rotation) { return std::abs(rotation.norm() - 1.0) <= 1e-6; }

/// The rotation about an axis across both that turns one direction to another; of opposite ones, a half turn
/// about any axis across them. Neither is zero. (Eigen's FromTwoVectors() does the same by a singular value
/// decomposition, which takes seconds to compile.)
Eigen::Quaterniond rotation_between(const Vector3& from, const Vector3& to);

/// The rotation vector of a unit quaternion, of at most pi radians.
Vector3 rotation_vector(const Eigen::Quaterniond& rotation);
/// Of all rotation vectors of this rotation (they differ by whole turns about its axis) the one nearest to
/// `near`: a target that is turned on and on stays continuous.
Vector3 nearest_rotation_vector(const Eigen::Quaterniond& rotation, const Vector3& near);

}  // namespace limber
