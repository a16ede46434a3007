#pragma once

#include "limber/base/error.hpp"
#include "limber/contact/lanes.hpp"
#include "limber/linalg/types.hpp"

#include <cmath>
#include <string_view>
#include <vector>

namespace limber {

/// Coordinates of a body in floats, and how far they go within a step.
struct FollowedCoordinates {
  std::vector<float> q;
  std::vector<float> ways;              ///< h q', as many; 0 where they rest
  std::vector<float> sizes, way_sizes;  ///< |q| and |h q'|

  void reserve(Index rank) {
    q.reserve(static_cast<std::size_t>(rank));
    for (auto* const numbers : {&ways, &sizes, &way_sizes}) numbers->reserve(q.capacity());
  }
  /// of: the name of what has `rank` coordinates; fewer may be given, the others are 0.
  void set(const VectorRef& coordinates, Index rank, std::string_view of) {
    require(coordinates.size() <= rank, "{} coordinates for a {} of rank {}", coordinates.size(), of, rank);
    q.assign(static_cast<std::size_t>(coordinates.size()), 0.0F);
    ways.assign(q.size(), 0.0F);
    sizes.assign(q.size(), 0.0F);
    way_sizes.assign(q.size(), 0.0F);
    for (std::size_t k = 0; k < q.size(); ++k) {
      q[k] = static_cast<float>(coordinates(static_cast<Index>(k)));
      sizes[k] = std::abs(q[k]);
    }
  }
  void set(const VectorRef& coordinates, const VectorRef& velocities, double step, Index rank,
           std::string_view of) {
    require(coordinates.size() <= rank && velocities.size() == coordinates.size(),
            "{} coordinates and {} velocities for a {} of rank {}", coordinates.size(), velocities.size(), of,
            rank);
    set(coordinates, rank, of);
    for (std::size_t k = 0; k < q.size(); ++k) {
      ways[k] = static_cast<float>(step * velocities(static_cast<Index>(k)));
      way_sizes[k] = std::abs(ways[k]);
    }
  }
};

/// Four floats that are computed on together; a place and one more number.
using Four = float __attribute__((vector_size(16)));

[[gnu::always_inline]] inline Four load_four(const float* from) {
  Four x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

/// first + sum of the columns behind it times their factors; of four sums, so that none waits for another.
/// numbers: 4 (1 + rank).  O(rank).
[[gnu::always_inline]] inline Four follow(const float* numbers, const float* factors, Index rank) {
  Four sums[4] = {load_four(numbers)};
  const float* column = numbers + 4;
  Index k = 0;
  for (; k + 4 <= rank; k += 4, column += 16)
    for (int i = 0; i < 4; ++i) sums[i] += load_four(column + 4 * i) * factors[k + i];
  for (; k < rank; ++k, column += 4) sums[0] += load_four(column) * factors[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// The same, to the bit, four columns at a time.  numbers: sixteen at least can be read.  repeated: the
/// factors, each of them four times.
[[gnu::always_inline]] inline Four follow_by_fours(const float* numbers, const float* repeated, Index rank) {
  constexpr LaneMask first = {-1, -1, -1, -1};
  Lanes sums = reinterpret_cast<Lanes>(reinterpret_cast<LaneMask>(Lanes(load_lanes(numbers))) & first);
  const float* column = numbers + 4;
  Index k = 0;
  for (; k + 4 <= rank; k += 4, column += lane_count, repeated += lane_count)
    sums += load_lanes(column) * load_lanes(repeated);
  Four sum = __builtin_shufflevector(sums, sums, 0, 1, 2, 3);
  for (; k < rank; ++k, column += 4, repeated += 4) sum += load_four(column) * repeated[0];
  return (sum + __builtin_shufflevector(sums, sums, 4, 5, 6, 7)) +
         (__builtin_shufflevector(sums, sums, 8, 9, 10, 11) +
          __builtin_shufflevector(sums, sums, 12, 13, 14, 15));
}

}  // namespace limber
