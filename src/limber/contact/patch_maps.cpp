#include "limber/contact/patch_maps.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// The longest of the places that a column is made of.
double longest_place(const Eigen::Ref<const Vector>& column) {
  return std::sqrt(column.reshaped(3, column.size() / 3).colwise().squaredNorm().maxCoeff());
}

/// Takes what most columns have in common out of all of them, a pattern after the other: what is left of the
/// column of which the largest share is.  left: columns; what is left of them in the end.  patterns: of unit
/// length, 0 where nothing is left.  factors: of each of them, a number per column.
void split_patterns(Matrix& left, Matrix& patterns, Matrix& factors) {
  const Vector lengths = left.colwise().norm();
  // Of the longest column: shorter ones are next to nothing, and most of that is rounding.
  constexpr double least_length = 1e-3;
  const Vector weights = (lengths.array() + least_length * lengths.lpNorm<Eigen::Infinity>()).inverse();
  patterns.setZero();
  factors.setZero();
  if (left.cols() == 0) return;
  for (Index j = 0; j < patterns.cols(); ++j) {
    Index largest = 0;
    const Vector now = left.colwise().norm();
    now.cwiseProduct(weights).maxCoeff(&largest);
    if (!(now(largest) > 0.0)) return;
    patterns.col(j) = left.col(largest) / now(largest);
    factors.row(j).noalias() = patterns.col(j).transpose() * left;
    left.noalias() -= patterns.col(j) * factors.row(j);
  }
}

}  // namespace

AffineFit::AffineFit(const Matrix3X& rest) : mean(rest.rowwise().mean()) {
  const Matrix3X around = rest.colwise() - mean;
  const Matrix3 second = around * around.transpose();
  // A flat patch has no slope across: any will do, 0 is as good.
  inverse = (second + 1e-9 * second.trace() * Matrix3::Identity()).inverse();
}

void PatchMaps::add(const Vector3& center, const Matrix3X& rest, const Matrix& rows) {
  constexpr double rounding = 1e-6;  // of floats, in sums of some dozen numbers
  const AffineFit fit(rest);
  const Matrix3X around_mean = rest.colwise() - fit.mean, around = rest.colwise() - center;
  const double size = (rest.rowwise().maxCoeff() - rest.rowwise().minCoeff()).norm();
  Matrix3X places(3, rank_);
  std::vector<Matrix3> slopes;
  Matrix left(rows.rows(), rank_);
  for (Index k = 0; k < rank_; ++k) {
    const Matrix3X moved = rows.col(k).reshaped(3, rest.cols());
    const Matrix3& slope = slopes.emplace_back(moved * around_mean.transpose() * fit.inverse);
    places.col(k) = moved.rowwise().mean() + slope * (center - fit.mean);
    left.col(k) = ((moved - slope * around).colwise() - places.col(k)).reshaped();
  }
  Matrix patterns(rows.rows(), pattern_count), factors(pattern_count, rank_), beside = left;
  split_patterns(beside, patterns, factors);
  put_columns(center, Matrix3::Identity(), Vector::Zero(pattern_count));
  for (Index j = 0; j < pattern_count; ++j)
    bounds_.push_back(static_cast<float>((1.0 + rounding) * longest_place(patterns.col(j))));
  for (Index k = 0; k < rank_; ++k) {
    const Matrix3& slope = slopes[static_cast<std::size_t>(k)];
    put_columns(places.col(k), slope, factors.col(k));
    const double sum = places.col(k).norm() + slope.norm() * size + left.col(k).norm();
    bounds_.push_back(static_cast<float>(longest_place(beside.col(k)) + rounding * sum));
  }
  bounds_.resize(bounds_.size() + bound_count() - static_cast<std::size_t>(rank_), 0.0F);
}

void PatchMaps::put_columns(const Vector3& place, const Matrix3& slope, const Vector& factors) {
  for (Index column = 0; column < 4; ++column) {
    for (Index l = 0; l < 3; ++l)
      numbers_.push_back(static_cast<float>(column == 0 ? place(l) : slope(l, column - 1)));
    numbers_.push_back(static_cast<float>(factors(column)));
  }
}

void PatchMaps::write(std::size_t patch, const float* q, const float* sizes, Index rank, int lane,
                      PatchLanes& to) const {
  write_sum(numbers_of(patch), patch, q, sizes, rank, lane, to);
}

void PatchMaps::write_change(std::size_t patch, const float* v, const float* sizes, Index rank, int lane,
                             PatchLanes& to) const {
  write_sum(nullptr, patch, v, sizes, rank, lane, to);
}

/// first (or 0) + the maps of the coordinates times their factors.
inline void PatchMaps::write_sum(const float* first, std::size_t patch, const float* factors,
                                 const float* sizes, Index rank, int lane, PatchLanes& to) const {
  const float* map = numbers_of(patch) + lane_count;
  Lanes sum{};
  if (first != nullptr) sum = load_lanes(first);
  Lanes more[3]{};  // none waits for another
  Index k = 0;
  for (; k + 4 <= rank; k += 4, map += 4 * lane_count) {
    sum += load_lanes(map) * factors[k];
    for (int i = 0; i < 3; ++i) more[i] += load_lanes(map + (i + 1) * lane_count) * factors[k + i + 1];
  }
  for (; k < rank; ++k, map += lane_count) sum += load_lanes(map) * factors[k];
  float numbers[lane_count];
  store_lanes(numbers, (sum + more[0]) + (more[1] + more[2]));
  const float* const bounds = bounds_.data() + patch * (pattern_count + bound_count());
  Lanes left{};
  for (std::size_t i = 0; i < bound_count(); i += lane_count)
    left += load_lanes(bounds + pattern_count + i) * load_lanes(sizes + i);
  float slack = sum_of(left);
  for (int j = 0; j < pattern_count; ++j) slack += bounds[j] * std::abs(numbers[4 * j + 3]);
  for (int l = 0; l < 3; ++l) {
    to.place.at[l][lane] = numbers[l];
    for (int i = 0; i < 3; ++i) to.slope[i].at[l][lane] = numbers[4 * (i + 1) + l];
  }
  to.slack[lane] = slack;
}

}  // namespace limber
