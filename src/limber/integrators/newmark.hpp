#pragma once

#include "limber/integrators/dynamic_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {

struct NewmarkOptions {
  double beta = 0.25;  ///< with gamma = 1/2: average acceleration, second order, unconditionally stable for
                       ///< linear systems
  double gamma = 0.5;  ///< more than 1/2 damps high frequencies
  double tolerance =
      1e-8;  ///< on the residual relative to the largest force in it: far below the error of a time step
  int max_iterations =
      30;  ///< 1: one linearised step without a check, as in Barbic & James 2005, section 6.2
};

/// Vectors that a step needs, kept from step to step.
struct NewmarkWorkspace {
  Vector increment, residual, step, product;
  DynamicState next;
};

/// One step of implicit Newmark: finds u at time t + h with           [Barbic & James 2005, Appendix C]
///
///   M a + D(u) v + f(u) = f_ext,
///   a = alpha1 (u - u_n) - alpha2 v_n - alpha3 a_n,
///   v = alpha4 (u - u_n) + alpha5 v_n + alpha6 a_n,
///
///   alpha1 = 1/(beta h^2),    alpha2 = 1/(beta h),        alpha3 = (1 - 2 beta)/(2 beta),
///   alpha4 = gamma/(beta h),  alpha5 = 1 - gamma/beta,    alpha6 = (1 - gamma/(2 beta)) h,
///
/// by Newton's iteration with the matrix alpha1 M + alpha4 D + K + d(D(u) v)/du. Without its last term, which is often left
/// out, the iteration converges linearly, and not at all for strong damping.
/// f_ext: N, held over the step.  On failure the state is left as it was.
/// residual in the report: |M a + D v + f - f_ext| over the largest of these four norms, at the last evaluation.
template <DynamicSystem System>
SolveReport newmark_step(System& system, double h, const Vector& f_ext, DynamicState& state,
                         NewmarkWorkspace& work, const NewmarkOptions& options = {}) {
  const double alpha1 = 1.0 / (options.beta * h * h), alpha2 = 1.0 / (options.beta * h);
  const double alpha3 = (1.0 - 2.0 * options.beta) / (2.0 * options.beta);
  const double alpha4 = options.gamma / (options.beta * h), alpha5 = 1.0 - options.gamma / options.beta;
  const double alpha6 = (1.0 - options.gamma / (2.0 * options.beta)) * h;

  DynamicState& next = work.next;
  next.time = state.time + h;
  next.u = state.u;
  work.increment.setZero(
      state.u.size());  // u - u_n, kept apart: alpha1 would magnify the rounding of a difference
  // Below this, rounding hides the residual: that of the elastic forces, and that of M a, a difference of terms such as alpha2 M v.
  system.multiply_mass(state.v, work.product);
  const double rounding =
      system.force_rounding() + 8.0 * std::numeric_limits<double>::epsilon() * alpha2 * work.product.norm();
  SolveReport report;
  while (true) {
    next.a = alpha1 * work.increment - alpha2 * state.v - alpha3 * state.a;
    next.v = alpha4 * work.increment + alpha5 * state.v + alpha6 * state.a;
    if (options.max_iterations == 1 && report.iterations == 1) break;

    system.evaluate(next.u);
    work.residual = system.force() - f_ext;
    double scale = std::max(system.force().norm(), f_ext.norm());
    system.multiply_mass(next.a, work.product);
    work.residual += work.product;
    scale = std::max(scale, work.product.norm());
    system.multiply_damping(next.v, work.product);
    work.residual += work.product;
    scale = std::max(scale, work.product.norm());

    const double residual = work.residual.norm();
    if (!std::isfinite(residual)) return {SolveStatus::not_finite, report.iterations, residual};
    report.residual = scale > 0.0 ? residual / scale : 0.0;
    if (report.residual <= options.tolerance || (report.iterations > 0 && residual <= rounding)) break;
    if (report.iterations == options.max_iterations) {
      report.status = SolveStatus::not_converged;
      return report;
    }

    const SolveReport factored = system.factor(alpha1, alpha4, 1.0, next.v);
    if (!factored.ok()) return {factored.status, report.iterations, report.residual};
    const SolveReport solved = system.solve(work.residual, work.step);
    if (!solved.ok()) return {solved.status, report.iterations, report.residual};
    work.increment -= work.step;
    next.u = state.u + work.increment;
    ++report.iterations;
  }
  if (!next.u.allFinite()) return {SolveStatus::not_finite, report.iterations, report.residual};
  std::swap(state, next);
  return report;
}

}  // namespace limber
