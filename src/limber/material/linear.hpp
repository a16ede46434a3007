#pragma once

#include "limber/linalg/small.hpp"
#include "limber/material/elastic_moduli.hpp"

namespace limber {

/// Hooke's law in the small strain e = sym(F) - I:  psi = mu e : e + lambda/2 tr(e)^2.
/// Exact for infinitesimal displacements only; swells when it rotates.
struct Linear {
  LameParameters lame;

  template <class T>
  T energy_density(const Mat3<T>& F) const {
    const Mat3<T> e = strain(F);
    const T tr = trace(e);
    return lame.mu * inner(e, e) + 0.5 * lame.lambda * tr * tr;
  }

  template <class T>
  Mat3<T> stress(const Mat3<T>& F) const {
    const Mat3<T> e = strain(F);
    Mat3<T> P = 2.0 * lame.mu * e;
    const T pressure = lame.lambda * trace(e);
    for (int i = 0; i < 3; ++i) P(i, i) = P(i, i) + pressure;
    return P;
  }

  template <class T>
  void stress_derivative(const Mat3<T>&, Mat9<T>& A) const {
    for (T& entry : A.entry) entry = T{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const int ij = i + 3 * j, ji = j + 3 * i;
        A(ij, ij) = A(ij, ij) + lame.mu;
        A(ij, ji) = A(ij, ji) + lame.mu;
        A(4 * i, 4 * j) = A(4 * i, 4 * j) + lame.lambda;
      }
    }
  }

 private:
  template <class T>
  static Mat3<T> strain(const Mat3<T>& F) {
    return 0.5 * (F + transpose(F)) - identity3<T>();
  }
};

}  // namespace limber
