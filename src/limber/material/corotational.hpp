#pragma once

#include "limber/linalg/dual.hpp"
#include "limber/linalg/small.hpp"
#include "limber/linalg/svd3.hpp"
#include "limber/material/elastic_moduli.hpp"

namespace limber {

/// The rotation of F = R S, and B = (tr(S) I - S)^-1, which says how R turns:
/// dR_iJ / dF_kL = (e_J x r_i)^T B (e_L x r_k), with r_i the i-th row of R.
template <class T>
struct RotationWithDerivative {
  Mat3<T> R;
  Mat3<T> B;
};

RotationWithDerivative<double> rotation_with_derivative(const Mat3<double>& F);
RotationWithDerivative<Packet> rotation_with_derivative(const Mat3<Packet>& F);
RotationWithDerivative<Dual<Packet>> rotation_with_derivative(const Mat3<Dual<Packet>>& F);

/// Hooke's law in the frame that the element has turned to:                  [Chao, Pinkall & Schroeder 2010]
///   psi = mu |F - R|^2 + lambda/2 tr(R^T F - I)^2,   F = R S.
/// The tangent is exact: it includes how R changes with F. R is a rotation for inverted elements too
/// (rotation_svd), which then push back to their proper side.
struct Corotational {
  LameParameters lame;

  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const Mat3<T> R = rotation_with_derivative(F).R;
    const Mat3<T> difference = F - R;
    const T tr = inner(R, F) - 3.0;
    return lame.mu * inner(difference, difference) + 0.5 * lame.lambda * tr * tr;
  }

  template <class T>
  Mat3<T> stress(const Mat3<T>& F) const {
    const Mat3<T> R = rotation_with_derivative(F).R;
    const T pressure = lame.lambda * (inner(R, F) - 3.0);
    return 2.0 * lame.mu * (F - R) + pressure * R;
  }

  /// A = 2 mu I + lambda R (x) R + (lambda tr(S - I) - 2 mu) dR/dF.
  template <class T>
  void stress_derivative(const Mat3<T>& F, Mat9<T>& A) const {
    const auto [R, B] = rotation_with_derivative(F);
    const T spin = lame.lambda * (inner(R, F) - 3.0) - 2.0 * lame.mu;
    for (int l = 0; l < 3; ++l) {
      for (int k = 0; k < 3; ++k) {
        // e_L x r_k has the components -r_k(l+2) at l+1 and r_k(l+1) at l+2 (indices modulo 3).
        const int l1 = (l + 1) % 3, l2 = (l + 2) % 3;
        T y[3];
        for (int m = 0; m < 3; ++m) y[m] = spin * (B(m, l2) * R(k, l1) - B(m, l1) * R(k, l2));
        const T lambdaR = lame.lambda * R(k, l);
        for (int j = 0; j < 3; ++j) {
          const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
          for (int i = 0; i < 3; ++i) {
            T entry = lambdaR * R(i, j) + R(i, j1) * y[j2] - R(i, j2) * y[j1];
            if (i == k && j == l) entry = entry + 2.0 * lame.mu;
            A(i + 3 * j, k + 3 * l) = entry;
          }
        }
      }
    }
  }
};

}  // namespace limber
