#pragma once

#include "limber/integrators/dynamic_system.hpp"

namespace limber {

struct CentralDifferencesWorkspace {
  Vector half_velocity, product, residual, acceleration;
};

/// One step of central differences in its one-step form (velocity Verlet): explicit, second order.
///
///   v_half = v + h/2 a,   u' = u + h v_half,   M a' = f_ext - f(u') - D v_half,   v' = v_half + h/2 a'.
///
/// Without damping this is u_{n+1} - 2 u_n + u_{n-1} = h^2 a_n exactly. Damping acts on the velocity half a step earlier,
/// which keeps the step explicit. Stable only for h < 2 / omega_max (less with stiffness damping).
/// f_ext: N, at the end of the step.  On failure the state is left as it was.
template <DynamicSystem System>
SolveReport central_differences_step(System& system, double h, const Vector& f_ext, DynamicState& state,
                                     CentralDifferencesWorkspace& work) {
  work.half_velocity = state.v + 0.5 * h * state.a;
  const Vector u = state.u + h * work.half_velocity;
  system.evaluate_force(u);
  system.multiply_damping(work.half_velocity, work.product);
  work.residual = f_ext - system.force() - work.product;
  SolveReport report = system.solve_mass(work.residual, work.acceleration);
  if (!u.allFinite() || !work.acceleration.allFinite()) report.status = SolveStatus::not_finite;
  if (!report.ok()) return report;
  state.time += h;
  state.u = u;
  state.a = work.acceleration;
  state.v = work.half_velocity + 0.5 * h * state.a;
  return report;
}

}  // namespace limber
