#include "limber/online/online_quasistatics.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

constexpr double safety = 0.5;                   ///< of the error that the user accepts
constexpr double static_discarded_share = 0.04;  ///< of what is accepted
constexpr int max_static_enrichments = 4;        ///< of one step, before the full model solves it
constexpr Index longest_static_audit_gap = 16;   ///< steps
constexpr int max_backtracks = 20;
constexpr int max_iterations = 30;       ///< of Newton in the subspace
constexpr double step_tolerance = 1e-3;  ///< last Newton step, as a share of what is accepted
constexpr Index samples_per_vector = 2;  ///< of the largest basis

}  // namespace

OnlineQuasistatics::OnlineQuasistatics(FullModel& model, QuasistaticSolver::MapFunction maps,
                                       LoadFunction load, const StaticOptions& options,
                                       const OnlineSettings& settings)
    : model_(model),
      load_(load),
      settings_(settings),
      solver_(model, std::move(maps), std::move(load), options),
      subspace_(model, OnlineForces::Kind::key_elements, settings),
      residual_error_(model, options.solver),
      samples_(model, samples_per_vector * settings.max_rank, settings.seed),
      u_(Vector::Zero(model.dof_count())) {}

/// Root mean square over the mass that falls to each free vertex: without products with the mass matrix,
/// which would cost more than the reduced step.
double OnlineQuasistatics::norm_in_world(const Vector& y) const {
  double squares = 0.0, mass = 0.0;
  const std::vector<int>& vertices = model_.dofs().free_vertices();
  for (std::size_t f = 0; f < vertices.size(); ++f) {
    const double m = model_.vertex_masses()(vertices[f]);
    squares += m * y.segment<3>(3 * static_cast<Index>(f)).squaredNorm();
    mass += m;
  }
  return std::sqrt(squares / mass);
}

double OnlineQuasistatics::accepted() const {
  if (settings_.error_threshold) return settings_.throttle * *settings_.error_threshold * largest_;
  return settings_.throttle * safety * settings_.error * largest_;
}

double OnlineQuasistatics::discarded() const {
  if (settings_.discard_threshold) return *settings_.discard_threshold * largest_;
  return static_discarded_share * safety * settings_.error * largest_;
}

StaticReport OnlineQuasistatics::step(double t0, double t1) {
  subspace_.begin_step();
  StaticReport report;
  if (settings_.throttle > 0.0 && subspace_.rank() > 0 && !patience_.waits()) {
    if (take_reduced_step(t1, report)) {
      report.load_steps = 1;
      subspace_.end_step(StepKind::reduced, error_ / largest_);
      return report;
    }
    solver_.place(t0);
    patience_.fail();
  }
  const int spent = report.iterations;
  report = take_full_step(t0, t1);
  report.iterations += spent;
  if (report.ok()) subspace_.end_step(StepKind::full, 0.0);
  return report;
}

StaticReport OnlineQuasistatics::take_full_step(double t0, double t1) {
  const StaticReport report = solver_.step(t0, t1, u_);
  if (!report.ok() || settings_.throttle == 0.0) return report;
  const auto timer = subspace_.learning_timer();
  patience_.pass();
  largest_ = std::max(largest_, norm_in_world(maps().to_world(model_.dofs(), u_)));
  if (largest_ == 0.0 || patience_.waits()) return report;
  subspace_.shrink_if_full();
  learn();
  subspace_.remember(subspace_.basis().coordinates(u_));
  return report;
}

void OnlineQuasistatics::learn() {
  subspace_.grow(u_, discarded());
  if (subspace_.rank() == 0) return;
  const Vector force = model_.internal_force(maps().to_world(model_.dofs(), u_));
  subspace_.forces().learn(u_, maps(), force);
  follow_basis();
  calibrate(subspace_.basis().coordinates(u_), force);
  audit_after_ = 1;
  since_audit_ = 0;
}

void OnlineQuasistatics::follow_basis() {
  subspace_.follow();
  subspace_.forces().set_maps(maps());
  samples_.set_basis(subspace_.basis().columns());
}

/// Returns whether the step was taken; else u is as before, and the supports are where they are at t.
bool OnlineQuasistatics::take_reduced_step(double t, StaticReport& report) {
  solver_.place(t);
  subspace_.forces().set_maps(maps());
  load_(t, t, f_ext_);
  Vector q = subspace_.basis().coordinates(u_);
  ++since_audit_;
  for (int attempt = 0;; ++attempt) {
    load_in_subspace_ = subspace_.basis().force(maps().pulled_back(model_.dofs(), f_ext_));
    const SolveReport solved = solve_reduced(q);
    static_cast<SolveReport&>(report) = {solved.status, report.iterations + solved.iterations,
                                         solved.residual};
    if (!solved.ok()) return false;
    const double sampled = samples_.residual(q, maps(), f_ext_);
    if (attempt == 0 && since_audit_ < audit_after_ && per_residual_ * sampled <= accepted()) {
      pass(q, per_residual_ * sampled);
      return true;
    }
    Audit found = audit(q);
    if (found.size > accepted() && residual_error_.reference() != subspace_.basis().vector(q)) {
      // It may be only the stiffness that is old.
      if (!residual_error_.refresh(subspace_.basis().vector(q), maps(), 0.0).ok()) return false;
      found = audit(q);
    }
    if (found.size <= accepted()) {
      if (!descends_to(subspace_.basis().vector(q))) return false;
      // As long as the samples tell what audits find, few of these are needed.
      const double foretold = per_residual_ * sampled;
      const bool told = attempt == 0 && found.size < 1.5 * foretold && found.size > 0.5 * foretold;
      audit_after_ = told ? std::min(longest_static_audit_gap, 2 * audit_after_) : 1;
      since_audit_ = 0;
      per_residual_ = sampled > 0.0 ? found.size / sampled : 0.0;
      patience_.succeed();
      calibrate(q, found.force);
      pass(q, found.size);
      return true;
    }
    if (attempt == 0 && std::isfinite(found.size)) {
      calibrate(q, found.force);  // it may be only the forces that are wrong, not the basis
    } else if (attempt == max_static_enrichments || !learn_from(std::move(found), q)) {
      return false;
    }
  }
}

/// Whether the full model, too, has a lower potential there than at u_, but for what the error may add. Key
/// elements may lead to shapes that are crushed so much that nothing is left of a residual over its
/// stiffness.
bool OnlineQuasistatics::descends_to(const Vector& u) const {
  constexpr double share = 0.1;
  const Vector from = maps().to_world(model_.dofs(), u_), to = maps().to_world(model_.dofs(), u);
  const double start = model_.energy(from), end = model_.energy(to), work = f_ext_.dot(to - from);
  return end - start - work <= share * (start + end + std::abs(work));
}

void OnlineQuasistatics::pass(const Vector& q, double size) {
  u_ = subspace_.basis().vector(q);
  error_ = size;
  largest_ = std::max(largest_, norm_in_world(maps().to_world(model_.dofs(), u_)));
  subspace_.remember(q);
}

/// Makes the key elements exact at q. force: that of the full model there, in the world, N.
void OnlineQuasistatics::calibrate(const Vector& q, const Vector& force) {
  subspace_.forces().calibrate(q, subspace_.basis().force(maps().pulled_back(model_.dofs(), force)));
}

bool OnlineQuasistatics::learn_from(Audit audit, Vector& q) {
  if (subspace_.full() || !std::isfinite(audit.size)) return false;
  const auto timer = subspace_.learning_timer();
  subspace_.forces().learn(subspace_.basis().vector(q), maps(), audit.force);
  subspace_.grow(std::move(audit.displacement), discarded());
  follow_basis();
  const Index before = q.size();
  q.conservativeResize(subspace_.rank());
  if (q.size() > before) q.tail(q.size() - before).setZero();
  calibrate(q, audit.force);
  return true;
}

OnlineQuasistatics::Audit OnlineQuasistatics::audit(const Vector& q) {
  Audit result;
  const Vector u = subspace_.basis().vector(q);
  if (!residual_error_.ready() && !residual_error_.refresh(u, maps(), 0.0).ok()) {
    result.size = std::numeric_limits<double>::infinity();
    return result;
  }
  model_.internal_force(maps().to_world(model_.dofs(), u), result.force);
  result.displacement =
      residual_error_.displacement(maps().pulled_back(model_.dofs(), result.force - f_ext_));
  result.size = norm_in_world(maps().carried(model_.dofs(), result.displacement).col(0));
  if (!std::isfinite(result.size)) result.size = std::numeric_limits<double>::infinity();
  return result;
}

double OnlineQuasistatics::potential(const Vector& q) const {
  Vector force;
  return subspace_.forces().evaluate_force(q, force) - load_in_subspace_.dot(q);
}

/// Newton's iteration with a line search on the potential energy.
SolveReport OnlineQuasistatics::solve_reduced(Vector& q) {
  SolveReport report;
  const double enough = step_tolerance * accepted();
  for (; report.iterations < max_iterations; ++report.iterations) {
    const double energy = subspace_.forces().evaluate(q, force_, stiffness_);
    const Vector residual = load_in_subspace_ - force_;
    const double start = energy - load_in_subspace_.dot(q);
    if (!std::isfinite(start) || !residual.allFinite())
      return {SolveStatus::not_finite, report.iterations, 0.0};
    if (!factor_.compute(stiffness_, 0.0).ok())
      return {SolveStatus::not_positive_definite, report.iterations, 0.0};
    factor_.solve(residual, step_);
    double length = 1.0;
    bool descends = false;
    const double slope = residual.dot(step_), noise = 1e-12 * (std::abs(energy) + std::abs(start));
    for (int k = 0; k < max_backtracks && !descends; ++k) {
      if (k > 0) length *= 0.5;
      trial_ = q + length * step_;
      descends = potential(trial_) <= start - 1e-4 * length * slope + noise;
    }
    if (!descends) break;
    q = trial_;
    report.residual = load_in_subspace_.norm() > 0.0 ? residual.norm() / load_in_subspace_.norm() : 0.0;
    if (length * subspace_.basis().reduced_norm(step_) <= enough) {
      ++report.iterations;
      return report;
    }
  }
  report.status = SolveStatus::not_converged;
  return report;
}

void OnlineQuasistatics::go_back(double t) {
  u_ = remembered_;
  subspace_.go_back_in_report();
  solver_.place(t);
}

void OnlineQuasistatics::resume(Vector u, double t) {
  require(u.size() == model_.dof_count(), "the state has {} displacements, the body needs {}", u.size(),
          model_.dof_count());
  u_ = std::move(u);
  solver_.place(t);
}

void OnlineQuasistatics::save(StateWriter& out) const {
  out.write(u_);
  subspace_.save(out);
  residual_error_.save(out);
  patience_.save(out);
  for (const Index count : {since_audit_, audit_after_}) out.write(std::int64_t{count});
  for (const double value : {largest_, per_residual_, error_}) out.write(value);
}

void OnlineQuasistatics::restore(StateReader& in, double t) {
  Vector u;
  in.read(u);
  require(u.size() == model_.dof_count(), "the state has {} displacements, the body needs {}", u.size(),
          model_.dof_count());
  u_ = std::move(u);
  subspace_.restore(in);
  residual_error_.restore(in);
  patience_.restore(in);
  for (Index* count : {&since_audit_, &audit_after_}) {
    std::int64_t value = 0;
    in.read(value);
    *count = static_cast<Index>(value);
  }
  for (double* value : {&largest_, &per_residual_, &error_}) in.read(*value);
  if (subspace_.rank() > 0) samples_.set_basis(subspace_.basis().columns());
  solver_.place(t);
}

}  // namespace limber
