#include "limber/basis/basis_quality.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/mass_basis.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// Columns that are orthonormalised or projected together.
constexpr Index columns_at_once = 48;

/// Columns of a basis of which a smaller share is new are taken for rounding.
constexpr double dependent_share = 1e-13;

void require_rows(const Eigen::Ref<const Matrix>& X, const SparseMatrix& M, const char* what) {
  require(X.rows() == M.rows(), "{} of {} rows, the mass matrix has {}", what, X.rows(), M.rows());
  require(X.allFinite(), "{} with numbers that are not finite", what);
}

/// Mass-norms of the parts of each vector in the span of a basis and beside it.
struct Parts {
  Vector inside, beside;
};

Parts split_by_basis(const Eigen::Ref<const Matrix>& U, const Eigen::Ref<const Matrix>& vectors,
                     const SparseMatrix& M, const Executor& executor) {
  require_rows(U, M, "a basis");
  require_rows(vectors, M, "vectors");
  MassBasis basis(M, executor);
  basis.reserve(std::min(U.rows(), U.cols()));
  for (Index begin = 0; begin < U.cols(); begin += columns_at_once)
    basis.append(U.middleCols(begin, std::min(columns_at_once, U.cols() - begin)), dependent_share);
  Parts parts{Vector(vectors.cols()), Vector(vectors.cols())};
  for (Index begin = 0; begin < vectors.cols(); begin += columns_at_once) {
    const Index columns = std::min(columns_at_once, vectors.cols() - begin);
    Matrix X = vectors.middleCols(begin, columns), MX(X.rows(), columns);
    // Twice, so that what is left is exact however little it is.
    Matrix H = basis.project_out(X);
    H += basis.project_out(X);
    basis.mass().apply(X, MX, executor);
    parts.inside.segment(begin, columns) = H.colwise().norm();
    for (Index c = 0; c < columns; ++c)
      parts.beside(begin + c) = std::sqrt(std::max(0.0, X.col(c).dot(MX.col(c))));
  }
  return parts;
}

}  // namespace

double orthonormality_error(const Eigen::Ref<const Matrix>& U, const SparseMatrix& M,
                            const Executor& executor) {
  require_rows(U, M, "a basis");
  if (U.cols() == 0) return 0.0;
  Matrix MU(U.rows(), U.cols());
  SymmetricProduct(M).apply(U, MU, executor);
  const Matrix G = tall_product(U, MU, executor);
  return (G - Matrix::Identity(G.rows(), G.cols())).cwiseAbs().maxCoeff();
}

Vector subspace_angles(const Eigen::Ref<const Matrix>& U, const Eigen::Ref<const Matrix>& vectors,
                       const SparseMatrix& M, const Executor& executor) {
  const Parts parts = split_by_basis(U, vectors, M, executor);
  Vector angles(vectors.cols());
  for (Index c = 0; c < vectors.cols(); ++c) {
    require(parts.inside(c) > 0.0 || parts.beside(c) > 0.0,
            "vector {} is zero and has no angle with a subspace", c);
    angles(c) = std::atan2(parts.beside(c), parts.inside(c));
  }
  return angles;
}

double projection_error(const Eigen::Ref<const Matrix>& U, const Eigen::Ref<const Matrix>& samples,
                        const SparseMatrix& M, const Executor& executor) {
  const Parts parts = split_by_basis(U, samples, M, executor);
  const double beside = parts.beside.squaredNorm(), all = beside + parts.inside.squaredNorm();
  require(all > 0.0, "the samples are all zero: no share of them can be missed");
  return std::sqrt(beside / all);
}

}  // namespace limber
