#include "limber/basis/energy_pca.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/linalg/mass_basis.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// Directions with less than this share of the energy of all samples are rounding: static shapes are known
/// to about 1e-10 of their length, that is 1e-20 of their energy, but differences of them, in which energies
/// cancel, far less well.
constexpr double least_energy = 1e-10;

Matrix times_stiffness(const RestStiffness& rest, const Eigen::Ref<const Matrix>& X) {
  Matrix KX(X.rows(), X.cols());
  SymmetricProduct(rest.matrix()).apply(X, KX, rest.model().executor());
  return KX;
}

void check_sizes(const RestStiffness& rest, const Eigen::Ref<const Matrix>& U,
                 const Eigen::Ref<const Matrix>& X) {
  const Index dofs = rest.model().dof_count();
  require(U.rows() == dofs && X.rows() == dofs,
          "a basis of {} rows and shapes of {}, the body has {} unknowns", U.rows(), X.rows(), dofs);
}

/// What U does not hold of some shapes, in the metric of K.
Matrix remainder_in_energy(const RestStiffness& rest, const Eigen::Ref<const Matrix>& U,
                           const Eigen::Ref<const Matrix>& X) {
  if (U.cols() == 0) return X;
  const Executor& executor = rest.model().executor();
  const Matrix KU = times_stiffness(rest, U);
  const Cholesky factor(tall_product(U, KU, executor));
  require(factor.ok(), "the basis moves the body without straining it: it has no stiffness there");
  Matrix left = X;
  // Twice: the coefficients of the first pass are as good as the condition of U^T K U.
  for (int pass = 0; pass < 2; ++pass)
    left -= tall_combination(U, factor.solve(tall_product(KU, left, executor)), executor);
  return left;
}

Vector energies(const RestStiffness& rest, const Eigen::Ref<const Matrix>& X) {
  return X.cwiseProduct(times_stiffness(rest, X)).colwise().sum();
}

}  // namespace

Vector held_energy(const RestStiffness& rest, const Eigen::Ref<const Matrix>& U,
                   const Eigen::Ref<const Matrix>& shapes) {
  check_sizes(rest, U, shapes);
  const Vector all = energies(rest, shapes), left = energies(rest, remainder_in_energy(rest, U, shapes));
  Vector held = Vector::Ones(shapes.cols());
  for (Index i = 0; i < held.size(); ++i) {
    if (all(i) > 0.0) held(i) = std::clamp(1.0 - left(i) / all(i), 0.0, 1.0);
  }
  return held;
}

Matrix energy_directions(const RestStiffness& rest, const Eigen::Ref<const Matrix>& U,
                         const Eigen::Ref<const Matrix>& samples, Index most) {
  check_sizes(rest, U, samples);
  const Executor& executor = rest.model().executor();
  if (samples.cols() == 0 || most <= 0) return Matrix(samples.rows(), 0);
  const double all = energies(rest, samples).sum();
  const Matrix left = remainder_in_energy(rest, U, samples);
  const SymmetricEigen parts = symmetric_eigen(tall_product(left, times_stiffness(rest, left), executor));
  require(parts.found, "the samples of a basis hold numbers that are not finite");
  const Index count = std::min<Index>(most, (parts.values.array() > least_energy * all).count());
  // They ascend.
  const Vector lengths = parts.values.tail(count).reverse().cwiseSqrt();
  const Matrix combinations =
      parts.vectors.rightCols(count).rowwise().reverse() * lengths.cwiseInverse().asDiagonal();
  return tall_combination(left, combinations, executor);
}

}  // namespace limber
