#include "limber/linalg/mass_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace limber {

/// The Cholesky factorisation of a Gram matrix, columns that are nearly dependent on earlier ones left out:
/// G(kept, kept) = R^T R.
struct MassBasis::GramFactor {
  std::vector<Index> kept;
  std::vector<Index> put_off;
  Matrix R;            ///< upper triangular
  double share = 1.0;  ///< smallest share of its length that a column keeps
};

namespace {

/// Rows that one thread works on: a hundred columns of them fit into its cache.
constexpr Index rows_of_a_thread = 1024;

/// A column that keeps less than this share of its length when the others of its block are taken off it is
/// put off until they are in the basis: rounding grows by the inverse square of that share where a Gram
/// matrix is factored, to 1e-10 here, which the second pass corrects.
constexpr double least_in_block = 1e-3;

/// The same share in the second pass, when the columns are orthonormal but for rounding.
constexpr double least_in_second_pass = 0.1;

/// Passes that a single column gets at most: the second always suffices unless the first left nothing but
/// rounding.
constexpr int most_passes = 4;

/// W = W C in place.
void combine(Eigen::Ref<Matrix> W, const Matrix& C, const Executor& executor) {
  executor.parallel_ranges(W.rows(), rows_of_a_thread, [&](Index begin, Index end) {
    const Matrix rows = W.middleRows(begin, end - begin);
    W.middleRows(begin, end - begin).noalias() = rows * C;
  });
}

std::vector<Index> all_columns(const Matrix& G) {
  std::vector<Index> all(static_cast<std::size_t>(G.cols()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

Matrix inverse_of_upper(const Matrix& R) {
  return R.triangularView<Eigen::Upper>().solve(Matrix::Identity(R.rows(), R.cols()));
}

}  // namespace

/// candidates: columns to look at, of positive length.  room: columns to keep at most.
MassBasis::GramFactor MassBasis::factor_gram(const Matrix& G, const std::vector<Index>& candidates,
                                             Index room) {
  GramFactor factor;
  Matrix R = Matrix::Zero(G.rows(), G.rows());
  for (const Index c : candidates) {
    const Index n = static_cast<Index>(factor.kept.size());
    if (n == room) {
      factor.put_off.push_back(c);
      continue;
    }
    Vector r = G(factor.kept, c);
    R.topLeftCorner(n, n).triangularView<Eigen::Upper>().transpose().solveInPlace(r);
    const double left = std::sqrt(std::max(0.0, G(c, c) - r.squaredNorm())),
                 share = left / std::sqrt(G(c, c));
    if (share > least_in_block) {
      R.col(n).head(n) = r;
      R(n, n) = left;
      factor.share = std::min(factor.share, share);
      factor.kept.push_back(c);
    } else {
      factor.put_off.push_back(c);
    }
  }
  const Index n = static_cast<Index>(factor.kept.size());
  factor.R = R.topLeftCorner(n, n);
  return factor;
}

Matrix tall_product(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B,
                    const Executor& executor) {
  const Index chunks = std::max<Index>(1, (A.rows() + rows_of_a_thread - 1) / rows_of_a_thread);
  std::vector<Matrix> parts(static_cast<std::size_t>(chunks));
  executor.parallel_for(chunks, [&](std::ptrdiff_t chunk) {
    const Index begin = chunk * rows_of_a_thread, rows = std::min(rows_of_a_thread, A.rows() - begin);
    parts[static_cast<std::size_t>(chunk)].noalias() =
        B.middleRows(begin, rows).transpose() * A.middleRows(begin, rows);
  });
  for (std::size_t chunk = 1; chunk < parts.size(); ++chunk) parts[0] += parts[chunk];
  return parts[0].transpose();
}

Matrix tall_combination(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& C,
                        const Executor& executor) {
  Matrix result(A.rows(), C.cols());
  executor.parallel_ranges(A.rows(), rows_of_a_thread, [&](Index begin, Index end) {
    result.middleRows(begin, end - begin).noalias() = A.middleRows(begin, end - begin) * C;
  });
  return result;
}

MassBasis::MassBasis(const SparseMatrix& M, const Executor& executor)
    : M_(M), executor_(executor), V_(M.rows(), 0), MV_(M.rows(), 0) {}

void MassBasis::reserve(Index columns) {
  if (columns <= V_.cols()) return;
  V_.conservativeResize(M_.rows(), columns);
  MV_.conservativeResize(M_.rows(), columns);
}

Matrix MassBasis::project_out(Eigen::Ref<Matrix> W) const {
  if (size_ == 0) return Matrix(0, W.cols());
  Matrix H = tall_product(mass_vectors(), W, executor_);
  executor_.parallel_ranges(W.rows(), rows_of_a_thread, [&](Index begin, Index end) {
    W.middleRows(begin, end - begin).noalias() -= vectors().middleRows(begin, end - begin) * H;
  });
  return H;
}

Matrix MassBasis::append(Matrix W, double tolerance) {
  if (W.cols() == 0) return Matrix(size_, 0);
  return append_columns(W, tolerance, Vector());
}

Matrix MassBasis::append_columns(Eigen::Ref<Matrix> W, double tolerance, Vector lengths) {
  const Matrix H = project_out(W);
  if (room() == 0) return H;
  Matrix MW(W.rows(), W.cols());
  M_.apply(W, MW, executor_);
  const Matrix G = tall_product(W, MW, executor_);
  // By Pythagoras, what was taken off and what is left make up the columns.
  if (lengths.size() == 0) lengths = (H.colwise().squaredNorm() + G.diagonal().transpose()).cwiseSqrt();
  Matrix R;
  if (W.cols() == 1) {
    R = append_one(W, tolerance * lengths(0));
  } else {
    std::vector<Index> candidates;
    for (Index c = 0; c < W.cols(); ++c) {
      if (G(c, c) > 0.0 && std::sqrt(G(c, c)) > tolerance * lengths(c)) candidates.push_back(c);
    }
    R = append_independent(W, MW, factor_gram(G, candidates, room()), tolerance, lengths);
  }
  R.topRows(H.rows()) += H;
  return R;
}

Matrix MassBasis::append_independent(Eigen::Ref<Matrix> W, Matrix& MW, const GramFactor& factor,
                                     double tolerance, const Vector& lengths) {
  Matrix R_kept(size_, 0), R_put_off(size_, 0);
  const Matrix inverse = inverse_of_upper(factor.R);
  if (factor.kept.size() == static_cast<std::size_t>(W.cols())) {
    combine(W, inverse, executor_);
    return append_nearly_orthonormal(W, MW) * factor.R;
  }
  if (!factor.kept.empty()) {
    Matrix kept = tall_combination(W(Eigen::all, factor.kept), inverse, executor_);
    R_kept = append_nearly_orthonormal(kept, MW) * factor.R;
  }
  if (!factor.put_off.empty()) {
    Matrix put_off = W(Eigen::all, factor.put_off);
    R_put_off = append_columns(put_off, tolerance, lengths(factor.put_off));
  }
  Matrix R = Matrix::Zero(size_, W.cols());
  R(Eigen::seqN(0, R_kept.rows()), factor.kept) = R_kept;
  R(Eigen::seqN(0, R_put_off.rows()), factor.put_off) = R_put_off;
  return R;
}

Matrix MassBasis::append_nearly_orthonormal(Eigen::Ref<Matrix> W, Matrix& MW) {
  const Matrix H = project_out(W);
  MW.resize(W.rows(), W.cols());
  M_.apply(W, MW, executor_);
  const Matrix G = tall_product(W, MW, executor_);
  const GramFactor factor = factor_gram(G, all_columns(G), G.cols());
  Matrix R = Matrix::Zero(size_ + W.cols(), W.cols());
  if (factor.put_off.empty() && factor.share > least_in_second_pass) {
    const Matrix inverse = inverse_of_upper(factor.R);
    combine(W, inverse, executor_);
    combine(MW, inverse, executor_);
    R.bottomRows(W.cols()) = factor.R;
    store(W, MW);
  } else {  // what the first pass left was rounding: one column after the other
    for (Index c = 0; c < W.cols(); ++c) {
      const Matrix r = append_one(W.col(c), std::numeric_limits<double>::epsilon());
      R.col(c).head(r.rows()) = r;
    }
    R.conservativeResize(size_, Eigen::NoChange);
  }
  R.topRows(H.rows()) += H;
  return R;
}

Matrix MassBasis::append_one(Eigen::Ref<Matrix> w, double smallest) {
  Matrix Mw(w.rows(), 1);
  const auto mass_norm = [&] {
    M_.apply(w, Mw, executor_);
    return std::sqrt(std::max(0.0, w.col(0).dot(Mw.col(0))));
  };
  Matrix R = Matrix::Zero(size_, 1);
  double norm = mass_norm();
  for (int pass = 0; pass < most_passes && norm > smallest; ++pass) {
    const double before = norm;
    R += project_out(w);
    norm = mass_norm();
    if (norm > 0.5 * before) break;
  }
  if (!(norm > smallest)) return R;
  R.conservativeResize(size_ + 1, 1);
  R(size_, 0) = norm;
  store(w / norm, Mw / norm);
  return R;
}

void MassBasis::store(const Eigen::Ref<const Matrix>& W, const Eigen::Ref<const Matrix>& MW) {
  if (size_ + W.cols() > V_.cols()) reserve(std::max(size_ + W.cols(), 2 * V_.cols()));
  V_.middleCols(size_, W.cols()) = W;
  MV_.middleCols(size_, W.cols()) = MW;
  size_ += W.cols();
}

Matrix MassBasis::take_vectors() {
  V_.conservativeResize(Eigen::NoChange, size_);
  size_ = 0;
  MV_.resize(M_.rows(), 0);
  return std::exchange(V_, Matrix(M_.rows(), 0));
}

}  // namespace limber
