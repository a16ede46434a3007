#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// Number of the pair (i, j), i >= j >= 0, in the order (0,0), (1,0), (1,1), (2,0), ...: the pairs of the
/// first n things come first.
constexpr Index pair_index(Index i, Index j) { return i * (i + 1) / 2 + j; }

/// Pairs (i, j), i >= j, of n things.
constexpr Index pair_count(Index n) { return n * (n + 1) / 2; }

}  // namespace limber
