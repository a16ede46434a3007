#include "limber/linalg/symmetric_solve.hpp"

#include <Eigen/Cholesky>

namespace limber {

Matrix solve_symmetric(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {
  return Eigen::LDLT<Matrix>(A).solve(B);
}

Eigen::Matrix<double, 6, 1> solve_symmetric6(const Eigen::Matrix<double, 6, 6>& A,
                                             const Eigen::Matrix<double, 6, 1>& b) {
  return A.ldlt().solve(b);
}

}  // namespace limber
