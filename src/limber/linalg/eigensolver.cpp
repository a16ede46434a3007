// Block Lanczos iteration for the lowest modes.
//
// With the operator A = (K - s M)^-1 M, self-adjoint in the M inner product, each step
//   1. solves for a block W = A V_j,
//   2. removes its components along all earlier vectors and orthonormalises it to V_{j+1} (MassBasis),
//   3. extends T = V^T M A V.
// Eigenvalues theta of T approximate those of A, so lambda = s + 1/theta, the lowest modes first. The norm of
// the last block's share in a Ritz vector is its residual, known without forming the vector.

#include "limber/linalg/eigensolver.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/linalg/mass_basis.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// A column of which a smaller share than this is new holds nothing but the rounding of its solve.
constexpr double dependent = 1e-13;

/// Appends W to the basis; where columns turn out dependent, random directions take their place, so that
/// blocks keep their width and no copy of a repeated eigenvalue is missed. Returns the coefficients of W:
/// size x columns.
Matrix append_block(MassBasis& basis, const Matrix& W, Random& random) {
  const Index target = std::min(basis.size() + W.cols(), W.rows());
  Matrix R = basis.append(W, dependent);
  while (basis.size() < target) {
    Matrix fill(W.rows(), target - basis.size());
    for (double& x : fill.reshaped()) x = random.normal();
    basis.append(std::move(fill), dependent);
  }
  const Index found = R.rows();
  R.conservativeResize(basis.size(), Eigen::NoChange);
  R.bottomRows(basis.size() - found).setZero();
  return R;
}

/// M times the start block: the given directions, filled up by random ones.
Matrix start_loads(const SymmetricProduct& M, Index width, const Eigen::Ref<const Matrix>& start,
                   Random& random, const Executor& executor) {
  Matrix X(M.rows(), width), MX(M.rows(), width);
  for (double& x : X.reshaped()) x = random.normal();
  const Index given = std::min(width, start.cols());
  if (given > 0) X.leftCols(given) = start.leftCols(given);
  M.apply(X, MX, executor);
  for (Index c = 0; c < width; ++c) {
    const double norm = std::sqrt(X.col(c).dot(MX.col(c)));
    if (norm > 0.0) MX.col(c) /= norm;
  }
  return MX;
}

/// The `count` strongest combinations of the columns of W: what is left to add when the basis nearly spans
/// the whole space.
Matrix strongest(const Matrix& W, Index count) {
  return W * symmetric_eigen(W.transpose() * W).vectors.rightCols(count);
}

/// A block that the operator was applied to, in terms of the basis, which it extends.
struct Expansion {
  Matrix along;     ///< coefficients in the vectors there were
  Matrix coupling;  ///< and in those added
};

Expansion expand(MassBasis& basis, const Eigen::Ref<const Matrix>& W, Random& random) {
  const Index size = basis.size(), room = std::min(W.cols(), W.rows() - size);
  if (room == W.cols()) {
    const Matrix R = append_block(basis, W, random);
    return {R.topRows(size), R.bottomRows(room)};
  }
  Matrix rest = W;
  Matrix along = basis.project_out(rest);
  along += basis.project_out(rest);
  append_block(basis, strongest(rest, room), random);
  return {along, basis.mass_vectors().rightCols(room).transpose() * rest};
}

/// The Ritz pairs of T, largest theta first, with their residuals.
struct RitzPairs {
  Vector theta;
  Matrix coefficients;
  double worst_residual;
};

RitzPairs ritz_pairs(const Matrix& T, Index size, Index count, const Matrix& last_coupling) {
  const Matrix symmetric = 0.5 * (T.topLeftCorner(size, size) + T.topLeftCorner(size, size).transpose());
  const SymmetricEigen eigen = symmetric_eigen(symmetric);
  RitzPairs pairs;
  pairs.theta = eigen.values.tail(count).reverse();
  pairs.coefficients = eigen.vectors.rightCols(count).rowwise().reverse();
  pairs.worst_residual = 0.0;
  if (last_coupling.rows() == 0) return pairs;
  const Matrix leak = last_coupling * pairs.coefficients.bottomRows(last_coupling.cols());
  for (Index i = 0; i < count; ++i) {
    pairs.worst_residual = std::max(pairs.worst_residual, leak.col(i).norm() / std::abs(pairs.theta(i)));
  }
  return pairs;
}

}  // namespace

EigenResult lowest_eigenpairs(SparseSolver& solver, const SparseMatrix& M, int count, double shift,
                              const Eigen::Ref<const Matrix>& start, const EigenOptions& options) {
  const Index n = M.rows();
  require(count >= 1 && count <= n, "{} modes asked for, the model has {}", count, n);
  require(options.block_size >= 1, "the eigensolver's block_size is {}, expected 1 or more",
          options.block_size);
  require(options.tolerance > 0.0 && options.tolerance < 1.0,
          "the eigensolver's tolerance is {}, expected more than 0 and less than 1", options.tolerance);
  require(start.cols() == 0 || start.rows() == n, "start directions have {} rows, the mass matrix {}",
          start.rows(), n);
  const Index width = std::min<Index>(options.block_size, n);
  const Index limit = std::min<Index>(n, std::max<Index>(options.max_vectors, 2 * count + 2 * width));

  Random random(options.seed);
  MassBasis basis(M, options.executor);
  basis.reserve(std::min(limit + width, 4 * count + 2 * width));
  EigenResult result;
  Matrix T = Matrix::Zero(limit + width, limit + width);
  // One solve in front damps what the start block holds of high modes.
  Matrix W(n, width);
  result.report = solver.solve(start_loads(basis.mass(), width, start, random, options.executor), W);
  if (!result.report.ok()) return result;
  append_block(basis, W, random);

  RitzPairs pairs;
  Index last = width;  // columns in the block added last
  for (int iteration = 1;; ++iteration) {
    const Index size = basis.size();
    result.report = solver.solve(basis.mass_vectors().rightCols(last), W.leftCols(last));
    if (!result.report.ok()) return result;
    const Expansion image = expand(basis, W.leftCols(last), random);
    T.block(0, size - last, size, last) = image.along;
    T.block(size - last, 0, last, size) = image.along.transpose();

    result.report.iterations = iteration;
    if (size >= count) {
      pairs = ritz_pairs(T, size, count, image.coupling);
      result.report.residual = pairs.worst_residual;
      const double digits = std::log(std::max(pairs.worst_residual, 1e-300)) / std::log(options.tolerance);
      report(options.progress, "modes", std::clamp(digits, 0.0, 1.0));
      if (pairs.worst_residual <= options.tolerance) break;
    }
    const Index room = basis.size() - size;
    if (size + room > limit) {
      result.report.status = SolveStatus::not_converged;
      break;
    }
    T.block(size, size - last, room, last) = image.coupling;
    T.block(size - last, size, last, room) = image.coupling.transpose();
    last = room;
  }

  result.values = shift + pairs.theta.array().inverse();
  result.vectors = tall_combination(basis.vectors().leftCols(pairs.coefficients.rows()), pairs.coefficients,
                                    options.executor);
  return result;
}

}  // namespace limber
