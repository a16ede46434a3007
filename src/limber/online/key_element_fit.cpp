// Key elements are trained as optimized cubature is (precompute/optimized_fit.cpp), with these differences.
//
// The points and weights of the last training come first: where they still do, nothing else is looked at.
// Candidates are drawn only where they do not, and a pool of those that match the residual best competes with
// them.
//
// The few poses of a running simulation lie along one path, and forces along a path do not tell the stiffness
// across it: weights that reproduce them to 0.5 % may be wrong about it by a factor of ten. So poses are
// probed: the change of force from a pose to one displaced a little is learned too (key_element_probes.cpp).
// It is computed once, as a force of the full model; what it gives in a basis that came later is a product,
// as with the poses. The columns of a point hold the same differences of its own forces, so that the
// displacement need not be infinitesimal.
//
// Rows: state s and coordinate i at s + S i, where the states are pose 0, its probes, pose 1, ..., filled up
// to whole packets by zeros.

#include "limber/online/key_element_fit.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/nnls.hpp"
#include "limber/linalg/packet.hpp"
#include "limber/linalg/rank_update.hpp"
#include "limber/linalg/small.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace limber {
namespace {

/// Of the rows of probes: changes of force are asked for to twice the error of forces.
constexpr double probe_weight = 0.5;

/// Relative to the largest one, forces below this are told from zero no more exactly: a body that swings
/// through its rest shape has no force there.
constexpr double least_force = 0.05;

/// A round adds at most half of the points there are, or four, from a pool of as many besides them, or 128.
constexpr Index least_growth = 4, growth = 2, least_pool = 128;

constexpr Index points_at_once = 16;

/// A round that leaves more than this share of the error has not helped; so many of them one after the other
/// end the fit.
constexpr double helpful = 0.99;
constexpr int most_vain_rounds = 3;

/// Where all rows together are as good as asked for, but not those of the poses, or of the probes: by how
/// much more is asked.
constexpr double stricter = 0.7;

/// See optimized_fit.cpp.
constexpr double least_match = 1e-7;

/// What key elements learn from: a pose or a probe.
struct StateView {
  const Matrix3X* displacement;
  const Vector* force;
  const std::vector<Matrix3>* linear;
  Index pose;  ///< the state that a probe's force is relative to; itself for poses
};

class Fit {
 public:
  Fit(const FullModel& model, const Eigen::Ref<const Matrix>& basis, std::span<const KeyElementPose> poses,
      const KeyElementOptions& options, Random& random)
      : model_(model), basis_(basis), gradients_(model, basis_), options_(options), random_(random) {
    for (const KeyElementPose& pose : poses) {
      const auto number = static_cast<Index>(states_.size());
      carries_ |= !pose.linear.empty();
      states_.push_back({&pose.displacement, &pose.force, &pose.linear, number});
      for (const KeyElementProbe& probe : pose.probes)
        states_.push_back({&probe.displacement, &probe.force, &pose.linear, number});
    }
    pose_count_ = static_cast<Index>(poses.size());
    rows_ = (state_count() + packet_size - 1) / packet_size * packet_size;
    set_targets();
  }

  KeyElementFit run(KeyPoints& chosen) {
    taken_.assign(static_cast<std::size_t>(gradients_.point_count()), 0);
    points_ = chosen.points;
    weights_ = chosen.weights;
    columns_ = columns_of(points_);
    solve(columns_, points_, options_.max_points);
    for (int vain = 0; !finished() && vain < most_vain_rounds;) {
      const double before = error_;
      const bool all = add_points();
      vain = error_ > helpful * before ? (all ? most_vain_rounds : vain + 1) : 0;
    }
    sort_points(chosen);
    return {force_error_, static_cast<Index>(chosen.points.size())};
  }

 private:
  [[nodiscard]] Index state_count() const { return static_cast<Index>(states_.size()); }
  [[nodiscard]] Index rank() const { return basis_.cols(); }
  [[nodiscard]] bool is_pose(Index s) const { return states_[static_cast<std::size_t>(s)].pose == s; }

  /// b, and by what the rows of each state are multiplied.
  void set_targets() {
    Matrix forces(model_.dof_count(), state_count());
    for (Index s = 0; s < state_count(); ++s) pull_back(states_[static_cast<std::size_t>(s)], forces.col(s));
    const Matrix targets = forces.transpose() * basis_;  // S x r
    const Vector lengths = targets.rowwise().norm();
    double largest = 0.0;
    for (Index s = 0; s < state_count(); ++s)
      if (is_pose(s)) largest = std::max(largest, lengths(s));
    scale_ = Vector::Zero(rows_);
    for (Index s = 0; s < state_count(); ++s) {
      const double length = is_pose(s) ? std::max(lengths(s), least_force * largest) : lengths(s);
      if (length > 0.0) scale_(s) = (is_pose(s) ? 1.0 : probe_weight) / length;
    }
    target_ = Matrix::Zero(rows_, rank());
    target_.topRows(state_count()) = scale_.head(state_count()).asDiagonal() * targets;
    residual_ = target_;
  }

  /// L^T f.
  void pull_back(const StateView& state, Eigen::Ref<Vector> force) const {
    force = *state.force;
    if (state.linear->empty()) return;
    const std::vector<int>& vertices = model_.dofs().free_vertices();
    for (std::size_t f = 0; f < vertices.size(); ++f) {
      auto at = force.segment<3>(3 * static_cast<Index>(f));
      at = ((*state.linear)[static_cast<std::size_t>(vertices[f])].transpose() * at).eval();
    }
  }

  /// Forces of points per m^3 in all rows.
  Matrix columns_of(const std::vector<QuadraturePoint>& points) const {
    Matrix columns(rows_ * rank(), static_cast<Index>(points.size()));
    model_.executor().parallel_ranges(columns.cols(), points_at_once, [&](Index begin, Index end) {
      Matrix forces(rows_, 3 * model_.mesh().elements.rows());
      Matrix modes(forces.cols(), rank());
      for (Index p = begin; p < end; ++p) {
        const QuadraturePoint& point = points[static_cast<std::size_t>(p)];
        vertex_forces(point, forces);
        gather_modes(model_, basis_, point.element, modes);
        Eigen::Map<Matrix>(columns.col(p).data(), rows_, rank()).noalias() = forces * modes;
      }
    });
    return columns;
  }

  /// Forces of a point per m^3 on the vertices of its element, in the rest pose, scaled: rows x 3 nodes.
  void vertex_forces(const QuadraturePoint& point, Matrix& forces) const {
    ShapeGradients g;
    compute_shape_gradients(model_.mesh(), point, g);
    const auto vertices = model_.mesh().elements.col(point.element);
    const auto region =
        static_cast<std::size_t>(model_.mesh().region[static_cast<std::size_t>(point.element)]);
    const MaterialLaw& law = model_.materials()[region].law;
    for (Index first = 0; first < rows_; first += packet_size) {
      Mat3<Packet> F = identity3<Packet>();
      for (Index a = 0; a < g.rows(); ++a) {
        Packet y[3] = {};
        for (Index lane = 0; lane < std::min<Index>(packet_size, state_count() - first); ++lane) {
          const double* at =
              states_[static_cast<std::size_t>(first + lane)].displacement->col(vertices(a)).data();
          for (int c = 0; c < 3; ++c) y[c][lane] = at[c];
        }
        for (int axis = 0; axis < 3; ++axis)
          for (int c = 0; c < 3; ++c) F(c, axis) += y[c] * g(a, axis);
      }
      const Mat3<Packet> P = stress(law, F);
      for (Index a = 0; a < g.rows(); ++a) {
        for (int c = 0; c < 3; ++c) {
          const Packet force = P(c, 0) * g(a, 0) + P(c, 1) * g(a, 1) + P(c, 2) * g(a, 2);
          std::memcpy(&forces(first, 3 * a + c), &force, sizeof force);
        }
      }
    }
    if (carries_) pull_back_rows(vertices, forces);
    for (Index j = 0; j < forces.cols(); ++j) {
      double* f = forces.col(j).data();
      for (Index s = state_count() - 1; s >= 0; --s) {
        const Index pose = states_[static_cast<std::size_t>(s)].pose;
        if (pose != s) f[s] -= f[pose];
      }
      for (Index s = 0; s < rows_; ++s) f[s] *= scale_(s);
    }
  }

  /// L^T f of the pose of each row.
  template <class Vertices>
  void pull_back_rows(const Vertices& vertices, Matrix& forces) const {
    for (Index s = 0; s < state_count(); ++s) {
      const std::vector<Matrix3>& linear = *states_[static_cast<std::size_t>(s)].linear;
      if (linear.empty()) continue;
      for (Index a = 0; a < vertices.size(); ++a) {
        auto at = forces.block<1, 3>(s, 3 * a);
        at = (at * linear[static_cast<std::size_t>(vertices(a))]).eval();
      }
    }
  }

  /// Weights of the pool (its columns), from those so far on; at most so many points.
  void solve(const Matrix& pool_columns, const std::vector<QuadraturePoint>& pool, Index most) {
    if (pool.empty()) return measure();
    NormalEquations equations(pool_columns.cols());
    equations.add_rows(pool_columns, target_.reshaped());
    Vector start = Vector::Zero(pool_columns.cols());
    start.head(weights_.size()) = weights_;
    NnlsOptions options;
    options.residual = strictness_ * asked() / target_.norm();
    options.max_nonzeros = most;
    options.optimality = least_match * options_.error;
    const NnlsResult solution = solve_nnls(equations, options, start);
    std::vector<Index> support = solution.support;
    std::sort(support.begin(), support.end());
    std::vector<QuadraturePoint> points;
    for (const Index p : support) points.push_back(pool[static_cast<std::size_t>(p)]);
    weights_ = solution.x(support);
    columns_ = pool_columns(Eigen::all, support).eval();
    points_ = std::move(points);
    measure();
    if (error_ <= strictness_ && !finished()) strictness_ *= stricter;
  }

  /// |A w - b| that is asked for in all.
  [[nodiscard]] double asked() const {
    return options_.error * std::sqrt(static_cast<double>(state_count()));
  }

  /// The residual and the errors of the points so far.
  void measure() {
    residual_ = target_;
    if (!points_.empty()) residual_.reshaped() -= columns_ * weights_;
    const Vector squares = residual_.rowwise().squaredNorm();
    double poses = 0.0, probes = 0.0;
    for (Index s = 0; s < state_count(); ++s) (is_pose(s) ? poses : probes) += squares(s);
    error_ = std::sqrt(poses + probes) / asked();
    force_error_ = std::sqrt(poses / static_cast<double>(pose_count_));
    const Index probe_count = state_count() - pose_count_;
    probe_error_ = probe_count > 0 ? std::sqrt(probes / static_cast<double>(probe_count)) : 0.0;
  }

  [[nodiscard]] bool finished() const {
    return (force_error_ <= options_.error && probe_error_ <= options_.error) ||
           static_cast<Index>(points_.size()) >= options_.max_points;
  }

  /// One round. Returns whether all points of the mesh competed.
  bool add_points() {
    const auto k = static_cast<Index>(points_.size());
    const std::vector<QuadraturePoint> drawn = draw_candidates();
    const Matrix candidates = columns_of(drawn);
    const std::vector<Index> best = best_of(candidates);
    Matrix pool_columns(columns_.rows(), k + static_cast<Index>(best.size()));
    if (k > 0) pool_columns.leftCols(k) = columns_;
    std::vector<QuadraturePoint> pool = points_;
    for (const Index p : best) {
      pool_columns.col(static_cast<Index>(pool.size())) = candidates.col(p);
      pool.push_back(drawn[static_cast<std::size_t>(p)]);
    }
    solve(pool_columns, pool, std::min(k + std::max(least_growth, k / growth), options_.max_points));
    return k + static_cast<Index>(drawn.size()) == gradients_.point_count();
  }

  /// Points that are not yet among those chosen: as many as asked for, or all.
  std::vector<QuadraturePoint> draw_candidates() {
    const Index total = gradients_.point_count();
    for (const QuadraturePoint& point : points_)
      taken_[static_cast<std::size_t>(gradients_.number_of(point))] = 1;
    std::vector<QuadraturePoint> drawn;
    const Index left = total - static_cast<Index>(points_.size());
    if (left <= options_.candidates) {
      for (Index i = 0; i < total; ++i)
        if (!taken_[static_cast<std::size_t>(i)]) drawn.push_back(gradients_.at(i));
    } else {
      while (static_cast<Index>(drawn.size()) < options_.candidates) {
        const auto number = static_cast<Index>(random_.next() % static_cast<std::uint64_t>(total));
        if (taken_[static_cast<std::size_t>(number)]) continue;
        taken_[static_cast<std::size_t>(number)] = 1;
        drawn.push_back(gradients_.at(number));
      }
    }
    for (const QuadraturePoint& point : drawn)
      taken_[static_cast<std::size_t>(gradients_.number_of(point))] = 0;
    for (const QuadraturePoint& point : points_)
      taken_[static_cast<std::size_t>(gradients_.number_of(point))] = 0;
    std::sort(drawn.begin(), drawn.end());
    return drawn;
  }

  /// Those of the candidates whose unit columns match the residual best.
  std::vector<Index> best_of(const Matrix& candidates) const {
    const Vector products = candidates.transpose() * residual_.reshaped();
    const Vector lengths = candidates.colwise().norm();
    const double least = least_match * asked();
    Vector match = Vector::Zero(products.size());
    std::vector<Index> order;
    for (Index p = 0; p < match.size(); ++p) {
      if (lengths(p) > 0.0) match(p) = products(p) / lengths(p);
      if (match(p) > least) order.push_back(p);
    }
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return match(a) != match(b) ? match(a) > match(b) : a < b; });
    const auto most = static_cast<std::size_t>(std::max(least_pool, static_cast<Index>(points_.size())));
    if (order.size() > most) order.resize(most);
    return order;
  }

  /// In ascending order.
  void sort_points(KeyPoints& chosen) const {
    std::vector<std::size_t> order(points_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return points_[a] < points_[b]; });
    chosen.points.clear();
    chosen.weights.resize(static_cast<Index>(order.size()));
    for (const std::size_t p : order) {
      chosen.weights(static_cast<Index>(chosen.points.size())) = weights_(static_cast<Index>(p));
      chosen.points.push_back(points_[p]);
    }
  }

  const FullModel& model_;
  Eigen::Ref<const Matrix> basis_;
  ModeGradients gradients_;
  const KeyElementOptions& options_;
  Random& random_;
  std::vector<StateView> states_;
  Index pose_count_ = 0, rows_ = 0;
  bool carries_ = false;
  Vector scale_;     ///< of the rows of each state; 0 where they fill up
  Matrix target_;    ///< rows x r
  Matrix residual_;  ///< the same
  Matrix columns_;   ///< of the points chosen
  std::vector<QuadraturePoint> points_;
  Vector weights_;
  std::vector<char> taken_;
  double strictness_ = 1.0;
  double error_ = 0.0;  ///< |A w - b|, of all rows, as a share of what is asked for
  double force_error_ = 0.0, probe_error_ = 0.0;
};

}  // namespace

KeyElementFit fit_key_elements(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                               std::span<const KeyElementPose> poses, const KeyElementOptions& options,
                               Random& random, KeyPoints& chosen) {
  start_rank_updates();
  return Fit(model, basis, poses, options, random).run(chosen);
}

}  // namespace limber
