#include "limber/mesh/farthest_points.hpp"

#include "limber/base/error.hpp"

#include <cmath>
#include <limits>

namespace limber {

FarthestPoints farthest_points(const Matrix3X& points, Index count) {
  require(points.cols() > 0 && count > 0, "{} of {} points asked for, expected at least 1 of 1", count,
          points.cols());
  // Squared distances from what was chosen, at first from the middle, so that the first one is a tip.
  const Vector3 middle = points.rowwise().mean();
  Vector far = (points.colwise() - middle).colwise().squaredNorm();
  Index next = 0;
  far.maxCoeff(&next);
  far.setConstant(std::numeric_limits<double>::infinity());
  FarthestPoints result;
  while (true) {
    result.chosen.push_back(static_cast<int>(next));
    const Vector3 x = points.col(next);
    for (Index i = 0; i < far.size(); ++i) far(i) = std::min(far(i), (points.col(i) - x).squaredNorm());
    result.spacing = std::sqrt(far.maxCoeff(&next));
    if (result.spacing == 0.0 || static_cast<Index>(result.chosen.size()) >= count) return result;
  }
}

}  // namespace limber
