#include "limber/linalg/lu.hpp"

#include <Eigen/LU>

namespace limber {

Matrix solve_general(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {
  return Eigen::PartialPivLU<Matrix>(A).solve(B);
}

}  // namespace limber
