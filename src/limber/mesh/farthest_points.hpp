#pragma once

#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// Points that stand for all of a set.
struct FarthestPoints {
  std::vector<int> chosen;  ///< of the set, in the order in which they were: each far from those before
  double spacing = 0.0;     ///< m: no point of the set is farther from a chosen one
};

/// Chooses up to `count` points, each the farthest from those before it: tips and corners come first, and
/// what is left out is told as `spacing`. Fewer where the set has no more places: what is nearer than 1e-5
/// of the size is one.  points: 3 x n, n >= 1.
/// O(count n), the same each time.
FarthestPoints farthest_points(const Matrix3X& points, Index count);

}  // namespace limber
