#pragma once

#include "limber/base/random.hpp"
#include "limber/mesh/solid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber::test {

inline Solid ball(double radius, const Vector3& center = Vector3::Zero()) {
  return {[=](const Vector3& x) {
            const double d = (x - center).norm() - radius;
            return SolidSample{d, std::abs(d)};
          },
          {center.array() - radius, center.array() + radius}};
}

inline Solid block(const Vector3& half_size) {
  return {[=](const Vector3& x) {
            const Vector3 beyond = x.cwiseAbs() - half_size;
            const double d = beyond.cwiseMax(0.0).norm() + std::min(0.0, beyond.maxCoeff());
            return SolidSample{d, std::abs(d)};
          },
          {-half_size, half_size}};
}

/// A unit ball whose surface waves irregularly: about `frequency` waves per radian, of any shape and slope.
inline Solid rough_ball(std::uint64_t seed, double frequency) {
  Random random(seed);
  struct Wave {
    Vector3 direction;
    double phase;
  };
  std::vector<Wave> waves;
  for (int i = 0; i < 12; ++i) {
    waves.push_back(
        {{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}, random.uniform(0, 6)});
  }
  const double height = 0.3 / frequency;
  const auto sample = [=](const Vector3& x) {
    double value = x.norm() - 1.0, slope = 1.0;
    for (const Wave& wave : waves) {
      value += height * std::sin(frequency * wave.direction.dot(x) + wave.phase);
      slope += height * frequency * wave.direction.norm();
    }
    return SolidSample{value, std::abs(value) / slope};
  };
  return {sample, {Vector3::Constant(-1.0 - 12 * height), Vector3::Constant(1.0 + 12 * height)}};
}

}  // namespace limber::test
