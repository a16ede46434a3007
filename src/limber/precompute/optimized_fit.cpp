// Optimized cubature                                                              [An, Kim & James 2008]
//
// Each point p is a column a_p: its forces G_p^T P_p(t) / |f^t| in all poses t, T r numbers. Sought are few
// columns and weights >= 0 with sum_p w_p a_p = b, the exact forces. Rounds of
//
//   1. the residual b - A w of the points so far;
//   2. candidates drawn at random; those whose unit vectors a_p / |a_p| match the residual best make up a
//      pool with the points so far;
//   3. normal equations of the pool;
//   4. non-negative least squares from the weights so far on, which adds one point of the pool after the
//      other, again the one that matches best, and drops those whose weights become zero; until there are
//      some more points than before.
//
// The columns, T r x candidates, are never stored: 2. needs sums over the poses of P_p P_p^T and of P_p times
// the residual only, 3. adds rows of a few poses at a time.

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/base/timer.hpp"
#include "limber/linalg/nnls.hpp"
#include "limber/linalg/rank_update.hpp"
#include "limber/precompute/cubature_fit.hpp"
#include "limber/precompute/point_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace limber {
namespace {

/// A round adds a quarter of the points there are, or two, from a pool of as many besides them, or this many.
/// One point per round out of 1000, as in the paper, took three times the time for no fewer points beyond the
/// scatter between seeds, 5 to 10 % (a bar, r = 30, 1 %). A pool half as large did not change their number.
constexpr Index growth = 4, least_pool = 128;

/// Rows of the normal equations that are added at a time: what keeps the matrix product busy.
constexpr Index equations_at_once = 2048;

/// Poses and points that are screened at a time: their stresses stay in the cache.
constexpr Index poses_screened_at_once = 64, points_screened_at_once = 16;

/// Shares of the poses whose normal equations can be added up side by side, and what all of them may take:
/// 256 MiB of doubles. Their number decides the rounding, so it must not follow that of the threads.
constexpr Index most_shares = 8, most_normal_entries = Index{1} << 25;

/// A round that leaves more than this share of the error has not helped; so many of them one after the other
/// end the fit.
constexpr double helpful = 0.999;
constexpr int most_vain_rounds = 5;

/// Points whose match with the residual is below this share of e |b| are of no use. A point that is new to
/// the others by the least part that solve_nnls lets in, 1e-7 of its length, can still take away the whole
/// residual with such a match.
constexpr double least_match = 1e-7;

Index padded(Index count) { return (count + packet_size - 1) / packet_size * packet_size; }

class OptimizedFit {
 public:
  OptimizedFit(const ModeGradients& gradients, const TrainingSet& training,
               const OptimizedFitOptions& options)
      : gradients_(gradients),
        options_(options),
        poses_(make_pose_table(training, gradients.rank())),
        random_(options.seed),
        taken_(static_cast<std::size_t>(gradients.point_count()), 0),
        residuals_(-poses_.forces),
        points_(gather_points(gradients, {})) {}

  CubatureFit run(std::span<const QuadraturePoint> start) {
    note_step();
    for (int vain = 0; !finished() && vain < most_vain_rounds;) {
      const double before = error_;
      const bool all = add_points(start);
      start = {};
      vain = error_ > helpful * before ? (all ? most_vain_rounds : vain + 1) : 0;
    }
    return result();
  }

 private:
  [[nodiscard]] const FullModel& model() const { return gradients_.model(); }
  [[nodiscard]] bool finished() const {
    return error_ <= options_.error || points_.size() >= options_.max_points;
  }

  /// One round. Returns whether all points of the mesh competed.
  bool add_points(std::span<const QuadraturePoint> start) {
    const std::vector<QuadraturePoint> drawn = draw_candidates();
    const bool all = static_cast<Index>(drawn.size()) + points_.size() == gradients_.point_count();
    std::vector<QuadraturePoint> pool = points_.points;
    for (const QuadraturePoint& point : start) add_once(point, pool);
    for (const QuadraturePoint& point : best_of(drawn)) add_once(point, pool);
    for (const QuadraturePoint& point : pool) taken(point) = 0;
    if (pool.empty()) return all;

    const Index k = points_.size();
    const Index most = std::max({k + 2, k + k / growth, static_cast<Index>(start.size())});
    solve(gather_points(gradients_, pool), std::min(most, options_.max_points));
    for (const QuadraturePoint& point : points_.points) taken(point) = 1;
    residuals_ = relative_residuals(points_, weighted_gradients(points_.gradients, weights_),
                                    model().materials(), poses_, model().executor());
    note_step();
    return all;
  }

  char& taken(const QuadraturePoint& point) {
    return taken_[static_cast<std::size_t>(gradients_.number_of(point))];
  }

  void add_once(const QuadraturePoint& point, std::vector<QuadraturePoint>& pool) {
    if (taken(point)) return;
    taken(point) = 1;
    pool.push_back(point);
  }

  /// Points that are not yet among those chosen: as many as asked for, or all.
  std::vector<QuadraturePoint> draw_candidates() {
    std::vector<QuadraturePoint> drawn;
    const Index total = gradients_.point_count(),
                count = std::min(options_.candidates, total - points_.size());
    if (count == total - points_.size()) {
      for (Index i = 0; i < total; ++i)
        if (!taken_[static_cast<std::size_t>(i)]) drawn.push_back(gradients_.at(i));
      return drawn;
    }
    while (static_cast<Index>(drawn.size()) < count) {
      const auto number = static_cast<Index>(random_.next() % static_cast<std::uint64_t>(total));
      add_once(gradients_.at(number), drawn);
    }
    std::sort(drawn.begin(), drawn.end());
    for (const QuadraturePoint& point : drawn) taken(point) = 0;
    return drawn;
  }

  /// Those of the candidates that match the residual best.
  std::vector<QuadraturePoint> best_of(const std::vector<QuadraturePoint>& drawn) const {
    const PointSet candidates = gather_points(gradients_, drawn);
    const Vector match = matches(candidates);
    const double least = least_match * options_.error * std::sqrt(static_cast<double>(poses_.size));
    std::vector<Index> order;
    for (Index p = 0; p < match.size(); ++p)
      if (match(p) > least) order.push_back(p);
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return match(a) != match(b) ? match(a) > match(b) : a < b; });
    const Index most = std::max(least_pool, points_.size());
    if (static_cast<Index>(order.size()) > most) order.resize(static_cast<std::size_t>(most));
    return candidates.subset(order).points;
  }

  /// a_p . (b - A w) / |a_p| of points: with R = b - A w as a matrix with a row per pose,
  ///   a_p . R = G_p : sum_t P_p(t) R(t)^T,     |a_p|^2 = G_p G_p^T : sum_t P_p(t) P_p(t)^T.
  Vector matches(const PointSet& points) const {
    Vector match(points.size());
    model().executor().parallel_ranges(points.size(), points_screened_at_once, [&](Index begin, Index end) {
      const Index m = end - begin;
      const auto G = points.gradients.middleRows(9 * begin, 9 * m);
      Matrix with_residual = Matrix::Zero(9 * m, G.cols()), with_itself = Matrix::Zero(9, 9 * m);
      for (Index t = 0; t < poses_.rows(); t += poses_screened_at_once) {
        const Index count = std::min(poses_screened_at_once, poses_.rows() - t);
        Matrix P(count, 9 * m);
        compute_stresses(points, begin, m, model().materials(), poses_, {t, count}, P);
        with_residual.noalias() -= P.transpose() * residuals_.middleRows(t, count);
        for (Index p = 0; p < m; ++p)
          with_itself.middleCols<9>(9 * p).noalias() +=
              P.middleCols<9>(9 * p).transpose() * P.middleCols<9>(9 * p);
      }
      for (Index p = 0; p < m; ++p) {
        const auto Gp = G.middleRows<9>(9 * p);
        const double length_sq = (Gp * Gp.transpose()).cwiseProduct(with_itself.middleCols<9>(9 * p)).sum();
        const double product = Gp.cwiseProduct(with_residual.middleRows<9>(9 * p)).sum();
        match(begin + p) = length_sq > 0.0 ? product / std::sqrt(length_sq) : 0.0;
      }
    });
    return match;
  }

  /// Weights on a pool whose first points are those so far; at most so many points.
  void solve(const PointSet& pool, Index most) {
    Vector first = Vector::Zero(pool.size());
    first.head(points_.size()) = weights_;
    NnlsOptions options;
    options.residual = options_.error;
    options.max_nonzeros = most;
    options.optimality = least_match * options_.error;
    const NnlsResult solution = solve_nnls(normal_equations(pool), options, first);
    points_ = pool.subset(solution.support);
    weights_ = solution.x(solution.support);
  }

  NormalEquations normal_equations(const PointSet& pool) const {
    const Index n = pool.size();
    const Index count =
        padded(std::max<Index>(1, equations_at_once / gradients_.rank()));  // of poses at once
    const Index chunks = (poses_.rows() + count - 1) / count;
    const Index shares = std::clamp<Index>(most_normal_entries / (n * n), 1, std::min(most_shares, chunks));
    std::vector<NormalEquations> parts(static_cast<std::size_t>(shares));
    model().executor().parallel_for(shares, [&](Index share) {
      NormalEquations& part = parts[static_cast<std::size_t>(share)];
      part = NormalEquations(n);
      for (Index chunk = chunks * share / shares; chunk < chunks * (share + 1) / shares; ++chunk)
        add_poses(pool, {chunk * count, std::min(count, poses_.rows() - chunk * count)}, part);
    });
    for (Index share = 1; share < shares; ++share) {
      NormalEquations& part = parts[static_cast<std::size_t>(share)];
      parts[0].gram += part.gram;
      parts[0].projection += part.projection;
      parts[0].target_sq += part.target_sq;
      part = {};
    }
    parts[0].gram.triangularView<Eigen::StrictlyUpper>() = parts[0].gram.transpose();
    return std::move(parts[0]);
  }

  /// Adds the rows of some poses; of the Gram matrix the lower triangle only.
  void add_poses(const PointSet& pool, const PoseRange& range, NormalEquations& equations) const {
    const Index r = gradients_.rank();
    Matrix P(range.count, 9 * pool.size()), A(range.count * r, pool.size());
    compute_stresses(pool, 0, pool.size(), model().materials(), poses_, range, P);
    for (Index p = 0; p < pool.size(); ++p)
      project_stresses(P.middleCols(9 * p, 9), pool.gradients.middleRows(9 * p, 9),
                       Eigen::Map<Matrix>(A.col(p).data(), range.count, r));
    const Matrix b = poses_.forces.middleRows(range.first, range.count);
    add_rank_update(1.0, A, equations.gram);
    equations.projection.noalias() += A.transpose() * b.reshaped();
    equations.target_sq += b.squaredNorm();
  }

  void note_step() {
    error_ = residuals_.norm() / std::sqrt(static_cast<double>(poses_.size));
    steps_.push_back({points_.size(), error_, timer_.seconds()});
    const double share = std::log(error_) / std::log(options_.error);
    report(options_.progress, "cubature", std::clamp(share, 0.0, 1.0));
  }

  CubatureFit result() {
    require(points_.size() > 0, "no point of the body matches the training forces; check the poses");
    report(options_.progress, "cubature", 1.0);
    std::vector<Index> order(static_cast<std::size_t>(points_.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      return points_.points[static_cast<std::size_t>(a)] < points_.points[static_cast<std::size_t>(b)];
    });
    const Vector weights = weights_(order);
    CubatureFit fit{make_rule(points_.subset(order), weights, weights, residuals_, poses_), error_, steps_};
    fit.rule.training.error_asked_for = options_.error;
    return fit;
  }

  const ModeGradients& gradients_;
  const OptimizedFitOptions& options_;
  PoseTable poses_;
  Random random_;
  Timer timer_;
  std::vector<char> taken_;  ///< per point of the mesh: chosen
  Matrix residuals_;         ///< A w - b
  PointSet points_;          ///< chosen
  Vector weights_;
  double error_ = 1.0;
  std::vector<FitStep> steps_;
};

}  // namespace

CubatureFit fit_optimized_cubature(const ModeGradients& gradients, const TrainingSet& training,
                                   std::span<const QuadraturePoint> start,
                                   const OptimizedFitOptions& options) {
  require(options.error > 0.0 && options.error < 1.0,
          "the error asked for is {}, expected a number between 0 and 1", options.error);
  require(options.max_points >= 1 && options.candidates >= 1,
          "{} points and {} candidates asked for, expected one at least of each", options.max_points,
          options.candidates);
  start_rank_updates();
  return OptimizedFit(gradients, training, options).run(start);
}

}  // namespace limber
