#include "limber/linalg/growing_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

/// Rotates `count` entries of two columns, and moves those of the first up by one: into the row that was
/// removed.
void rotate_and_shift(double* __restrict first, double* __restrict second, Index count, double c, double s) {
  for (Index i = 0; i < count; ++i) {
    const double a = first[i], b = second[i];
    first[i - 1] = c * a + s * b;
    second[i] = c * b - s * a;
  }
}

}  // namespace

void GrowingCholesky::solve_lower(Eigen::Ref<Matrix> C) const {
  if (C.size() > 0) L_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().solveInPlace(C);
}

void GrowingCholesky::solve_upper(Eigen::Ref<Vector> s) const {
  if (size_ > 0) L_.topLeftCorner(size_, size_).triangularView<Eigen::Lower>().transpose().solveInPlace(s);
}

void GrowingCholesky::append(const VectorRef& row, double diagonal, double y) {
  reserve(size_ + 1);
  L_.row(size_).head(size_) = row.transpose();
  L_(size_, size_) = diagonal;
  y_[size_] = y;
  ++size_;
}

double GrowingCholesky::remove(Index p) {
  for (Index i = 0; i < p; ++i) {
    double* const column = L_.col(i).data();
    std::copy(column + p + 1, column + size_, column + p);
  }
  // Without row p, entry (i + 1, i + 1) is above the diagonal for i >= p; a rotation of columns i and i + 1
  // makes it zero.
  for (Index i = p; i + 1 < size_; ++i) {
    double* const first = L_.col(i).data() + i + 1;
    double* const second = L_.col(i + 1).data() + i + 1;
    const double length = std::hypot(*first, *second), c = *first / length, s = *second / length;
    rotate_and_shift(first, second, size_ - i - 1, c, s);
    const double a = y_[i], b = y_[i + 1];
    y_[i] = c * a + s * b;
    y_[i + 1] = c * b - s * a;
  }
  --size_;
  return y_[size_] * y_[size_];
}

void GrowingCholesky::reserve(Index size) {
  if (size <= y_.size()) return;
  // An odd multiple of a cache line: rows are written across columns, which a power of two would put into the
  // same few sets.
  const Index capacity = 16 * (size / 8) + 56;
  Matrix larger(capacity, capacity);
  for (Index i = 0; i < size_; ++i) larger.col(i).segment(i, size_ - i) = L_.col(i).segment(i, size_ - i);
  L_.swap(larger);
  y_.conservativeResize(capacity);
}

PivotBlock::PivotBlock(GrowingCholesky& factor, Matrix coupling, Matrix diagonal, Vector g)
    : factor_(factor), S_(std::move(diagonal)), g_(std::move(g)), known_(factor.size()) {
  factor.solve_lower(coupling);
  S_.noalias() -= coupling.transpose() * coupling;
  g_.noalias() -= coupling.transpose() * factor.y();
  C_.resize(known_ + size(), size());
  C_.topRows(known_) = coupling;
}

double PivotBlock::append(Index t) {
  const double diagonal = std::sqrt(S_(t, t)), y = g_[t] / diagonal;
  factor_.append(C_.col(t).head(known_), diagonal, y);
  const Vector row = S_.col(t) / diagonal;
  C_.row(known_++) = row.transpose();
  S_.noalias() -= row * row.transpose();
  g_ -= y * row;
  S_.col(t).setZero();  // it would be rounding
  S_.row(t).setZero();
  g_[t] = 0.0;
  return y * y;
}

}  // namespace limber
