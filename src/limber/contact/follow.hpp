#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

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

}  // namespace limber
