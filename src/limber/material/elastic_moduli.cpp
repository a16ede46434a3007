#include "limber/material/elastic_moduli.hpp"

#include "limber/base/error.hpp"

#include <cmath>

namespace limber {

LameParameters lame_from_young(double young, double poisson) {
  require(std::isfinite(young) && young > 0.0, "Young's modulus is {}, expected a positive number of pascals",
          young);
  require(poisson > -1.0 && poisson < 0.5,
          "Poisson's ratio is {}, expected more than -1 and less than 0.5 (0.49 is nearly incompressible)",
          poisson);
  return {young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), young / (2.0 * (1.0 + poisson))};
}

void check_lame(const LameParameters& lame) {
  require(std::isfinite(lame.mu) && lame.mu > 0.0, "Lamé's mu is {}, expected a positive number of pascals",
          lame.mu);
  require(std::isfinite(lame.lambda) && lame.lambda + 2.0 / 3.0 * lame.mu > 0.0,
          "Lamé's lambda is {} with mu {}, expected more than -2/3 mu", lame.lambda, lame.mu);
}

double young_modulus(const LameParameters& lame) {
  return lame.mu * (3.0 * lame.lambda + 2.0 * lame.mu) / (lame.lambda + lame.mu);
}

double poisson_ratio(const LameParameters& lame) { return lame.lambda / (2.0 * (lame.lambda + lame.mu)); }

}  // namespace limber
