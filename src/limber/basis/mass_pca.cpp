#include "limber/basis/mass_pca.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/mass_basis.hpp"
#include "limber/linalg/svd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

/// Columns that are orthonormalised together.
constexpr Index block_columns = 48;

/// For principal components a sample is dropped only where nothing but rounding is left of it: this leaves
/// singular values right down to 1e-13 of the largest.
constexpr double rounding = 1e-15;

/// Directions with smaller singular values, as a share of the largest, are no part of the basis: samples are
/// not known that well. Modes are found to residuals of 1e-9, static shapes to 1e-8, and text files hold
/// fewer digits than doubles; a digit less than these, so that nothing known is lost. A vector made of errors
/// would be as long as any other.
constexpr double noise = 1e-10;

void require_rows(const Eigen::Ref<const Matrix>& X, const SparseMatrix& M) {
  require(X.rows() == M.rows(), "samples have {} rows, the mass matrix {}", X.rows(), M.rows());
}

/// The largest component of each column is made positive: singular vectors have no sign of their own.
void fix_signs(Matrix& basis) {
  for (Index c = 0; c < basis.cols(); ++c) {
    Index largest = 0;
    basis.col(c).cwiseAbs().maxCoeff(&largest);
    if (basis(largest, c) < 0.0) basis.col(c) *= -1.0;
  }
}

/// Of all columns of X.
double largest_mass_norm(const Matrix& X, const SymmetricProduct& M) {
  double largest = 0.0;
  for (Index begin = 0; begin < X.cols(); begin += block_columns) {
    const auto block = X.middleCols(begin, std::min(block_columns, X.cols() - begin));
    Matrix product(block.rows(), block.cols());
    M.apply(block, product, Executor(1));
    for (Index c = 0; c < block.cols(); ++c) largest = std::max(largest, block.col(c).dot(product.col(c)));
  }
  return std::sqrt(largest);
}

}  // namespace

MassQr mass_orthonormalize(const Eigen::Ref<const Matrix>& X, const SparseMatrix& M, double tolerance,
                           const Executor& executor) {
  require_rows(X, M);
  require(X.allFinite(), "samples hold numbers that are not finite");
  MassBasis basis(M, executor);
  const Index most = std::min(X.rows(), X.cols());
  basis.reserve(most);
  Matrix R = Matrix::Zero(most, X.cols());
  for (Index begin = 0; begin < X.cols(); begin += block_columns) {
    const Index columns = std::min(block_columns, X.cols() - begin);
    const Matrix coefficients = basis.append(X.middleCols(begin, columns), tolerance);
    R.block(0, begin, coefficients.rows(), columns) = coefficients;
  }
  R.conservativeResize(basis.size(), Eigen::NoChange);
  return {basis.take_vectors(), std::move(R)};
}

MassPca mass_pca(const Eigen::Ref<const Matrix>& samples, const SparseMatrix& M, Index rank,
                 const Executor& executor) {
  require(rank >= 1, "a basis of rank {} asked for, expected at least 1", rank);
  const auto [Q, R] = mass_orthonormalize(samples, M, rounding, executor);
  MassPca pca;
  pca.singular_values = Vector::Zero(std::min(samples.rows(), samples.cols()));
  if (Q.cols() == 0) {
    pca.basis.resize(samples.rows(), 0);
    return pca;
  }
  const LeftSingularVectors svd = left_singular_vectors(R);
  pca.singular_values.head(svd.values.size()) = svd.values;
  const auto significant = pca.singular_values.array() > noise * pca.singular_values(0);
  const Index kept = std::min<Index>(rank, significant.count());
  pca.basis =
      mass_orthonormalize(tall_combination(Q, svd.U.leftCols(kept), executor), M, rounding, executor).Q;
  fix_signs(pca.basis);
  return pca;
}

Matrix mix_samples(std::vector<WeightedSamples> sources, const SparseMatrix& M) {
  Index columns = 0;
  for (const WeightedSamples& source : sources) columns += source.samples.cols();
  Matrix mixed(M.rows(), columns);
  const SymmetricProduct mass(M);
  Index begin = 0;
  for (WeightedSamples& source : sources) {
    const Matrix X = std::exchange(source.samples, Matrix());
    require_rows(X, M);
    require(std::isfinite(source.weight) && source.weight > 0.0,
            "the weight of samples is {}, expected a positive number", source.weight);
    const double largest = largest_mass_norm(X, mass);
    mixed.middleCols(begin, X.cols()) = (largest > 0.0 ? source.weight / largest : 1.0) * X;
    begin += X.cols();
  }
  return mixed;
}

}  // namespace limber
