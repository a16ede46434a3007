#include "limber/warp/damped_inverse.hpp"

#include "limber/linalg/svd.hpp"

#include <cmath>

namespace limber {

void DampedInverse::compute(const Eigen::Ref<const Matrix>& A, double scale) {
  const Index rows = A.rows(), n = A.cols();
  inverse_.resize(n, rows);
  row_space_.resize(n, rows);
  kept_ = 0;
  if (rows == 0 || !(scale > 0.0)) {
    inverse_.setZero();
    return;
  }
  turns_.resize(rows, rows);
  turned_ = A.transpose();
  orthogonalize_columns(turned_, turns_);
  const double least = singular_share * scale;
  for (Index i = 0; i < rows; ++i) {
    const double s = turned_.col(i).norm();
    if (s >= least) row_space_.col(kept_++) = turned_.col(i) / s;
    turned_.col(i) *= s < least ? std::pow(s / least, 2) / (least * least) : 1.0 / (s * s);
  }
  inverse_.noalias() = turned_.lazyProduct(turns_.transpose());
}

const Matrix& PrioritizedInverse::compute(const Eigen::Ref<const Matrix>& first,
                                          const Eigen::Ref<const Matrix>& second) {
  const Index n = first.cols();
  one_.compute(first, first.norm());
  result_.resize(n, first.rows() + second.rows());
  result_.leftCols(first.rows()) = one_.inverse();
  if (second.rows() == 0) return result_;
  // What the first task leaves is compared with the whole second one: rounding must not pass for a direction.
  const auto reached = one_.row_space();
  shares_.resize(second.rows(), first.rows());
  auto shares = shares_.leftCols(reached.cols());
  shares.noalias() = second.lazyProduct(reached);
  rest_ = second;
  rest_.noalias() -= shares.lazyProduct(reached.transpose());
  two_.compute(rest_, second.norm());
  // Damped directions of the rest may reach into those of the first task by rounding.
  shares.noalias() = two_.inverse().transpose().lazyProduct(reached);
  within_ = two_.inverse();
  within_.noalias() -= reached.lazyProduct(shares.transpose());
  result_.rightCols(second.rows()) = within_;
  product_.resize(second.rows(), first.rows());
  product_.noalias() = second.lazyProduct(one_.inverse());
  result_.leftCols(first.rows()).noalias() -= within_.lazyProduct(product_);
  return result_;
}

}  // namespace limber
