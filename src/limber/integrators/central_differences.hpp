#pragma once

#include "limber/integrators/dynamic_system.hpp"

namespace limber {

/// Vectors that a step needs, kept from step to step: only the first one allocates.
struct CentralDifferencesWorkspace {
  Vector displacement, velocity, acceleration, product, residual;
};

/// One step of central differences in its one-step form (velocity Verlet): explicit, second order.
///
///   v_half = v + h/2 a,   u' = u + h v_half,   M a' = f_ext - f(u') - D v_half,   v' = v_half + h/2 a'.
///
/// Without damping this is u_{n+1} - 2 u_n + u_{n-1} = h^2 a_n exactly. Damping acts on the velocity half a
/// step earlier, which keeps the step explicit. Stable only for h < 2 / omega_max (less with stiffness
/// damping).
/// f_ext: N, at the end of the step.  On failure the state is left as it was.
template <DynamicSystem System>
SolveReport central_differences_step(System& system, double h, const Vector& f_ext, DynamicState& state,
                                     CentralDifferencesWorkspace& work) {
  work.velocity = state.v + 0.5 * h * state.a;
  work.displacement = state.u + h * work.velocity;
  system.evaluate_force(work.displacement);
  system.multiply_damping(work.velocity, work.product);
  work.residual = f_ext - system.force() - work.product;
  SolveReport report = system.solve_mass(work.residual, work.acceleration);
  if (!report.ok()) return report;
  work.velocity += 0.5 * h * work.acceleration;
  if (!work.displacement.allFinite() || !work.velocity.allFinite() || !work.acceleration.allFinite()) {
    report.status = SolveStatus::not_finite;
    return report;
  }
  state.time += h;
  state.u.swap(work.displacement);
  state.v.swap(work.velocity);
  state.a.swap(work.acceleration);
  return report;
}

}  // namespace limber
