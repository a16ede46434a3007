#include "limber/draw/polyline.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

/// Calls keep(i) for the first, lowest, highest and last of the points [begin, end), in their order.
template <class Keep>
void keep_extremes(const Polyline& points, std::size_t begin, std::size_t end, const Keep& keep) {
  std::size_t low = begin;
  std::size_t high = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (points[i].y() < points[low].y()) low = i;
    if (points[i].y() > points[high].y()) high = i;
  }
  keep(begin);
  keep(std::min(low, high));
  keep(std::max(low, high));
  keep(end - 1);
}

Polyline reduce_columns(const Polyline& points, double width) {
  Polyline kept;
  std::size_t last = points.size();  // none yet
  const auto keep = [&](std::size_t i) {
    if (i != last) kept.push_back(points[i]);
    last = i;
  };
  for (std::size_t begin = 0; begin < points.size();) {
    const double column = std::floor(points[begin].x() / width);
    std::size_t end = begin + 1;
    while (end < points.size() && std::floor(points[end].x() / width) == column) ++end;
    keep_extremes(points, begin, end, keep);
    begin = end;
  }
  return kept;
}

/// The point between two others that is farthest from their segment, and how far it is.
std::pair<std::size_t, double> farthest(const Polyline& points, std::size_t first, std::size_t last) {
  std::pair<std::size_t, double> found{first, 0.0};
  for (std::size_t i = first + 1; i < last; ++i) {
    const double distance = distance_to_segment(points[i], points[first], points[last]);
    if (distance > found.second) found = {i, distance};
  }
  return found;
}

}  // namespace

Polyline simplify_polyline(const Polyline& points, double tolerance) {
  if (points.size() < 3) return points;
  const bool forwards = std::is_sorted(points.begin(), points.end(),
                                       [](const Vector2& a, const Vector2& b) { return a.x() < b.x(); });
  const Polyline thinned = forwards ? reduce_columns(points, tolerance) : points;
  std::vector<char> kept(thinned.size(), 0);
  kept.front() = kept.back() = 1;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, thinned.size() - 1}};
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    const auto [middle, distance] = farthest(thinned, first, last);
    if (distance <= tolerance) continue;
    kept[middle] = 1;
    open.emplace_back(first, middle);
    open.emplace_back(middle, last);
  }
  Polyline result;
  for (std::size_t i = 0; i < thinned.size(); ++i) {
    if (kept[i] != 0) result.push_back(thinned[i]);
  }
  return result;
}

double length_inside(const Polyline& points, const Vector2& low, const Vector2& high) {
  double length = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Vector2 along = points[i] - points[i - 1];
    double enters = 0.0;
    double leaves = 1.0;
    for (int c = 0; c < 2; ++c) {
      const double from = points[i - 1](c);
      if (along(c) == 0.0) {
        if (from < low(c) || from > high(c)) leaves = -1.0;
        continue;
      }
      const double a = (low(c) - from) / along(c);
      const double b = (high(c) - from) / along(c);
      enters = std::max(enters, std::min(a, b));
      leaves = std::min(leaves, std::max(a, b));
    }
    if (leaves > enters) length += (leaves - enters) * along.norm();
  }
  return length;
}

}  // namespace limber
