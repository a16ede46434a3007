#pragma once

#include "limber/linalg/small.hpp"
#include "limber/material/elastic_moduli.hpp"

namespace limber {

/// St. Venant-Kirchhoff: Hooke's law in the Green strain E = (F^T F - I)/2.      [Barbic & James 2005, Eq. 3]
///   psi = mu E : E + lambda/2 tr(E)^2,
/// a quartic polynomial of F, hence finite for every F. Resists large stretch and rotates freely, but gives
/// way under strong compression.
struct Stvk {
  LameParameters lame;

  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const Mat3<T> E = 0.5 * (gram(F) - identity3<T>());
    const T tr = trace(E);
    return lame.mu * inner(E, E) + 0.5 * lame.lambda * tr * tr;
  }

  /// P = F S with the second Piola stress S = 2 mu E + lambda tr(E) I.
  template <class T>
  Mat3<T> stress(const Mat3<T>& F) const {
    return F * second_piola(gram(F));
  }

  /// A_iJkL = d_ik S_JL + lambda F_iJ F_kL + mu (F_iL F_kJ + (F F^T)_ik d_JL).
  template <class T>
  void stress_derivative(const Mat3<T>& F, Mat9<T>& A) const {
    const Mat3<T> S = second_piola(gram(F));
    const Mat3<T> muB = lame.mu * gram(transpose(F));
    for (int l = 0; l < 3; ++l) {
      for (int k = 0; k < 3; ++k) {
        const T lambdaF = lame.lambda * F(k, l);
        for (int j = 0; j < 3; ++j) {
          const T muF = lame.mu * F(k, j);
          for (int i = 0; i < 3; ++i) {
            T entry = lambdaF * F(i, j) + muF * F(i, l);
            if (i == k) entry = entry + S(j, l);
            if (j == l) entry = entry + muB(i, k);
            A(i + 3 * j, k + 3 * l) = entry;
          }
        }
      }
    }
  }

 private:
  template <class T>
  Mat3<T> second_piola(const Mat3<T>& C) const {
    Mat3<T> S = lame.mu * (C - identity3<T>());
    const T pressure = 0.5 * lame.lambda * (trace(C) - 3.0);
    for (int i = 0; i < 3; ++i) S(i, i) = S(i, i) + pressure;
    return S;
  }
};

}  // namespace limber
