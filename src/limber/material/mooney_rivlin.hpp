#pragma once

#include "limber/material/elastic_moduli.hpp"
#include "limber/material/invariants.hpp"

namespace limber {

/// Compressible Mooney-Rivlin:
///   psi = c10 (I1 - 3) + c01 (I2 - 3) - 2 (c10 + 2 c01) L(J) + kappa/2 L(J)^2.
/// The constants follow from the small-strain response: 2 (c10 + c01) = mu, kappa = lambda - 4 c01, and the
/// share c01 / (c10 + c01). It uses the plain invariants: the isochoric ones, J^(-2/3) I1, have no finite
/// value at J = 0.
struct MooneyRivlin : InvariantLaw<MooneyRivlin> {
  LameParameters lame;
  double share;  ///< c01 / (c10 + c01), in [0, 1]; 0 is neo-Hookean

  MooneyRivlin(const LameParameters& small_strain, double mooney_share)
      : lame(small_strain), share(mooney_share) {}

  template <class T>
  ChainEnergy<T> chain(const T& I1) const {
    return {c1() * (I1 - 3.0), T{} + c1(), T{}};
  }
  double c1() const { return 0.5 * lame.mu * (1.0 - share); }
  double c2() const { return 0.5 * lame.mu * share; }
  double log_linear() const { return 2.0 * (c1() + 2.0 * c2()); }
  double log_lambda() const { return lame.lambda - 4.0 * c2(); }
};

}  // namespace limber
