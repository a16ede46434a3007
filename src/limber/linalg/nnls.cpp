#include "limber/linalg/nnls.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/growing_cholesky.hpp"
#include "limber/linalg/rank_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

// Lawson & Hanson let the entry with the steepest slope become positive, move towards the least-squares
// solution on the support until an entry becomes zero, take that one out, and go on until the solution on the
// support is positive; then the next one enters. What costs time, once the Cholesky factor of the support is
// updated instead of computed anew, are the slopes of all n columns, which every entry changes. They are
// computed once per pass, and a pass lets several entries in, as if one at a time:
//
//    pass:  slopes w = h - G x  of all columns
//           the 32 steepest ones: their slopes and products, with the support eliminated
//           (one blocked triangular solve)
//           the steepest enters and is eliminated from the others, as a pivot; again, while the
//           steepest of the list is steeper than what was left out of the list
//           move to the solution on the support; entries leave
//
// Choosing from the list takes the slopes as if nothing became zero in the pass. That is a guess about which
// entries to try, nothing more: whatever enters, the move that follows goes downhill, and the end is judged
// by slopes that were computed anew. Should a pass not go down, because all that entered left again, the next
// one lets in the steepest alone, which always does but for rounding.
//
// Inside, columns and b are scaled to unit length: x_j stands for x_j |a_j| / |b|, and slopes are cosines
// times |r| / |b|.

namespace limber {
namespace {

/// Entries that a pass chooses from. From 16 on the time hardly changes, and what enters hardly differs from
/// one at a time.
constexpr Index list_length = 32;

/// A column may enter if the square of what is new in it is above this share of the square of its length.
/// What is less is rounding: products of columns are known to a few 1e-16, and errors add up over hundreds of
/// them.
constexpr double least_pivot = 1e-14;

/// Where squares of lengths are below, they lose digits to underflow; such columns count as zero.
constexpr double least_square = 1e-290;

/// Rounding of an entry of y = L^-1 h, whose squares add up to how much of |b|^2 is explained.
constexpr double rounding_of_y = 1e-14;

/// (|A x - b| / |b|)^2 = 1 - |y|^2 is nothing but rounding below the first; below the second, where A is at
/// hand, it is computed from A instead.
constexpr double least_residual_sq = 1e-14;
constexpr double rough_residual_sq = 1e-10;

/// Rows whose products are added at once: Eigen's rank update is twice as fast so for a hundred columns, BLAS
/// no slower.
constexpr Index rows_at_once = 256;

/// Above any x that is worth a start, in units of |b| / |a_j|; its square does not overflow.
constexpr double largest_start = 1e100;

/// Each gains the digits that squaring the condition number left; more would find a system too near to
/// singular to gain any.
constexpr int most_refinements = 5;

bool all_finite(const Eigen::Ref<const Matrix>& values) {
  return (0.0 * values.array()).sum() == 0.0;  // several times faster than asking each one
}

/// r -= A(:, columns) x, eight columns at a time, so that r is read and written an eighth as often as A.
void subtract_columns(const Eigen::Ref<const Matrix>& A, const std::vector<Index>& columns, const Vector& x,
                      Vector& r) {
  const auto a = [&](Index i) { return x[i] * A.col(columns[static_cast<std::size_t>(i)]); };
  const Index count = x.size();
  Index i = 0;
  for (; i + 8 <= count; i += 8) {
    r -= ((a(i) + a(i + 1)) + (a(i + 2) + a(i + 3))) + ((a(i + 4) + a(i + 5)) + (a(i + 6) + a(i + 7)));
  }
  for (; i < count; ++i) r -= a(i);
}

/// The rows that normal equations came from, where they are at hand.
struct Rows {
  const Eigen::Ref<const Matrix>& A;
  const VectorRef& b;
};

class ActiveSet {
 public:
  /// rows: may be null. All are kept by reference.
  ActiveSet(const NormalEquations& problem, const NnlsOptions& options, const Rows* rows);

  void start_from(const Vector& start);
  void run();
  void refine();
  [[nodiscard]] NnlsResult result() const;

 private:
  [[nodiscard]] Index size() const { return factor_.size(); }
  [[nodiscard]] Index column(Index i) const { return support_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Vector coefficients() const;
  [[nodiscard]] Vector remainder() const;
  [[nodiscard]] bool finished() const;
  std::vector<Index> steepest(Index count, double& left_out) const;
  [[nodiscard]] PivotBlock pivots(const std::vector<Index>& columns);
  double let_in(PivotBlock& block, Index t, Index j);
  double enter_steepest(const std::vector<Index>& columns, double left_out);
  void enter_independent(const std::vector<Index>& columns);
  double descend();
  void update_slopes();

  const NormalEquations& problem_;
  const NnlsOptions& options_;
  const Rows* rows_;
  Index max_nonzeros_;
  int max_iterations_;
  double target_;          ///< |b|
  Vector inverse_length_;  ///< 1 / |a_j|, 0 for columns that count as zero
  Vector h_;               ///< A^T b, scaled
  Vector w_;               ///< slopes, scaled
  Vector x_;               ///< scaled, zero outside of the support
  std::vector<Index> support_;
  GrowingCholesky factor_;  ///< of G(support, support), with y = L^-1 h(support)
  Eigen::ArrayX<bool> in_support_;
  Eigen::ArrayXi in_vain_at_;  ///< level at which the column entered, or tried to, in vain
  int level_ = 0;              ///< how often |A x - b| went down
  int iterations_ = 0;
  bool converged_ = true;
};

ActiveSet::ActiveSet(const NormalEquations& problem, const NnlsOptions& options, const Rows* rows)
    : problem_(problem), options_(options), rows_(rows), target_(std::sqrt(problem.target_sq)) {
  const Index n = problem.projection.size();
  max_nonzeros_ = options.max_nonzeros >= 0 ? options.max_nonzeros : n;
  max_iterations_ = options.max_iterations >= 0 ? options.max_iterations : static_cast<int>(3 * n + 100);
  inverse_length_ = problem.gram.diagonal().unaryExpr(
      [](double square) { return square > least_square ? 1.0 / std::sqrt(square) : 0.0; });
  h_ = inverse_length_.cwiseProduct(problem.projection) / target_;
  w_ = h_;
  x_ = Vector::Zero(n);
  in_support_.setConstant(n, false);
  in_vain_at_.setConstant(n, -1);
}

/// Positive entries of the start become the support, the largest of them where they are too many; those that
/// depend on earlier ones do not. Then x moves from there to the least-squares solution on the support, and
/// entries leave.
void ActiveSet::start_from(const Vector& start) {
  std::vector<Index> columns;
  Vector x = Vector::Zero(start.size());
  for (Index j = 0; j < start.size(); ++j) {
    if (!(start[j] > 0.0) || inverse_length_[j] == 0.0) continue;
    x[j] = std::min(start[j] / inverse_length_[j] / target_, largest_start);
    columns.push_back(j);
  }
  if (static_cast<Index>(columns.size()) > max_nonzeros_) {
    std::stable_sort(columns.begin(), columns.end(), [&](Index a, Index b) { return x[a] > x[b]; });
    columns.resize(static_cast<std::size_t>(max_nonzeros_));
    std::sort(columns.begin(), columns.end());
  }
  for (auto next = columns.begin(); next != columns.end();) {
    const auto end = next + std::min<std::ptrdiff_t>(list_length, columns.end() - next);
    enter_independent({next, end});
    next = end;
  }
  for (const Index j : support_) x_[j] = x[j];
  descend();
  update_slopes();
}

void ActiveSet::run() {
  bool one_only = false;
  double gained = 0.0;  // what |A x - b|^2 lost at this level
  while (!finished()) {
    double left_out = 0.0;
    const std::vector<Index> list = steepest(one_only ? 1 : list_length, left_out);
    if (list.empty()) return;
    if (iterations_ >= max_iterations_) {
      converged_ = false;
      return;
    }
    const double gain = enter_steepest(list, left_out);
    if (gain > 0.0) {
      gained += gain - descend();
      update_slopes();
    }
    if (gain > 0.0 && gained > rounding_of_y * std::sqrt(gain)) {
      ++level_;
      gained = 0.0;
      one_only = false;
    } else if (gain > 0.0 && !one_only) {
      one_only = true;
    } else {
      for (const Index j : list) in_vain_at_[j] = level_;
    }
  }
}

/// x on the support in the units of the caller.
Vector ActiveSet::coefficients() const {
  Vector x(size());
  for (Index i = 0; i < size(); ++i) x[i] = x_[column(i)] * inverse_length_[column(i)] * target_;
  return x;
}

/// b - A x, from the rows.
Vector ActiveSet::remainder() const {
  Vector r = rows_->b;
  subtract_columns(rows_->A, support_, coefficients(), r);
  return r;
}

bool ActiveSet::finished() const {
  if (size() >= max_nonzeros_) return true;
  if (options_.residual == 0.0) return false;
  const double asked = options_.residual * options_.residual, known = 1.0 - factor_.y().squaredNorm();
  if (rows_ && known < rough_residual_sq) return remainder().squaredNorm() <= asked * problem_.target_sq;
  return known <= asked && asked >= least_residual_sq;
}

/// The columns that may enter, the steepest first, `count` at most; left_out: the slope of the next one, or
/// that which is zero.
std::vector<Index> ActiveSet::steepest(Index count, double& left_out) const {
  std::vector<Index> columns;
  for (Index j = 0; j < w_.size(); ++j) {
    if (w_[j] > options_.optimality && !in_support_[j] && in_vain_at_[j] != level_) columns.push_back(j);
  }
  const auto steeper = [&](Index a, Index b) { return w_[a] > w_[b] || (w_[a] == w_[b] && a < b); };
  left_out = options_.optimality;
  if (static_cast<Index>(columns.size()) > count) {
    std::nth_element(columns.begin(), columns.begin() + count, columns.end(), steeper);
    left_out = w_[columns[static_cast<std::size_t>(count)]];
    columns.resize(static_cast<std::size_t>(count));
  }
  std::sort(columns.begin(), columns.end(), steeper);
  return columns;
}

PivotBlock ActiveSet::pivots(const std::vector<Index>& columns) {
  const Index count = static_cast<Index>(columns.size());
  Matrix with_support(size(), count), among(count, count);
  Vector h(count);
  for (Index t = 0; t < count; ++t) {
    const Index j = columns[static_cast<std::size_t>(t)];
    const auto product = [&](Index i) {
      return problem_.gram(i, j) * inverse_length_[i] * inverse_length_[j];
    };
    for (Index i = 0; i < size(); ++i) with_support(i, t) = product(column(i));
    for (Index i = 0; i < count; ++i) among(i, t) = product(columns[static_cast<std::size_t>(i)]);
    among(t, t) = 1.0;
    h[t] = h_[j];
  }
  return {factor_, std::move(with_support), std::move(among), std::move(h)};
}

/// Column j, row t of the block, joins the support. Returns by how much |A x - b|^2 would go down, were there
/// no bounds.
double ActiveSet::let_in(PivotBlock& block, Index t, Index j) {
  support_.push_back(j);
  in_support_[j] = true;
  return block.append(t);
}

/// Lets in the steepest of the columns, and more while one is steeper than `left_out`. Ends where the
/// residual asked for is reached, so that the support is no larger than it has to be. Returns by how much |A
/// x - b|^2 would go down.
double ActiveSet::enter_steepest(const std::vector<Index>& columns, double left_out) {
  PivotBlock block = pivots(columns);
  const double enough = 1.0 - factor_.y().squaredNorm() - options_.residual * options_.residual;
  double gain = 0.0;
  for (double least = 0.0;; least = left_out) {
    Index best = -1;
    for (Index t = 0; t < block.size(); ++t) {
      if (block.pivot(t) <= least_pivot || block.rhs(t) <= least) continue;
      best = t;
      least = block.rhs(t);
    }
    if (best < 0) return gain;
    gain += let_in(block, best, columns[static_cast<std::size_t>(best)]);
    ++iterations_;
    const bool reached = options_.residual > 0.0 && gain >= enough;
    if (reached || size() >= max_nonzeros_ || iterations_ >= max_iterations_) return gain;
  }
}

/// Lets in all columns that do not depend on the support and on each other, in their order.
void ActiveSet::enter_independent(const std::vector<Index>& columns) {
  PivotBlock block = pivots(columns);
  for (Index t = 0; t < block.size(); ++t)
    if (block.pivot(t) > least_pivot) let_in(block, t, columns[static_cast<std::size_t>(t)]);
}

/// Moves x to the least-squares solution on the support. Entries that become zero on the way leave, and it
/// starts again from there. Returns by how much the least |A x - b|^2 on the support went up by that.
double ActiveSet::descend() {
  double lost = 0.0;
  Vector goal;
  for (bool arrived = false; !arrived;) {
    goal = factor_.y();
    factor_.solve_upper(goal);
    // The share of the way after which an entry is zero. One that just entered is zero from the start.
    const auto share = [&](Index i) {
      const double x = x_[column(i)];
      return x > 0.0 ? x / (x - goal[i]) : 0.0;
    };
    double step = 1.0;
    for (Index i = 0; i < size(); ++i)
      if (goal[i] <= 0.0) step = std::min(step, share(i));
    arrived = true;
    for (Index i = size() - 1; i >= 0; --i) {
      double& x = x_[column(i)];
      const double moved = step < 1.0 ? x + step * (goal[i] - x) : goal[i];
      const bool leaves = goal[i] <= 0.0 && (share(i) <= step || moved <= 0.0);
      x = leaves ? 0.0 : moved;
      if (!leaves) continue;
      lost += factor_.remove(i);
      in_support_[column(i)] = false;
      support_.erase(support_.begin() + i);
      arrived = false;
    }
  }
  return lost;
}

void ActiveSet::update_slopes() {
  Vector x(size());
  for (Index i = 0; i < size(); ++i) x[i] = x_[column(i)] * inverse_length_[column(i)];
  w_.setZero();
  subtract_columns(problem_.gram, support_, x, w_);
  w_ = h_ + inverse_length_.cwiseProduct(w_);
}

/// Newton steps for the least-squares solution on the support with slopes from the rows: the factor need not
/// be exact for them to lead to the solution that a QR factorisation gives (corrected normal equations,
/// Bjorck 1987). Each gains as many digits as the first.
void ActiveSet::refine() {
  double last = 0.0;
  for (int k = 0; k < most_refinements && size() > 0; ++k) {
    const Vector r = remainder();
    Vector x(size()), change(size());
    for (Index i = 0; i < size(); ++i) {
      x[i] = x_[column(i)];
      change[i] = rows_->A.col(column(i)).dot(r) * inverse_length_[column(i)] / target_;
    }
    factor_.solve_lower(change);
    factor_.solve_upper(change);
    const double length = change.norm(), rate = length / (k == 0 ? x.norm() : last);
    if (rate > 0.5 || ((x + change).array() <= 0.0).any()) return;
    for (Index i = 0; i < size(); ++i) x_[column(i)] += change[i];
    if (rate * length <= std::numeric_limits<double>::epsilon() * x.norm()) return;
    last = length;
  }
}

NnlsResult ActiveSet::result() const {
  NnlsResult result;
  result.x = Vector::Zero(x_.size());
  const Vector x = coefficients();
  for (Index i = 0; i < size(); ++i) result.x[column(i)] = x[i];
  result.support = support_;
  result.residual =
      rows_ ? remainder().norm() / target_ : std::sqrt(std::max(0.0, 1.0 - factor_.y().squaredNorm()));
  result.report = {converged_ ? SolveStatus::converged : SolveStatus::not_converged, iterations_,
                   result.residual};
  return result;
}

void check(const NormalEquations& problem, const NnlsOptions& options, const Vector& start) {
  const Index n = problem.projection.size();
  require(problem.gram.rows() == n && problem.gram.cols() == n,
          "non-negative least squares: the Gram matrix is {} x {}, A^T b has {} entries: expected {} x {}",
          problem.gram.rows(), problem.gram.cols(), n, n, n);
  require(all_finite(problem.gram) && all_finite(problem.projection) && std::isfinite(problem.target_sq),
          "non-negative least squares: the normal equations hold numbers that are not finite (or lengths "
          "above 1e150)");
  require(problem.target_sq >= 0.0 && (n == 0 || problem.gram.diagonal().minCoeff() >= 0.0),
          "non-negative least squares: a squared length is negative; fill the normal equations by add_rows");
  require(start.size() == 0 || start.size() == n,
          "non-negative least squares: the start has {} entries, expected {} (one per column) or none",
          start.size(), n);
  require(all_finite(start), "non-negative least squares: the start holds numbers that are not finite");
  require(options.residual >= 0.0 && options.optimality >= 0.0,
          "non-negative least squares: residual is {} and optimality {}, expected numbers from 0 on",
          options.residual, options.optimality);
  require(
      options.max_nonzeros >= -1 && options.max_iterations >= -1,
      "non-negative least squares: max_nonzeros is {} and max_iterations {}, expected -1 (no limit) or more",
      options.max_nonzeros, options.max_iterations);
}

NnlsResult solve(const NormalEquations& problem, const NnlsOptions& options, const Vector& start,
                 const Rows* rows) {
  check(problem, options, start);
  if (problem.target_sq <= least_square) return {.x = Vector::Zero(problem.projection.size())};
  ActiveSet set(problem, options, rows);
  if (start.size() > 0) set.start_from(start);
  set.run();
  if (rows) set.refine();
  return set.result();
}

}  // namespace

NormalEquations::NormalEquations(Index columns)
    : gram(Matrix::Zero(columns, columns)), projection(Vector::Zero(columns)) {}

void NormalEquations::add_rows(const Eigen::Ref<const Matrix>& A, const VectorRef& b) {
  require(A.cols() == projection.size(),
          "rows of {} columns cannot be added to normal equations of {}; make those with as many columns",
          A.cols(), projection.size());
  require(A.rows() == b.size(), "A has {} rows, b has {} entries: expected one for each row", A.rows(),
          b.size());
  require(all_finite(A) && all_finite(b),
          "rows to be added to normal equations hold numbers that are not finite");
  for (Index i = 0; i < A.rows(); i += rows_at_once)
    add_rank_update(1.0, A.middleRows(i, std::min(rows_at_once, A.rows() - i)), gram);
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  projection.noalias() += A.transpose() * b;
  target_sq += b.squaredNorm();
}

NnlsResult solve_nnls(const NormalEquations& problem, const NnlsOptions& options, const Vector& start) {
  return solve(problem, options, start, nullptr);
}

NnlsResult solve_nnls(const Eigen::Ref<const Matrix>& A, const VectorRef& b, const NnlsOptions& options,
                      const Vector& start) {
  NormalEquations problem(A.cols());
  problem.add_rows(A, b);
  const Rows rows{A, b};
  return solve(problem, options, start, &rows);
}

}  // namespace limber
