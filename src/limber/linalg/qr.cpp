#include "limber/linalg/qr.hpp"

#include <Eigen/QR>

#include <algorithm>

namespace limber {

Matrix orthonormal_columns(const Eigen::Ref<const Matrix>& A) {
  const Eigen::HouseholderQR<Matrix> qr(A);
  return qr.householderQ() * Matrix::Identity(A.rows(), std::min(A.rows(), A.cols()));
}

std::vector<Index> pivot_columns(const Eigen::Ref<const Matrix>& A) {
  const Eigen::ColPivHouseholderQR<Matrix> qr(A);
  const auto& order = qr.colsPermutation().indices();
  return {order.begin(), order.end()};
}

Matrix solve_least_squares(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {
  return Eigen::CompleteOrthogonalDecomposition<Matrix>(A).solve(B);
}

}  // namespace limber
