#pragma once

#include "limber/integrators/dynamic_system.hpp"
#include "limber/integrators/rescue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {

/// Newmark's method, and generalised alpha [Chung & Hulbert 1993], which is the same with its forces and its
/// inertia taken within the step: what is balanced is M ((1 - alpha_m) a_1 + alpha_m a_0) with the mean
/// (1 - alpha_f) g_1 + alpha_f g_0 of the forces g = D v + f at its start and its end. (Forces at the mean of
/// the two shapes would stretch a body that turns: the mean is smaller than both. Trees of domains, whose
/// frames turn along, do take these.)
struct NewmarkOptions {
  double beta = 0.25;  ///< with gamma = 1/2: average acceleration, second order, unconditionally stable for
                       ///< linear systems
  double gamma = 0.5;  ///< more than 1/2 damps high frequencies
  double alpha_m = 0.0, alpha_f = 0.0;  ///< see generalized_alpha()
  double tolerance =
      1e-8;  ///< on the residual relative to the largest force in it: far below the error of a time step
  int max_iterations =
      30;               ///< 1: one linearised step without a check, as in Barbic & James 2005, section 6.1
  bool guarded = true;  ///< no energy from nowhere (energy_guard.hpp); false: the bare method
};

/// Of second order, unconditionally stable for linear systems; what is much faster than the step loses all
/// but the share `rho` of its amplitude in each, and slow motion next to nothing. rho: 0 to 1; 1 damps
/// nothing.
constexpr NewmarkOptions generalized_alpha(double rho, int max_iterations) {
  const double alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), alpha_f = rho / (rho + 1.0);
  const double whole = 1.0 - alpha_m + alpha_f;
  return {.beta = 0.25 * whole * whole,
          .gamma = whole - 0.5,
          .alpha_m = alpha_m,
          .alpha_f = alpha_f,
          .max_iterations = max_iterations};
}

/// What real time asks for: one linearised step, which leaves no jitter of stiff modes behind.
constexpr NewmarkOptions real_time_newmark() { return generalized_alpha(0.8, 1); }

/// What a step is taken by while a body is cautious: after a rescue the stiff modes are still excited, and
/// more rescues would follow. Generalised alpha then damps them; Newmark's own parameters are the user's
/// choice.
constexpr NewmarkOptions cautious(const NewmarkOptions& options) {
  constexpr double strong = 0.2;  // rho: most that was found to help
  return options.alpha_f > 0.0 ? generalized_alpha(strong, options.max_iterations) : options;
}

/// Which steps newmark_step() rescues (rescue.hpp). Others that would need it fail, so that shorter ones can
/// be tried.
enum class Rescues {
  none,
  gains,  ///< those that end with too much energy, and linearised ones that cannot be solved
  all,    ///< and those for which Newton's iteration does not converge
};

/// Of a linearised step that gains energy, before it is rescued.
inline constexpr int iterations_beyond_linearised = 8;

/// Vectors that a step needs, kept from step to step: only the first one allocates.
struct NewmarkWorkspace {
  Vector increment, residual, step, product;
  Vector acceleration, velocity;  ///< within the step, where inertia and damping are taken
  Vector start_force;             ///< f + D v at the start, for generalised alpha that iterates
  DynamicState next;
  RescueWorkspace rescue;
};

/// alpha1 to alpha6 of newmark_step.
struct NewmarkConstants {
  double alpha1, alpha2, alpha3, alpha4, alpha5, alpha6;

  NewmarkConstants(double beta, double gamma, double h)
      : alpha1(1.0 / (beta * h * h)),
        alpha2(1.0 / (beta * h)),
        alpha3((1.0 - 2.0 * beta) / (2.0 * beta)),
        alpha4(gamma / (beta * h)),
        alpha5(1.0 - gamma / beta),
        alpha6((1.0 - gamma / (2.0 * beta)) * h) {}

  /// Acceleration and velocity after the step in which u grew by `increment`.
  void update(const DynamicState& start, const Vector& increment, DynamicState& end) const {
    end.a = alpha1 * increment - alpha2 * start.v - alpha3 * start.a;
    end.v = alpha4 * increment + alpha5 * start.v + alpha6 * start.a;
  }
};

/// work.residual = M a + c (D v + f) + (1 - c) g_0 - f_ext with work.acceleration, work.velocity and, where c
/// is not one, g_0 = work.start_force; f and D at the u for which the system was evaluated.
/// Returns the largest of the norms of M a, D v, f and f_ext, or 0 where it is not asked for.
template <DynamicSystem System>
double newmark_residual(const System& system, const Vector& f_ext, double c, NewmarkWorkspace& work,
                        bool with_norm) {
  double largest = 0.0;
  work.residual = c * system.force() - f_ext;
  if (with_norm) largest = std::max(system.force().norm(), f_ext.norm());
  if (c != 1.0) work.residual += (1.0 - c) * work.start_force;
  system.multiply_mass(work.acceleration, work.product);
  work.residual += work.product;
  if (with_norm) largest = std::max(largest, work.product.norm());
  system.multiply_damping(work.velocity, work.product);
  work.residual += c * work.product;
  if (with_norm) largest = std::max(largest, work.product.norm());
  return largest;
}

/// Below this, rounding hides the residual: that of the elastic forces, and that of M a, a difference of
/// terms such as alpha2 M v.
template <DynamicSystem System>
double newmark_rounding(const System& system, double alpha2, const Vector& v, Vector& product) {
  system.multiply_mass(v, product);
  return system.force_rounding() + 8.0 * std::numeric_limits<double>::epsilon() * alpha2 * product.norm();
}

/// Finds the end of a step, work.next, by Newton's iteration from work.increment, u - u_n, which is kept
/// apart: alpha1 would magnify the rounding of a difference. See newmark_step().
template <DynamicSystem System>
SolveReport solve_newmark(System& system, double h, const Vector& f_ext, const DynamicState& state,
                          NewmarkWorkspace& work, const NewmarkOptions& options) {
  const NewmarkConstants constants(options.beta, options.gamma, h);
  const double inertial = 1.0 - options.alpha_m, elastic = 1.0 - options.alpha_f;
  const bool check = options.max_iterations != 1;
  // One linearised step has all forces at its start, where their mean needs the mean of velocities alone.
  const double share = check ? elastic : 1.0;
  if (share != 1.0) {
    system.evaluate(state.u);
    system.multiply_damping(state.v, work.start_force);
    work.start_force += system.force();
  }
  DynamicState& next = work.next;
  SolveReport report;
  while (true) {
    next.u = state.u + work.increment;
    constants.update(state, work.increment, next);
    if (!check && report.iterations == 1) break;

    system.evaluate(next.u);
    work.acceleration = inertial * next.a + options.alpha_m * state.a;
    if (check) {
      work.velocity = next.v;
    } else {
      work.velocity = elastic * next.v + options.alpha_f * state.v;
    }
    const double scale = newmark_residual(system, f_ext, share, work, check);
    if (options.alpha_f != 0.0) {
      work.product = options.alpha_f * work.increment;
      system.add_end_stiffness_product(work.product, work.residual);
    }
    const double residual = work.residual.norm();
    if (!std::isfinite(residual)) return {SolveStatus::not_finite, report.iterations, residual};
    if (check) {
      report.residual = scale > 0.0 ? residual / scale : 0.0;
      if (report.residual <= options.tolerance) break;
      if (report.iterations > 0 &&
          residual <= newmark_rounding(system, constants.alpha2, state.v, work.product)) {
        report.residual = 0.0;  // all that is left is rounding, however little the forces are
        break;
      }
      if (report.iterations >= options.max_iterations) {
        report.status = SolveStatus::not_converged;
        return report;
      }
    }

    const SolveReport factored =
        system.factor(inertial * constants.alpha1, elastic * constants.alpha4, elastic, work.velocity);
    if (!factored.ok()) return {factored.status, report.iterations, report.residual};
    const SolveReport solved = system.solve(work.residual, work.step);
    if (!solved.ok()) return {solved.status, report.iterations, report.residual};
    work.increment -= work.step;
    ++report.iterations;
  }
  if (!next.u.allFinite() || !next.v.allFinite() || !next.a.allFinite()) {
    report.status = SolveStatus::not_finite;
  }
  return report;
}

/// The load of a step from that at its start to that at its end: `start` becomes the mean that Newmark's
/// method takes of them. Where they differ, slack is forgotten, as it is again at the end of such a step.
inline StepLoad mean_load(const Vector& end, const NewmarkOptions& options, Vector& start,
                          DynamicState& state) {
  if (start == end) return end;
  forget_slack(state);
  start = (1.0 - options.gamma) * start + options.gamma * end;
  return {end, start};
}

/// One step of implicit Newmark: finds u at time t + h with           [Barbic & James 2005, Appendix C]
///
///   M a + D(u) v + f(u) = f_ext,
///   a = alpha1 (u - u_n) - alpha2 v_n - alpha3 a_n,
///   v = alpha4 (u - u_n) + alpha5 v_n + alpha6 a_n,
///
///   alpha1 = 1/(beta h^2),    alpha2 = 1/(beta h),        alpha3 = (1 - 2 beta)/(2 beta),
///   alpha4 = gamma/(beta h),  alpha5 = 1 - gamma/beta,    alpha6 = (1 - gamma/(2 beta)) h,
///
/// by Newton's iteration with the matrix alpha1 M + alpha4 D + K + d(D(u) v)/du. Without its last term, which
/// is often left out, the iteration converges linearly, and not at all for strong damping. Generalised alpha
/// takes means of the first equation's terms at the start of the step and at its end (NewmarkOptions).
///
/// The energy at the end is that which energy_guard.hpp allows. The system stays evaluated there, so that the
/// next step need not do it again.
///
/// Where the load is another than in the step before, or the body has changed, call note_change() first.
/// On failure the state is left as it was. A linearised step that ends with more energy than is allowed is
/// first iterated on: solved better, most end within.
/// residual in the report: |M a + D v + f - f_ext| over the largest of these four norms, at the last
/// evaluation; 0 for one linearised step and for one that is rescued, which ask for no more than finite
/// numbers.
template <DynamicSystem System>
SolveReport newmark_step(System& system, double h, const StepLoad& load, DynamicState& state,
                         NewmarkWorkspace& work, const NewmarkOptions& options = {},
                         Rescues rescues = Rescues::gains) {
  DynamicState& next = work.next;
  ForcesOfEnergy<System> forces(system);
  if (state.caution > 0) forces.take();  // those of the body have just led up in energy
  NewmarkOptions taken = state.caution > 0 ? cautious(options) : options;
  system.evaluate(state.u);
  const double start_energy = system.elastic_energy();
  work.increment.setZero(state.u.size());
  work.start_force.resize(state.u.size());  // for a step that is iterated on, which allocates nothing
  SolveReport report = solve_newmark(system, h, load.end, state, work, taken);
  next.caution = std::max(0, state.caution - 1);
  const bool always_ends =
      rescues == Rescues::all || (rescues == Rescues::gains && options.max_iterations == 1);
  if (!report.ok() && !always_ends) return report;
  if (options.guarded) {
    const double allowed =
        step_energy(system, load.mean, state.u, state.v, start_energy, work.product).total() + state.slack;
    bool within = report.ok() && end_within(system, h, load, allowed, state, next, work.rescue);
    if (!within && report.ok() && options.max_iterations == 1) {
      taken.max_iterations = iterations_beyond_linearised;
      report = solve_newmark(system, h, load.end, state, work, taken);
      ++report.iterations;
      within = report.ok() && end_within(system, h, load, allowed, state, next, work.rescue);
    }
    if (!within && rescues == Rescues::none) {
      if (report.ok()) report.status = SolveStatus::not_converged;  // to an end that it may have
      return report;
    }
    if (!within) {
      const bool unsolved = !report.ok();
      forces.take();
      report = {rescue_step(system, h, load, allowed, state, next, work.rescue), report.iterations + 1};
      report.rescued = report.ok();
      report.unsolved = unsolved && report.ok();
      next.caution = cautious_steps;
    }
  }
  if (!report.ok()) return report;
  next.changed = false;
  if (state.changed || !load.stands_still()) forget_slack(next);
  next.time = state.time + h;
  std::swap(state, next);
  return report;
}

}  // namespace limber
