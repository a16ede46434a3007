// Block Lanczos iteration for the lowest modes.
//
// With the operator A = (K - s M)^-1 M, self-adjoint in the M inner product, each step
//   1. solves for a block W = A V_j,
//   2. removes its components along all earlier vectors (twice, which is enough),
//   3. orthonormalises it to V_{j+1} and extends T = V^T M A V.
// Eigenvalues theta of T approximate those of A, so lambda = s + 1/theta, the lowest modes first. The norm of the last
// block's share in a Ritz vector is its residual, known without forming the vector.

#include "limber/linalg/eigensolver.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// A column of which less than this share of the longest one so far remains was dependent on the others.
constexpr double dependent = 1e-10;

class LanczosBasis {
 public:
  LanczosBasis(const SparseMatrix& M, std::uint64_t seed) : M_(M), random_(seed) {}

  Index size() const { return size_; }
  auto vectors() const { return V_.leftCols(size_); }
  auto last_block_mass(Index width) const { return MV_.middleCols(size_ - width, width); }

  /// M-orthonormalises W against the basis and itself and appends it; columns that turn out dependent are
  /// replaced by random directions. Returns the coefficients of W in the new vectors.
  Matrix append(const Matrix& W) {
    const Index width = W.cols();
    reserve(size_ + width, W.rows());
    Matrix rest = W;
    project_out(rest);
    for (Index c = 0; c < width; ++c) {
      Vector w = rest.col(c);
      scale_ = std::max(scale_, mass_norm(w));
      const double length = mass_norm(w);
      for (int pass = 0; pass < 2; ++pass) remove_new(w, c);
      double norm = mass_norm(w);
      if (norm < 0.1 * length) {  // what is left may have grown a share along the older vectors
        w -= V_.leftCols(size_) * (MV_.leftCols(size_).transpose() * w);
        remove_new(w, c);
        norm = mass_norm(w);
      }
      if (!(norm > dependent * scale_)) {
        w = random_direction(W.rows(), c);
        norm = 1.0;
      }
      V_.col(size_ + c) = w / norm;
      MV_.col(size_ + c).noalias() = M_ * V_.col(size_ + c);
    }
    size_ += width;
    return last_block_mass(width).transpose() * W;
  }

  /// V^T M W, and W without its components along V.
  Matrix project_out(Matrix& W) const {
    Matrix H = Matrix::Zero(size_, W.cols());
    for (int pass = 0; pass < 2 && size_ > 0; ++pass) {
      const Matrix h = MV_.leftCols(size_).transpose() * W;
      W.noalias() -= V_.leftCols(size_) * h;
      H += h;
    }
    return H;
  }

 private:
  void reserve(Index columns, Index rows) {
    if (columns <= V_.cols()) return;
    const Index capacity = std::max<Index>(columns, 2 * V_.cols());
    V_.conservativeResize(rows, capacity);
    MV_.conservativeResize(rows, capacity);
  }

  double mass_norm(const Vector& w) const { return std::sqrt(std::max(0.0, w.dot(M_ * w))); }

  /// Takes the components along the first `count` columns being appended out of w.
  void remove_new(Vector& w, Index count) const {
    w -= V_.middleCols(size_, count) * (MV_.middleCols(size_, count).transpose() * w);
  }

  /// A unit vector orthogonal to the basis and to the first `count` columns being appended.
  Vector random_direction(Index rows, Index count) {
    Matrix w(rows, 1);
    for (double& x : w.reshaped()) x = random_.normal();
    Vector direction;
    for (int pass = 0; pass < 2; ++pass) {
      project_out(w);
      direction = w.col(0);
      remove_new(direction, count);
      direction /= mass_norm(direction);
      w.col(0) = direction;
    }
    return direction;
  }

  const SparseMatrix& M_;
  Random random_;
  Matrix V_, MV_;
  Index size_ = 0;
  double scale_ = 0.0;  ///< longest column met: what "dependent" is measured against
};

Matrix start_block(const SparseMatrix& M, Index width, const Eigen::Ref<const Matrix>& start,
                   std::uint64_t seed) {
  Random random(seed);
  Matrix X(M.rows(), width);
  for (double& x : X.reshaped()) x = random.normal();
  const Index given = std::min(width, start.cols());
  X.leftCols(given) = start.leftCols(given);
  for (Index c = 0; c < width; ++c) {
    const double norm = std::sqrt(X.col(c).dot(M * X.col(c)));
    if (norm > 0.0) X.col(c) /= norm;
  }
  return X;
}

/// The `count` strongest combinations of the columns of W: what is left to add when the basis nearly spans
/// the whole space.
Matrix strongest(const Matrix& W, Index count) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(W.transpose() * W);
  return W * eigen.eigenvectors().rightCols(count);
}

/// The Ritz pairs of T, largest theta first, with their residuals.
struct RitzPairs {
  Vector theta;
  Matrix coefficients;
  double worst_residual;
};

RitzPairs ritz_pairs(const Matrix& T, Index size, Index count, const Matrix& last_coupling) {
  const Matrix symmetric = 0.5 * (T.topLeftCorner(size, size) + T.topLeftCorner(size, size).transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(symmetric);
  RitzPairs pairs;
  pairs.theta = eigen.eigenvalues().tail(count).reverse();
  pairs.coefficients = eigen.eigenvectors().rightCols(count).rowwise().reverse();
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
  const Index width = std::min<Index>(options.block_size, n);
  const Index limit = std::min<Index>(n, std::max<Index>(options.max_vectors, 2 * count + 2 * width));

  LanczosBasis basis(M, options.seed + 1);
  EigenResult result;
  Matrix T = Matrix::Zero(limit + width, limit + width);
  // One solve in front damps what the start block holds of high modes.
  Matrix W(n, width);
  result.report = solver.solve(M * start_block(M, width, start, options.seed), W);
  if (!result.report.ok()) return result;
  basis.append(W);

  RitzPairs pairs;
  Index last = width;  // columns in the block added last
  for (int iteration = 1;; ++iteration) {
    const Index size = basis.size();
    result.report = solver.solve(Matrix(basis.last_block_mass(last)), W.leftCols(last));
    if (!result.report.ok()) return result;
    Matrix rest = W.leftCols(last);
    const Matrix along_basis = basis.project_out(rest);
    T.block(0, size - last, size, last) = along_basis;
    T.block(size - last, 0, last, size) = along_basis.transpose();

    const Index room = std::min(last, n - size);
    Matrix coupling(0, last);  // of the last block to the next one
    if (room == last) {
      coupling = basis.append(rest);
    } else if (room > 0) {
      basis.append(strongest(rest, room));
      coupling = basis.last_block_mass(room).transpose() * rest;
    }
    result.report.iterations = iteration;
    if (size >= count) {
      pairs = ritz_pairs(T, size, count, coupling);
      result.report.residual = pairs.worst_residual;
      const double digits = std::log(std::max(pairs.worst_residual, 1e-300)) / std::log(options.tolerance);
      report(options.progress, "modes", std::clamp(digits, 0.0, 1.0));
      if (pairs.worst_residual <= options.tolerance) break;
    }
    if (size + room > limit) {
      result.report.status = SolveStatus::not_converged;
      break;
    }
    T.block(size, size - last, room, last) = coupling;
    T.block(size - last, size, last, room) = coupling.transpose();
    last = room;
  }

  result.values = shift + pairs.theta.array().inverse();
  result.vectors = basis.vectors().leftCols(pairs.coefficients.rows()) * pairs.coefficients;
  return result;
}

}  // namespace limber
