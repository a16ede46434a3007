#pragma once

#include <cmath>
#include <cstdint>

namespace limber {

/// Seeded random numbers with the same bits on every platform (std::normal_distribution promises no such
/// thing). Generator: splitmix64 (Steele, Lea & Flood 2014), 64 bits of state, more than enough for sampling
/// and start vectors.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Standard normal, by the Box-Muller transform.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace limber
