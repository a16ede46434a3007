#include "limber/warp/damped_inverse.hpp"

#include "limber/linalg/svd.hpp"

#include <cmath>

namespace limber {

DampedInverse damped_inverse(const Matrix& A, double scale) {
  if (A.rows() == 0 || !(scale > 0.0)) return {Matrix::Zero(A.cols(), A.rows()), Matrix(A.cols(), 0)};
  const Svd svd = jacobi_svd(A);
  const double least = DampedInverse::singular_share * scale;
  Vector inverses(svd.values.size());
  Index kept = 0;
  for (Index i = 0; i < inverses.size(); ++i) {
    const double s = svd.values(i);
    inverses(i) = s < least ? std::pow(s / least, 3) / least : 1.0 / s;
    if (s >= least) kept = i + 1;
  }
  return {svd.V * inverses.asDiagonal() * svd.U.transpose(), svd.V.leftCols(kept)};
}

Matrix prioritized_inverse(const Matrix& first, const Matrix& second) {
  const Index n = first.cols();
  const DampedInverse one = damped_inverse(first, first.norm());
  Matrix result(n, first.rows() + second.rows());
  result.leftCols(first.rows()) = one.inverse;
  if (second.rows() == 0) return result;
  // What the first task leaves is compared with the whole second one: rounding must not pass for a direction.
  const Matrix rest = second - (second * one.row_space) * one.row_space.transpose();
  const DampedInverse two = damped_inverse(rest, second.norm());
  // Damped directions of the rest may reach into those of the first task by rounding.
  const Matrix within = two.inverse - one.row_space * (one.row_space.transpose() * two.inverse);
  result.rightCols(second.rows()) = within;
  result.leftCols(first.rows()) -= within * (second * one.inverse);
  return result;
}

}  // namespace limber
