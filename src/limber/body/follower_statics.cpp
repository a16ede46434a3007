#include "limber/body/follower_statics.hpp"

#include "limber/linalg/cholesky.hpp"

#include <algorithm>
#include <utility>

namespace limber {
namespace {

constexpr int most_rounds = 30;  ///< of an iteration that converges most take less than ten
constexpr Index depth = 5;       ///< rounds that are combined: as many as there are shapes that a load drives
constexpr double rough = 1e-3;   ///< share of the forces, for loads that are still to grow

/// All forces as one vector, times a factor.
Vector stacked(std::span<const SurfaceForces> loads, double factor) {
  Index size = 0;
  for (const SurfaceForces& one : loads) size += one.forces.size();
  Vector all(size);
  Index first = 0;
  for (const SurfaceForces& one : loads) {
    all.segment(first, one.forces.size()) = factor * one.forces.reshaped();
    first += one.forces.size();
  }
  return all;
}

void unstack(const Vector& all, std::vector<SurfaceForces>& loads) {
  Index first = 0;
  for (SurfaceForces& one : loads) {
    one.forces.reshaped() = all.segment(first, one.forces.size());
    first += one.forces.size();
  }
}

/// Combines the rounds of an iteration g <- g + r(g) so that what is left is least.     [Anderson 1965]
class RoundMixing {
 public:
  Vector next(const Vector& g, const Vector& r) {
    if (last_g_.size() == 0) {
      moves_.resize(g.size(), 0);
      changes_.resize(g.size(), 0);
    } else {
      const Index kept = std::min(moves_.cols(), depth - 1);
      Matrix moves(g.size(), kept + 1), changes(g.size(), kept + 1);
      moves << moves_.rightCols(kept), g - last_g_;
      changes << changes_.rightCols(kept), r - last_r_;
      moves_ = std::move(moves);
      changes_ = std::move(changes);
    }
    last_g_ = g;
    last_r_ = r;
    return g + r - (moves_ + changes_) * weights(r);
  }

 private:
  /// The w that makes |r - changes w| least; of columns that all but depend on others, little.
  [[nodiscard]] Vector weights(const Vector& r) const {
    constexpr double least = 1e-12;  // of the square of a column, far above its rounding
    const Index n = changes_.cols();
    if (n == 0) return Vector(0);
    const Vector size = changes_.colwise().norm().cwiseMax(1e-300).transpose();
    const Matrix columns = changes_ * size.cwiseInverse().asDiagonal();
    Matrix gram = columns.transpose() * columns;
    gram.diagonal().array() += least;
    const Cholesky factor(gram);
    if (!factor.ok()) return Vector::Zero(n);
    return Vector(factor.solve(columns.transpose() * r)).cwiseQuotient(size);
  }

  Vector last_g_, last_r_;
  Matrix moves_, changes_;  ///< of g and of r from round to round, one per column
};

/// Where a body started, to go back to.
class StaticStart {
 public:
  explicit StaticStart(const Motion& motion) { motion.save(bytes_); }

  void go_back(Motion& motion, SurfaceLoads& loads) const {
    restore(motion);
    (void)loads.update(motion);
    motion.set_surface_forces(loads.forces());
    restore(motion);  // forces that it had are no change
  }

 private:
  void restore(Motion& motion) const {
    StateReader in(bytes_.bytes(), "state");
    motion.restore(in);
  }

  StateWriter bytes_;
};

/// Adds a solution to those that it goes on from: the shape is its own.
void add_later(const StepReport& one, StepReport& total) {
  add_report(one, total);
  total.smallest_volume_ratio = one.smallest_volume_ratio;
}

/// Equilibrium under a share of the loads.
StepReport solve_share(double share, double tolerance, Motion& motion, SurfaceLoads& loads,
                       const EquilibriumOptions& options) {
  StepReport total;
  std::vector<SurfaceForces> given(loads.forces().begin(), loads.forces().end());
  RoundMixing mixing;
  Vector g = stacked(loads.forces(), share);
  for (int round = 0; round < most_rounds; ++round) {
    unstack(g, given);
    motion.set_surface_forces(given);
    add_later(motion.solve_static(options), total);
    if (!total.ok()) return total;
    (void)loads.update(motion);
    const Vector now = stacked(loads.forces(), share), left = now - g;
    total.residual = left.norm() > 0.0 ? left.norm() / std::max(now.norm(), g.norm()) : 0.0;
    if (!left.allFinite()) total.status = SolveStatus::not_finite;
    if (!total.ok() || total.residual <= tolerance) return total;
    g = mixing.next(g, left);
  }
  total.status = SolveStatus::not_converged;
  return total;
}

StepReport solve_in_parts(int parts, Motion& motion, SurfaceLoads& loads, const EquilibriumOptions& options) {
  StepReport total;
  for (int part = 1; part <= parts && total.ok(); ++part) {
    const bool last = part == parts;
    const double tolerance = last ? options.tolerance : std::max(options.tolerance, rough);
    StepReport one = solve_share(static_cast<double>(part) / parts, tolerance, motion, loads, options);
    if (!last && one.ok()) one.residual = 0.0;
    add_later(one, total);
  }
  total.load_steps = std::max(total.load_steps, parts);
  return total;
}

}  // namespace

StepReport solve_following(Motion& motion, SurfaceLoads& loads, const EquilibriumOptions& options) {
  const StaticStart start(motion);
  StepReport report;
  int iterations = 0;
  try {
    for (const int parts : {1, 4, 16}) {
      report = solve_in_parts(parts, motion, loads, options);
      iterations += report.iterations;
      report.iterations = iterations;
      if (report.ok()) {
        motion.set_surface_forces(loads.forces());
        return report;
      }
      start.go_back(motion, loads);
    }
  } catch (...) {
    start.go_back(motion, loads);
    throw;
  }
  return report;
}

}  // namespace limber
