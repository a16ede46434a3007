#include "limber/linalg/symmetric_eigen.hpp"

#include "limber/linalg/cholesky.hpp"

#include <Eigen/Eigenvalues>

namespace limber {
namespace {

SymmetricEigen solve(const Eigen::Ref<const Matrix>& A, int options) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(A, options);
  SymmetricEigen result;
  result.values = solver.eigenvalues();
  if (options == Eigen::ComputeEigenvectors) result.vectors = solver.eigenvectors();
  result.found = solver.info() == Eigen::Success && result.values.allFinite();
  return result;
}

/// With M = L L^T the pair has the values of C = L^-1 A L^-T, and the vectors L^-T times those of C.
SymmetricEigen solve(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& M, int options) {
  const Cholesky mass(M);
  if (!mass.ok()) return {};
  const Matrix whole = A.selfadjointView<Eigen::Lower>();
  const Matrix C = mass.solve_lower(mass.solve_lower(whole).transpose());
  SymmetricEigen result = solve(C, options);
  if (options == Eigen::ComputeEigenvectors) result.vectors = mass.solve_upper(result.vectors);
  return result;
}

}  // namespace

SymmetricEigen symmetric_eigen(const Eigen::Ref<const Matrix>& A) {
  return solve(A, Eigen::ComputeEigenvectors);
}

SymmetricEigen symmetric_eigen(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& M) {
  return solve(A, M, Eigen::ComputeEigenvectors);
}

SymmetricEigen symmetric_eigenvalues(const Eigen::Ref<const Matrix>& A) {
  return solve(A, Eigen::EigenvaluesOnly);
}

SymmetricEigen symmetric_eigenvalues(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& M) {
  return solve(A, M, Eigen::EigenvaluesOnly);
}

SymmetricEigen3 symmetric_eigen3(const Matrix3& A) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace limber
