#pragma once

#include "limber/material/elastic_moduli.hpp"
#include "limber/material/invariants.hpp"

namespace limber {

/// Arruda-Boyce (1993) eight-chain rubber, the five-term series of the inverse Langevin function:
///   w(I1) = m sum_i C_i / s^(2i-2) (I1^i - 3^i),  C = 1/2, 1/20, 11/1050, 19/7000, 519/673750,
/// with the locking stretch s, plus -d L(J) + kappa/2 L(J)^2 as in InvariantLaw. m and kappa follow from the
/// small-strain response: 2 w'(3) = mu, kappa = lambda - 4 w''(3).
struct ArrudaBoyce : InvariantLaw<ArrudaBoyce> {
  LameParameters lame;
  double locking_stretch;  ///< s, > 1

  ArrudaBoyce(const LameParameters& small_strain, double stretch)
      : lame(small_strain),
        locking_stretch(stretch),
        modulus_(0.5 * small_strain.mu / series(3.0, 1.0).first) {
    log_lambda_ = lame.lambda - 4.0 * series(3.0, modulus_).second;
  }

  template <class T>
  ChainEnergy<T> chain(const T& I1) const {
    return series(I1, modulus_);
  }
  double c2() const { return 0.0; }
  double log_linear() const { return lame.mu; }
  double log_lambda() const { return log_lambda_; }

 private:
  /// w, w', w'' for the modulus m, by Horner's scheme on all three at once.
  template <class T>
  ChainEnergy<T> series(const T& I1, double m) const {
    constexpr double C[5] = {1.0 / 2.0, 1.0 / 20.0, 11.0 / 1050.0, 19.0 / 7000.0, 519.0 / 673750.0};
    const double inverse = 1.0 / (locking_stretch * locking_stretch);
    double coefficient[5];
    double rest = 0.0;  // w at I1 = 3 without the subtraction
    double scale = m, power = 1.0;
    for (int i = 0; i < 5; ++i) {
      coefficient[i] = scale * C[i];
      power *= 3.0;
      rest += coefficient[i] * power;
      scale *= inverse;
    }
    T p = T{} + coefficient[4], dp{}, ddp{};  // p = sum coefficient_i I1^i, w = I1 p - rest
    for (int i = 3; i >= 0; --i) {
      ddp = 2.0 * dp + I1 * ddp;
      dp = p + I1 * dp;
      p = coefficient[i] + I1 * p;
    }
    return {I1 * p - rest, p + I1 * dp, 2.0 * dp + I1 * ddp};
  }

  double modulus_;
  double log_lambda_;
};

}  // namespace limber
