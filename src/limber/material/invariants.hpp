#pragma once

#include "limber/linalg/dual.hpp"
#include "limber/linalg/small.hpp"

namespace limber {

/// The logarithm of the volume ratio J = det F, continued below J0 by its second-order Taylor polynomial: the
/// energies built on it stay finite and twice continuously differentiable for every F, inverted ones
/// included, and go on to push J up.
template <class T>
struct ExtendedLog {
  static constexpr double J0 = 0.1;  ///< a tenth of the rest volume: beyond what a sane material reaches

  T value, first, second;  ///< L(J), L'(J), L''(J)

  explicit ExtendedLog(const T& J) {
    const auto inside = J > J0;
    const T safe = select(inside, J, T{} + J0);
    const T inverse = 1.0 / safe;
    const T excess = J - safe;  // zero inside
    value = log(safe) + inverse * excess * (1.0 - 0.5 * inverse * excess);
    first = inverse * (1.0 - inverse * excess);
    second = -inverse * inverse;
  }
};

/// The common form of the rubber-like laws, in I1 = tr C, I2 = (I1^2 - tr C^2)/2, C = F^T F, and J = det F:
///
///   psi = w(I1) + c2 (I2 - 3) - d L(J) + lambda/2 L(J)^2,   d = 2 w'(3) + 4 c2 (no stress at rest).
///
/// `Law` provides chain(I1), which returns w with its first and second derivative, and the constants c2, d
/// and lambda. Small strain gives mu = 2 (w'(3) + c2) and lambda_small = lambda + 4 (w''(3) + c2).
template <class T>
struct ChainEnergy {
  T value, first, second;  ///< w, w', w''; w(3) = 0
};

template <class Law, class T>
T invariant_energy_density(const Law& law, const Mat3<T>& F) {
  const Mat3<T> C = gram(F);
  const T I1 = trace(C);
  const T I2 = 0.5 * (I1 * I1 - inner(C, C));
  const ExtendedLog<T> L(determinant(F, cofactor(F)));
  return law.chain(I1).value + law.c2() * (I2 - 3.0) +
         L.value * (0.5 * law.log_lambda() * L.value - law.log_linear());
}

/// P = 2 w' F + 2 c2 (I1 F - F C) + g' cof F, with g(J) = -d L + lambda/2 L^2.
template <class Law, class T>
Mat3<T> invariant_stress(const Law& law, const Mat3<T>& F) {
  const Mat3<T> C = gram(F);
  const Mat3<T> cof = cofactor(F);
  const ExtendedLog<T> L(determinant(F, cof));
  const T I1 = trace(C);
  const T dg = (law.log_lambda() * L.value - law.log_linear()) * L.first;
  const T along_F = 2.0 * law.chain(I1).first + 2.0 * law.c2() * I1;
  return along_F * F - 2.0 * law.c2() * (F * C) + dg * cof;
}

/// A_iJkL = d_ik d_JL (2 w' + 2 c2 I1) + (4 w'' + 4 c2) F_iJ F_kL - 2 c2 (d_ik C_JL + F_iL F_kJ + B_ik d_JL)
///          + g'' cof_iJ cof_kL + g' e_ikn e_JLQ F_nQ,   B = F F^T.
template <class Law, class T>
void invariant_stress_derivative(const Law& law, const Mat3<T>& F, Mat9<T>& A) {
  const Mat3<T> C = gram(F);
  const Mat3<T> B = gram(transpose(F));
  const Mat3<T> cof = cofactor(F);
  const ExtendedLog<T> L(determinant(F, cof));
  const ChainEnergy<T> w = law.chain(trace(C));
  const double c2 = law.c2();
  const T slope = law.log_lambda() * L.value - law.log_linear();
  const T dg = slope * L.first;
  const T ddg = law.log_lambda() * L.first * L.first + slope * L.second;
  const T identity = 2.0 * w.first + 2.0 * c2 * trace(C);
  const T stretch = 4.0 * w.second + 4.0 * c2;
  for (int l = 0; l < 3; ++l) {
    for (int k = 0; k < 3; ++k) {
      const T stretchF = stretch * F(k, l);
      const T ddg_cof = ddg * cof(k, l);
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
          T entry = stretchF * F(i, j) + ddg_cof * cof(i, j) - 2.0 * c2 * F(i, l) * F(k, j);
          if (i == k) entry = entry - 2.0 * c2 * C(j, l);
          if (j == l) entry = entry - 2.0 * c2 * B(i, k);
          if (i == k && j == l) entry = entry + identity;
          if (i != k && j != l) {
            const double sign = ((k - i + 3) % 3 == 1 ? 1.0 : -1.0) * ((l - j + 3) % 3 == 1 ? 1.0 : -1.0);
            entry = entry + sign * dg * F(3 - i - k, 3 - j - l);
          }
          A(i + 3 * j, k + 3 * l) = entry;
        }
      }
    }
  }
}

/// Gives a law (by inheritance, `Law` being the law itself) the triplet of functions from its invariants.
template <class Law>
struct InvariantLaw {
  template <class T>
  T energy_density(const Mat3<T>& F) const {
    return invariant_energy_density(law(), F);
  }
  template <class T>
  Mat3<T> stress(const Mat3<T>& F) const {
    return invariant_stress(law(), F);
  }
  template <class T>
  void stress_derivative(const Mat3<T>& F, Mat9<T>& A) const {
    invariant_stress_derivative(law(), F, A);
  }

 private:
  const Law& law() const { return static_cast<const Law&>(*this); }
};

}  // namespace limber
