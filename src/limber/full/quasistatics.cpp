#include "limber/full/quasistatics.hpp"

#include "limber/integrators/halving.hpp"

namespace limber {
namespace {

constexpr int max_time_halvings = 4;  ///< beyond, time is not what makes a step hard

}  // namespace

QuasistaticSolver::QuasistaticSolver(FullModel& model, MapFunction maps, LoadFunction load,
                                     const StaticOptions& options)
    : model_(model), map_function_(std::move(maps)), load_(std::move(load)), solver_(model, options) {
  place(0.0);
}

void QuasistaticSolver::place(double t) {
  maps_ = map_function_(t);
  model_.set_supports(maps_.offset);
}

/// From the time of maps_ to t. On failure u stays, and the supports are as at t.
StaticReport QuasistaticSolver::solve_at(double t, Vector& u, bool in_load_steps) {
  const VertexMaps before = maps_;
  place(t);
  load_(t, t, f_ext_);
  Vector y = maps_.to_world(model_.dofs(), u);
  StaticReport report = in_load_steps ? solver_.solve(f_ext_, y) : solver_.solve_near(f_ext_, y);
  if (report.ok() && !in_load_steps && report.smallest_volume_ratio <= 0.0) {
    // What jumps into inverted elements at once is more often a false answer than the true one.
    model_.set_supports(before.offset);
    if (model_.smallest_volume_ratio(before.to_world(model_.dofs(), u)) > 0.0)
      report.status = SolveStatus::not_converged;
    model_.set_supports(maps_.offset);
  }
  if (report.ok()) u = maps_.to_rest(model_.dofs(), y);
  return report;
}

StaticReport QuasistaticSolver::step(double t0, double t1, Vector& u) {
  const double h = t1 - t0;
  const Vector start = u;
  StaticReport total;
  double done = 0.0;
  place(t0);
  const auto advance = [&](double part, bool last) -> SolveReport {
    const double from = t0 + done, to = done + part == h ? t1 : t0 + (done + part);
    StaticReport report = solve_at(to, u, false);
    int iterations = report.iterations;
    if (!report.ok() && last) {
      place(from);
      report = solve_at(to, u, true);
      iterations += report.iterations;
    }
    if (report.ok()) {
      done += part;
      total = {report, total.load_steps + report.load_steps,
               total.projected_iterations + report.projected_iterations, report.smallest_volume_ratio};
    } else {
      place(from);
    }
    return {report.status, iterations, report.residual};
  };
  static_cast<SolveReport&>(total) = step_by_halves(advance, h, max_time_halvings);
  if (!total.ok()) {
    u = start;
    place(t0);
  }
  return total;
}

}  // namespace limber
