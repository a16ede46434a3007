#pragma once

#include "limber/linalg/types.hpp"

#include <cstdint>

namespace limber {

/// How many points, balls or boxes are computed on together.
constexpr int lane_count = 16;

/// A number of each of them; vectors of the compiler, so that they are as wide as the machine has them.
using Lanes = float __attribute__((vector_size(4 * lane_count)));
using LaneMask = int __attribute__((vector_size(4 * lane_count)));

/// A place of each.
struct LanePlaces {
  Lanes at[3];
};

/// As memory holds them, which need not be aligned: what is returned by value would depend on the compiler's
/// flags.
using LanesInMemory = float __attribute__((vector_size(4 * lane_count), aligned(4), may_alias));
[[gnu::always_inline]] inline const LanesInMemory& load_lanes(const float* from) {
  return *reinterpret_cast<const LanesInMemory*>(from);
}
[[gnu::always_inline]] inline void store_lanes(float* to, const Lanes& x) {
  __builtin_memcpy(to, &x, sizeof x);
}

[[gnu::always_inline]] inline float sum_of(const Lanes& lanes) {
  Lanes x = lanes;
  x += __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
  return (x[0] + x[2]) + (x[1] + x[3]);
}

[[gnu::always_inline]] inline float least_of(const Lanes& lanes) {
  Lanes x = lanes;
  const auto fold = [&x](const Lanes& other) __attribute__((always_inline)) { x = other < x ? other : x; };
  fold(__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  fold(__builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  fold(__builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  fold(__builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return x[0];
}

/// The bit of each lane.
constexpr LaneMask lane_bits = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};

/// Those of lanes that are set.
[[gnu::always_inline]] inline std::uint32_t bits_of(const LaneMask& mask) {
#ifdef __AVX512DQ__
  return static_cast<std::uint16_t>(__builtin_ia32_cvtd2mask512(mask));
#else
  int numbers[lane_count];
  const LaneMask set = mask & lane_bits;
  __builtin_memcpy(numbers, &set, sizeof set);
  int bits = 0;
  for (const int number : numbers) bits |= number;
  return static_cast<std::uint32_t>(bits);
#endif
}

/// The lanes whose bits are set.
[[gnu::always_inline]] inline void set_lanes(std::uint32_t bits, LaneMask& lanes) {
  lanes = (lane_bits & static_cast<int>(bits)) != 0;
}

/// first (or 0) + the columns times their factors; of four sums, so that none waits for another, and to the
/// bits of follow().  columns: 48 numbers each, sixteen x, y, z.
[[gnu::always_inline]] inline LanePlaces follow_lanes(const float* first, const float* columns,
                                                      const float* factors, Index rank) {
  LanePlaces sums[4]{};
  if (first != nullptr)
    for (int l = 0; l < 3; ++l) sums[0].at[l] = load_lanes(first + l * lane_count);
  Index k = 0;
  for (; k + 4 <= rank; k += 4)
    for (int i = 0; i < 4; ++i)
      for (int l = 0; l < 3; ++l, columns += lane_count)
        sums[i].at[l] += load_lanes(columns) * factors[k + i];
  for (; k < rank; ++k)
    for (int l = 0; l < 3; ++l, columns += lane_count) sums[0].at[l] += load_lanes(columns) * factors[k];
  LanePlaces sum;
  for (int l = 0; l < 3; ++l) sum.at[l] = (sums[0].at[l] + sums[1].at[l]) + (sums[2].at[l] + sums[3].at[l]);
  return sum;
}

[[gnu::always_inline]] inline LanePlaces turn_lanes(const Eigen::Matrix3f& by, const LanePlaces& x) {
  LanePlaces y;
  for (int l = 0; l < 3; ++l) y.at[l] = by(l, 0) * x.at[0] + by(l, 1) * x.at[1] + by(l, 2) * x.at[2];
  return y;
}

}  // namespace limber
