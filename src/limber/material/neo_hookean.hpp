#pragma once

#include "limber/material/elastic_moduli.hpp"
#include "limber/material/invariants.hpp"

namespace limber {

/// Compressible neo-Hookean:  psi = mu/2 (I1 - 3) - mu L(J) + lambda/2 L(J)^2.            [Bonet & Wood 2008,
/// section 6.4] L is the logarithm with the extension of ExtendedLog, so that inverted elements stay finite.
struct NeoHookean : InvariantLaw<NeoHookean> {
  LameParameters lame;

  explicit NeoHookean(const LameParameters& small_strain) : lame(small_strain) {}

  template <class T>
  ChainEnergy<T> chain(const T& I1) const {
    return {0.5 * lame.mu * (I1 - 3.0), T{} + 0.5 * lame.mu, T{}};
  }
  double c2() const { return 0.0; }
  double log_linear() const { return lame.mu; }
  double log_lambda() const { return lame.lambda; }
};

}  // namespace limber
