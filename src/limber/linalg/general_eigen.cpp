#include "limber/linalg/general_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace limber {

Eigen::VectorXcd general_eigenvalues(const Eigen::Ref<const Matrix>& A) {
  if (A.size() == 0) return {};
  const Eigen::EigenSolver<Matrix> solver(A, false);
  if (solver.info() != Eigen::Success) return {};
  return solver.eigenvalues();
}

}  // namespace limber
