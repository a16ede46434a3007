#include "limber/online/online_basis.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/svd.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

OnlineBasis::OnlineBasis(const SparseMatrix& mass) : mass_(mass) {
  // The sum of all entries counts the mass once for each axis. By rows: a sparse matrix adds up its entries
  // in an order that depends on where in memory they lie.
  const Vector rows = mass * Vector::Ones(mass.cols());
  root_mass_ = std::sqrt(rows.sum() / 3.0);
  require(root_mass_ > 0.0, "the body has no mass that could move");
}

double OnlineBasis::norm(const VectorRef& x) const {
  return std::sqrt(std::max(0.0, x.dot(mass_ * x))) / root_mass_;
}

Vector OnlineBasis::coordinates(const VectorRef& x) const {
  return weighted_.leftCols(rank_).transpose() * x;
}

Vector OnlineBasis::vector(const VectorRef& q) const {
  if (rank_ == 0) return Vector::Zero(mass_.rows());
  return columns_.leftCols(rank_) * q;
}

Vector OnlineBasis::momentum(const VectorRef& q) const {
  if (rank_ == 0) return Vector::Zero(mass_.rows());
  return weighted_.leftCols(rank_) * q;
}

double OnlineBasis::add(Vector x, double smallest) {
  // Twice is enough: what the first pass leaves of the columns by rounding, the second removes.
  for (int pass = 0; pass < 2; ++pass) {
    for (Index i = 0; i < rank_; ++i) x -= weighted_.col(i).dot(x) * columns_.col(i);
  }
  const Vector product = mass_ * x;
  const double length = std::sqrt(std::max(0.0, x.dot(product)));
  if (!(length > smallest * root_mass_) || length == 0.0) return length / root_mass_;
  reserve(rank_ + 1);
  columns_.col(rank_) = x / length;
  weighted_.col(rank_) = product / length;
  ++rank_;
  return length / root_mass_;
}

void OnlineBasis::turn(const Matrix& R) {
  require(R.rows() == rank_ && R.cols() <= rank_, "a rotation of {} x {} does not fit a basis of rank {}",
          R.rows(), R.cols(), rank_);
  const Matrix columns = columns_.leftCols(rank_) * R, weighted = weighted_.leftCols(rank_) * R;
  rank_ = R.cols();
  columns_.leftCols(rank_) = columns;
  weighted_.leftCols(rank_) = weighted;
}

void OnlineBasis::reserve(Index rank) {
  if (columns_.cols() >= rank) return;
  const Index room = std::max<Index>(16, 2 * columns_.cols());
  columns_.conservativeResize(mass_.rows(), room);
  weighted_.conservativeResize(mass_.rows(), room);
}

void OnlineBasis::save(StateWriter& out) const {
  out.write(Matrix(columns_.leftCols(rank_)));
  out.write(Matrix(weighted_.leftCols(rank_)));
}

void OnlineBasis::restore(StateReader& in) {
  in.read(columns_);
  in.read(weighted_);
  rank_ = columns_.cols();
  require((rank_ == 0 || columns_.rows() == mass_.rows()) && weighted_.rows() == columns_.rows() &&
              weighted_.cols() == rank_,
          "the saved basis has {} rows, the body has {} unknowns", columns_.rows(), mass_.rows());
}

Matrix recent_directions(const Matrix& states, Index count) {
  return left_singular_vectors(states, true).U.leftCols(std::min(count, states.rows()));
}

}  // namespace limber
