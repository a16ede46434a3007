#include "limber/linalg/cholesky.hpp"

#include <Eigen/Cholesky>

#include <cmath>

namespace limber {

bool Cholesky::compute(const Eigen::Ref<const Matrix>& A) {
  factor_ = A;
  const Eigen::LLT<Eigen::Ref<Matrix>> in_place(factor_);
  // A pivot that is no number makes all later ones so, without Eigen noticing.
  ok_ = in_place.info() == Eigen::Success && std::isfinite(factor_.diagonal().sum());
  return ok_;
}

Matrix Cholesky::solve(const Eigen::Ref<const Matrix>& B) const {
  Matrix X = B;
  solve_in_place(X);
  return X;
}

void Cholesky::solve_in_place(Eigen::Ref<Matrix> B) const {
  const auto L = factor_.triangularView<Eigen::Lower>();
  if (B.cols() == 1) {
    auto b = B.col(0);
    L.solveInPlace(b);
    L.transpose().solveInPlace(b);
  } else {
    L.solveInPlace(B);
    L.transpose().solveInPlace(B);
  }
}

Matrix Cholesky::solve_lower(const Eigen::Ref<const Matrix>& B) const {
  Matrix X = B;
  factor_.triangularView<Eigen::Lower>().solveInPlace(X);
  return X;
}

Matrix Cholesky::solve_upper(const Eigen::Ref<const Matrix>& B) const {
  Matrix X = B;
  factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(X);
  return X;
}

Matrix Cholesky::lower() const { return factor_.triangularView<Eigen::Lower>(); }

}  // namespace limber
