#include "limber/basis/reduced_gram_schmidt.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/narrow_products.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

/// Columns of which less is left depend on the others: rounding is 1e-16 of what was there.
constexpr double dependent_length = 1e-8;

/// A subtraction that leaves less than a hundredth of the squared length would leave its incremental update
/// to
/// rounding: it is summed up anew.                                              [Yang et al. 2015, Algorithm
/// 2, line 12]
constexpr double least_update = 0.01;

}  // namespace

ReducedGramSchmidt::ReducedGramSchmidt(MassSamples samples, double threshold, Index rows, Index capacity,
                                       const Executor& executor)
    : samples_(std::move(samples)),
      threshold_(threshold),
      executor_(executor),
      V_(rows, capacity),
      S_(3 * samples_.mass.size(), capacity) {
  require(threshold >= 0.0 && threshold < 1.0,
          "the threshold of the reduced Gram-Schmidt is {}, expected 0 or more and less than 1", threshold);
  require(!samples_.free_vertex.empty() &&
              samples_.mass.size() == static_cast<Index>(samples_.free_vertex.size()),
          "{} masses for {} samples, expected one each and one sample at least", samples_.mass.size(),
          samples_.free_vertex.size());
  require(3 * samples_.free_vertex.back() + 2 < rows, "a sample is free vertex {}, the vectors have {} rows",
          samples_.free_vertex.back(), rows);
  report_.samples = samples_.mass.size();
}

Matrix ReducedGramSchmidt::gather(const Eigen::Ref<const Matrix>& X) const {
  Matrix S(S_.rows(), X.cols());
  for (Index c = 0; c < X.cols(); ++c) {
    for (Index s = 0; s < samples_.mass.size(); ++s)
      S.col(c).segment<3>(3 * s) = std::sqrt(samples_.mass(s)) *
                                   X.col(c).segment<3>(3 * samples_.free_vertex[static_cast<std::size_t>(s)]);
  }
  return S;
}

/// Makes the samples w of one vector orthogonal to the first `others` vectors and to unit length:  w <- scale
/// (w - sum_j coefficients(j) v_j), which are to be applied to the full vector.  Returns the scale, 0 for a
/// vector to drop.
double ReducedGramSchmidt::subtract_on_samples(Eigen::Ref<Vector> w, Eigen::Ref<Vector> coefficients,
                                               Index others) {
  coefficients.setZero();
  const double start = w.norm();
  if (!(start > 0.0)) return 0.0;
  w /= start;
  double scale = 1.0 / start;  // w is this times what is left
  double length = 1.0;         // of w
  for (Index j = 0; j < others; ++j) {
    const double product = S_.col(j).dot(w);
    const double cosine = product / length;
    ++report_.products;
    if (std::abs(cosine) < threshold_) {
      ++report_.skipped;
      continue;
    }
    w -= product * S_.col(j);
    coefficients(j) = product / scale;
    const double left = 1.0 - cosine * cosine;
    if (left < least_update) {
      length = w.norm();
      if (!(length > dependent_length * scale * start)) return 0.0;
      w /= length;
      scale /= length;
      length = 1.0;
    } else {
      length *= std::sqrt(left);
    }
  }
  length = w.norm();
  if (!(length > dependent_length * scale * start)) return 0.0;
  w /= length;
  return scale / length;
}

Index ReducedGramSchmidt::append(Matrix W) {
  require(W.rows() == V_.rows() && size_ + W.cols() <= V_.cols(),
          "{} vectors of {} rows for a set of {} that has room for {} of {} rows", W.cols(), W.rows(), size_,
          V_.cols(), V_.rows());
  const Matrix S = gather(W);
  Matrix C = Matrix::Zero(size_ + W.cols(), W.cols());
  Vector scale(W.cols());
  Index kept = 0;
  for (Index c = 0; c < W.cols(); ++c) {
    auto w = S_.col(size_ + kept);
    w = S.col(c);
    const double factor = subtract_on_samples(w, C.col(kept).head(size_ + kept), size_ + kept);
    if (!(factor > 0.0)) continue;
    scale(kept) = factor;
    if (kept < c) W.col(kept) = W.col(c);
    ++kept;
  }
  subtract_combination(vectors(), C.topLeftCorner(size_, kept), W.leftCols(kept), executor_);
  for (Index c = 0; c < kept; ++c) {
    auto v = V_.col(size_ + c);
    v = W.col(c);
    for (Index b = 0; b < c; ++b) {
      if (C(size_ + b, c) != 0.0) v -= C(size_ + b, c) * V_.col(size_ + b);
    }
    v *= scale(c);
  }
  size_ += kept;
  return kept;
}

Matrix ReducedGramSchmidt::take_vectors() {
  V_.conservativeResize(Eigen::NoChange, std::exchange(size_, 0));
  return std::exchange(V_, Matrix(V_.rows(), 0));
}

}  // namespace limber
