#include "limber/basis/krylov_basis.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/basis/narrow_products.hpp"
#include "limber/linalg/mass_basis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace limber {
namespace {

/// Directions of which a smaller share is new hold little but the rounding of their solve; a Gram matrix,
/// whose entries have errors of 1e-16, cannot tell shares below 1e-8 from none.
constexpr double dependent = 1e-7;

/// A pass that leaves this share of every column leaves no more than ten times the rounding along other
/// vectors.
constexpr double enough = 0.1;

/// More than this is taken off vectors that should be orthogonal already only where rounding got out of hand.
constexpr double rounding = 1e-5;

/// Check sums of some hundred products that are no more than rounding, 1e-15 each, stay below this. Products
/// that are left alone grow about tenfold with every two blocks, so that two of three passes spare the
/// middle.
constexpr double unnoticed = 1e-13;

/// Vectors with products that grow faster than that hold some of the softest motions, too.
constexpr double soft_product = 1e-12;
constexpr int check_sums = 3;

/// Vectors that hold the softest motions, in the beginning: more are found as the need arises.
constexpr Index first_soft = 24;

/// Each one makes a column that is nearly dependent at least 1e7 times more exact; the last one confirms.
constexpr int most_passes = 4;

/// Combinations of columns that are orthonormal, in their order.
struct Combinations {
  Matrix coefficients;  ///< columns x kept
  std::vector<Index> kept;
  double smallest_share = 1.0;  ///< of its length that a column keeps
};

/// By the Cholesky factorisation of the Gram matrix G.  lengths: of the columns before anything was taken off
/// them.
Combinations orthonormal_combinations(const Matrix& G, const Vector& lengths) {
  Combinations found;
  Matrix R = Matrix::Zero(G.rows(), G.rows());
  for (Index c = 0; c < G.cols(); ++c) {
    const Index n = static_cast<Index>(found.kept.size());
    Vector r = G(found.kept, c);
    R.topLeftCorner(n, n).triangularView<Eigen::Upper>().transpose().solveInPlace(r);
    const double left = std::sqrt(std::max(0.0, G(c, c) - r.squaredNorm()));
    if (!(left > dependent * lengths(c))) continue;
    R.col(n).head(n) = r;
    R(n, n) = left;
    found.kept.push_back(c);
    found.smallest_share = std::min(found.smallest_share, left / lengths(c));
  }
  const Index n = static_cast<Index>(found.kept.size());
  const Matrix inverse = R.topLeftCorner(n, n).triangularView<Eigen::Upper>().solve(Matrix::Identity(n, n));
  found.coefficients = Matrix::Zero(G.rows(), n);
  found.coefficients(found.kept, Eigen::all) = inverse;
  return found;
}

/// B = A C.
void combine(const Matrix& A, const Matrix& C, const Executor& executor, Eigen::Ref<Matrix> B) {
  constexpr Index rows_at_once = 1024;
  executor.parallel_ranges(A.rows(), rows_at_once, [&](Index begin, Index end) {
    B.middleRows(begin, end - begin).noalias() = A.middleRows(begin, end - begin) * C;
  });
}

}  // namespace

KrylovBasis::KrylovBasis(const SparseMatrix& M, const Eigen::Ref<const Matrix>& first, Index capacity,
                         const Executor& executor)
    : M_(M),
      executor_(executor),
      first_(first.cols()),
      V_(M.rows(), first.cols() + capacity),
      MR_(M.rows(), 0),
      checks_(Matrix::Zero(M.rows(), check_sums)),
      signs_(check_sums, V_.cols()),
      size_(first.cols()),
      soft_(first.cols() + first_soft) {
  V_.leftCols(first_) = first;
  Random random(1);
  for (double& sign : signs_.reshaped()) sign = random.uniform() < 0.5 ? -1.0 : 1.0;
  add_to_checks();
}

void KrylovBasis::append(Matrix W) {
  const auto recent = V_.middleCols(size_ - MR_.cols(), MR_.cols());
  Matrix MW;
  Combinations found{Matrix(), {}, 0.0};
  for (int pass = 0; pass < most_passes && found.smallest_share < enough; ++pass) {
    if (pass > 0) W = tall_combination(W, found.coefficients, executor_);
    const Matrix H = narrow_product(MR_, W, executor_);
    subtract_combination(recent, H, W, executor_);
    MW.resize(W.rows(), W.cols());
    M_.apply(W, MW, executor_);
    const Matrix G = narrow_product(W, MW, executor_);
    // By Pythagoras, what was taken off and what is left make up the columns.
    found = orthonormal_combinations(G, (H.colwise().squaredNorm() + G.diagonal().transpose()).cwiseSqrt());
  }
  const Index added = found.coefficients.cols();
  require(size_ + added <= V_.cols(), "{} more vectors for a basis of {}, which holds {} already", added,
          V_.cols() - first_, size());
  combine(W, found.coefficients, executor_, V_.middleCols(size_, added));
  Matrix MR(W.rows(), last_ + added);
  MR.leftCols(last_) = last_mass_vectors();
  combine(MW, found.coefficients, executor_, MR.rightCols(added));
  MR_ = std::move(MR);
  size_ += added;
  last_ = added;
  pending_ += added;
  if (pending_ > added || added == 0) finish();
}

void KrylovBasis::finish() {
  if (pending_ == 0) return;
  if (const Index old = size_ - pending_; old > 0) {
    Eigen::Ref<Matrix> X = V_.middleCols(old, pending_);
    const Matrix H = products_with_pending();
    subtract_combination(V_.leftCols(old), H, X, executor_);
    if (H.cwiseAbs().maxCoeff() < rounding) {
      // Of orthonormal columns, X^T M X = I - H^T H is left.
      const Matrix G = Matrix::Identity(pending_, pending_) - H.transpose() * H;
      combine(Matrix(X), orthonormal_combinations(G, Vector::Ones(pending_)).coefficients, executor_, X);
    } else {
      finish_thoroughly();
    }
    // Exact again: the next block multiplies errors along the softest motions by their compliance.
    M_.apply(V_.middleCols(size_ - last_, last_), MR_.rightCols(last_), executor_);
  }
  pending_ = 0;
  add_to_checks();
}

/// V^T M X for the pending vectors X and those before them; zero for the vectors in the middle where the
/// check sums find nothing there.
Matrix KrylovBasis::products_with_pending() {
  const Index old = size_ - pending_, begin = std::min(soft_, old), end = std::max(begin, old - 2 * pending_);
  const auto MX = MR_.rightCols(pending_);
  const auto products = [&](Index from, Index to) {
    return narrow_product(V_.middleCols(from, to - from), MX, executor_);
  };
  Matrix H = Matrix::Zero(old, pending_);
  H.topRows(begin) = products(0, begin);
  H.bottomRows(old - end) = products(end, old);
  if (begin == end) return H;
  const Matrix unexplained = narrow_product(checks_, MX, executor_) - signs_.leftCols(old) * H;
  if (unexplained.cwiseAbs().maxCoeff() < unnoticed) return H;
  H.middleRows(begin, end - begin) = products(begin, end);
  for (Index i = begin; i < end; ++i) {
    if (H.row(i).cwiseAbs().maxCoeff() > soft_product) soft_ = i + 1;
  }
  return H;
}

/// The sums take up all vectors that they do not hold yet.
void KrylovBasis::add_to_checks() {
  const Index added = size_ - checked_;
  subtract_combination(V_.middleCols(checked_, added), -signs_.middleCols(checked_, added).transpose(),
                       checks_, executor_);
  checked_ = size_;
}

/// Further passes for columns that had unit lengths, of which one pass took much.
void KrylovBasis::finish_thoroughly() {
  const auto old = V_.leftCols(size_ - pending_);
  Matrix X = V_.middleCols(size_ - pending_, pending_), MX;
  Combinations found;
  for (int pass = 0; pass < most_passes; ++pass) {
    MX.resize(X.rows(), X.cols());
    M_.apply(X, MX, executor_);
    if (pass > 0) {
      subtract_combination(old, narrow_product(old, MX, executor_), X, executor_);
      M_.apply(X, MX, executor_);
    }
    const Matrix G = narrow_product(X, MX, executor_);
    found = orthonormal_combinations(G, Vector::Ones(G.rows()));
    last_ =
        std::count_if(found.kept.begin(), found.kept.end(), [&](Index c) { return c >= G.rows() - last_; });
    X = tall_combination(X, found.coefficients, executor_);
    if (found.smallest_share > enough) break;
  }
  size_ += X.cols() - pending_;
  V_.middleCols(size_ - X.cols(), X.cols()) = X;
  MR_ = tall_combination(MX, found.coefficients, executor_);
}

Matrix KrylovBasis::take_vectors() {
  finish();
  if (first_ > 0) V_ = V_.middleCols(first_, size()).eval();
  V_.conservativeResize(Eigen::NoChange, size());
  first_ = size_ = last_ = checked_ = 0;
  MR_.resize(M_.rows(), 0);
  checks_.setZero();
  return std::exchange(V_, Matrix(M_.rows(), 0));
}

}  // namespace limber
