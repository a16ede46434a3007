#pragma once

namespace limber {

/// Lamé parameters of an isotropic solid: its response to small strain.
struct LameParameters {
  double lambda = 0.0;  ///< Pa
  double mu = 0.0;      ///< shear modulus, Pa

  bool operator==(const LameParameters&) const = default;
};

/// lambda = E nu / ((1 + nu)(1 - 2 nu)), mu = E / (2 (1 + nu)).
/// young: Pa, > 0.  poisson: in (-1, 0.5).  Throws Error outside.
LameParameters lame_from_young(double young, double poisson);

/// Throws Error unless mu > 0 and the bulk modulus lambda + 2/3 mu > 0: what makes a small strain cost
/// energy.
void check_lame(const LameParameters& lame);

double young_modulus(const LameParameters& lame);  ///< Pa
double poisson_ratio(const LameParameters& lame);  ///< dimensionless

}  // namespace limber
