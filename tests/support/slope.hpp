#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber::test {

/// How the remainder |g(h) - g(0) - h g'(0)| of a claimed derivative shrinks with h: slope 2 when the
/// derivative is right, 1 when it is wrong. `remainder(h)` returns that norm, `scale` the size of g, below
/// whose rounding a remainder counts as zero. Returns infinity where the remainder vanishes (the function is
/// linear).
template <class Remainder>
double remainder_slope(const Remainder& remainder, double scale, double h = 1e-2) {
  const double coarse = remainder(h);
  const double fine = remainder(h / 8.0);
  const double rounding = 1e-12 * scale;
  if (coarse < rounding) return std::numeric_limits<double>::infinity();
  return std::log(coarse / std::max(fine, 1e-300)) / std::log(8.0);
}

}  // namespace limber::test
