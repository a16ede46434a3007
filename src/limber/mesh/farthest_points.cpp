#include "limber/mesh/farthest_points.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// The first of those that are as far as the farthest but for rounding: of a regular body the same ones are
/// chosen whatever its size.
Index first_farthest(const Vector& squared) {
  constexpr double rounding = 1e-9;
  const double least = (1.0 - rounding) * squared.maxCoeff();
  return std::find_if(squared.begin(), squared.end(), [&](double d) { return d >= least; }) - squared.begin();
}

}  // namespace

FarthestPoints farthest_points(const Matrix3X& points, Index count) {
  require(points.cols() > 0 && count > 0, "{} of {} points asked for, expected at least 1 of 1", count,
          points.cols());
  // Squared distances from what was chosen, at first from the middle, so that the first one is a tip.
  const Vector3 middle = points.rowwise().mean();
  Vector far = (points.colwise() - middle).colwise().squaredNorm();
  Index next = first_farthest(far);
  constexpr double as_good_as_one = 1e-5;  // of the size: floats differ by less from what they stand for
  const double least = as_good_as_one * std::sqrt(far(next));
  far.setConstant(std::numeric_limits<double>::infinity());
  FarthestPoints result;
  while (true) {
    result.chosen.push_back(static_cast<int>(next));
    const Vector3 x = points.col(next);
    for (Index i = 0; i < far.size(); ++i) far(i) = std::min(far(i), (points.col(i) - x).squaredNorm());
    next = first_farthest(far);
    result.spacing = std::sqrt(far.maxCoeff());
    if (result.spacing <= least || static_cast<Index>(result.chosen.size()) >= count) return result;
  }
}

}  // namespace limber
