#pragma once

#include "limber/draw/font.hpp"

#include <algorithm>
#include <vector>

namespace limber {

using Polyline = std::vector<Vector2>;  ///< points in pixels

/// A polyline with far fewer points that looks the same: no point of the given one is farther than
/// `tolerance` from it. Where x never falls, each column of `tolerance` first keeps only its first, lowest,
/// highest and last point, so that a curve of millions of points takes a few thousand whatever it does.
/// Cost: O(n log n) as a rule.       [Douglas & Peucker 1973; Jugel et al. 2014 for the columns]
Polyline simplify_polyline(const Polyline& points, double tolerance);

/// Length of a polyline inside of the rectangle from `low` to `high`, borders included.
double length_inside(const Polyline& points, const Vector2& low, const Vector2& high);

inline double distance_to_segment(const Vector2& point, const Vector2& from, const Vector2& to) {
  const Vector2 along = to - from;
  const double squared = along.squaredNorm();
  const double t = squared > 0.0 ? std::clamp(along.dot(point - from) / squared, 0.0, 1.0) : 0.0;
  return (point - from - t * along).norm();
}

}  // namespace limber
