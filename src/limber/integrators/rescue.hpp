#pragma once

#include "limber/integrators/dynamic_system.hpp"
#include "limber/integrators/energy_guard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {

// The end of a step, held to the energy that energy_guard.hpp allows: judged, slowed down, or found anew.

/// A body that nothing may hold: its momentum is then not to be scaled away with its velocity, and only
/// forces from outside change it.
template <class S>
concept FreeSystem = requires(const S& constant, double h, const Vector& x, const DynamicState& start,
                              DynamicState& end, Vector& rigid) {
  { constant.free() } -> std::same_as<bool>;
  // Of the velocity field x at the u last evaluated, the rigid motion with the same momentum.
  constant.rigid_velocity(x, rigid);
  // Gives the end of a step of length h, for which the system was evaluated, the angular momentum that it
  // must have. x: f_ext.
  constant.settle(h, x, start, end);
  // The start of a step of length h carried along by its motion as a whole: its displacements to the first
  // vector; to the second the velocities of its shape beside that, turned along. The energy of the spin
  // stays.
  constant.carry(h, start, rigid, rigid);
  // Takes the translation as a whole out of the displacement given last, and returns it.
  { constant.take_translation(rigid) } -> std::same_as<Vector>;
  // Energy of the motion of its center alone, m V^2 / 2 - F . c, for loads, displacements and velocities:
  // J.
  { constant.flight_energy(x, x, x) } -> std::same_as<double>;
};

/// Vectors that the functions below need, kept from step to step.
struct RescueWorkspace {
  Vector direction, residual, product, rigid, start, velocity, translation;

  /// For systems of this size: a rescue allocates nothing where ordinary steps were taken before it.
  void reserve(Index size) {
    for (Vector* vector : {&direction, &residual, &start, &velocity}) vector->resize(size);
  }
};

template <DynamicSystem System>
double kinetic_energy(const System& system, const Vector& v, Vector& product) {
  system.multiply_mass(v, product);
  return 0.5 * v.dot(product);
}

/// Energies of a state. Of a body that nothing holds: but for that of the motion of its center, which loads
/// and damping alone change; what damping takes from it, no vibration may have.
struct StepEnergy {
  double kinetic = 0.0;    ///< that may be scaled away, J
  double potential = 0.0;  ///< and all other, J
  double size = 0.0;       ///< of the terms that they are sums of, but for the elastic one, J

  [[nodiscard]] double total() const { return kinetic + potential; }
};

/// Whether the system is one that nothing holds now.
template <DynamicSystem System>
bool is_free(const System& system) {
  if constexpr (FreeSystem<System>) {
    return system.free();
  } else {
    return false;
  }
}

/// At a state of displacements u and velocities v.  elastic: W(u), J.  product: memory; becomes M v.
template <DynamicSystem System>
StepEnergy step_energy(const System& system, const Vector& f_ext, const Vector& u, const Vector& v,
                       double elastic, Vector& product) {
  const double kinetic = kinetic_energy(system, v, product), load = f_ext.dot(u);
  StepEnergy energy{kinetic, elastic - load, kinetic + std::abs(load)};
  if constexpr (FreeSystem<System>) {
    if (system.free()) {
      const double flight = system.flight_energy(f_ext, u, v);
      energy.potential -= flight;
      energy.size += std::abs(flight);
    }
  }
  return energy;
}

/// At the state for whose u the system was evaluated.
template <DynamicSystem System>
StepEnergy step_energy(const System& system, const Vector& f_ext, const DynamicState& state,
                       RescueWorkspace& work) {
  return step_energy(system, f_ext, state.u, state.v, system.elastic_energy(), work.product);
}

/// The same with the energy of the motion as a whole, work.rigid, which stays.
template <DynamicSystem System>
StepEnergy split_energy(const System& system, const Vector& f_ext, const DynamicState& state,
                        RescueWorkspace& work) {
  StepEnergy energy = step_energy(system, f_ext, state, work);
  if constexpr (FreeSystem<System>) {
    if (!system.free()) return energy;
    system.rigid_velocity(state.v, work.rigid);
    const double rigid = 0.5 * work.rigid.dot(work.product);  // rigid . M (v - rigid) = 0
    energy.kinetic -= rigid;
    energy.potential += rigid;
  }
  return energy;
}

/// Size of the rounding error in the energy at the end of a step.
template <DynamicSystem System>
double energy_rounding(const System& system, const StepEnergy& energy) {
  return system.energy_rounding() + 16.0 * std::numeric_limits<double>::epsilon() * energy.size;
}

/// What was lost is nothing that may come back.
inline void forget_slack(DynamicState& state) { state.slack = std::min(state.slack, 0.0); }

/// After a change of loads or of the body, before the next step: what was lost before it does not come
/// back, nor does what that step will lose. Whoever lets go has the energy at its end in mind.
inline void note_change(DynamicState& state) {
  forget_slack(state);
  state.changed = true;
}

/// What the next step may give back where this one ends with `total`, J.
template <DynamicSystem System>
double slack_after(const System& system, double allowed, double total) {
  // Where forces have no potential, W goes up and down by their error, however small the step: to forget
  // that would damp the body.
  return system.conservative() ? next_slack(allowed, total) : allowed - total;
}

/// Scales the velocity so that the step ends with `allowed`, J.  energy: split.
template <DynamicSystem System>
void slow_down(const System& system, const StepEnergy& energy, double allowed, DynamicState& next,
               const RescueWorkspace& work) {
  const double factor = slowing_factor(allowed, energy.kinetic, energy.potential);
  if (is_free(system)) {
    next.v = work.rigid + factor * (next.v - work.rigid);
  } else {
    next.v *= factor;
  }
  next.slack = slack_after(system, allowed, factor * factor * energy.kinetic + energy.potential);
}

/// Whether the step to `next` may stand; its velocity is slowed down where that is enough.  allowed: J.
template <DynamicSystem System>
bool end_within(System& system, double h, const StepLoad& external, double allowed, const DynamicState& start,
                DynamicState& next, RescueWorkspace& work) {
  work.reserve(next.u.size());
  system.evaluate(next.u);
  if constexpr (FreeSystem<System>) system.settle(h, external.end, start, next);
  const double total = step_energy(system, external.mean, next, work).total();
  next.slack = slack_after(system, allowed, total);
  if (total <= allowed) return true;
  const StepEnergy energy = split_energy(system, external.mean, next, work);
  const double rounding = energy_rounding(system, energy);
  const EnergyVerdict verdict = judge_energy(allowed, energy.kinetic, energy.potential, rounding);
  if (verdict == EnergyVerdict::slow) slow_down(system, energy, allowed, next, work);
  return verdict != EnergyVerdict::rescue;
}

/// Where the cubic through the values and slopes of a function at 0 and at t has its minimum, kept well
/// within: what to try next where the value at t is too high.
inline double shorter_step(double t, double start_slope, double change, double end_slope) {
  const double d = end_slope + start_slope - 3.0 * change / t;
  const double root = d * d - start_slope * end_slope;
  const double found = t * (1.0 - (end_slope + std::sqrt(std::max(root, 0.0)) - d) /
                                      (end_slope - start_slope + 2.0 * std::sqrt(std::max(root, 0.0))));
  return std::isfinite(found) ? std::clamp(found, 0.1 * t, 0.6 * t) : 0.1 * t;
}

/// Derivatives of the elastic energy in place of forces that are none, once they are taken and until the
/// end of its life. For systems whose forces have a potential: nothing.
template <DynamicSystem System>
class ForcesOfEnergy {
 public:
  explicit ForcesOfEnergy(System& system) : system_(system) {}
  ~ForcesOfEnergy() { set(false); }
  ForcesOfEnergy(const ForcesOfEnergy&) = delete;
  ForcesOfEnergy& operator=(const ForcesOfEnergy&) = delete;

  void take() { set(true); }

 private:
  void set(bool taken) {
    if constexpr (requires { system_.take_forces_of_energy(taken); }) {
      if (taken != taken_) system_.take_forces_of_energy(taken);
      taken_ = taken;
    }
  }

  System& system_;
  bool taken_ = false;
};

/// The direction of a rescue, work.direction, from work.residual: A d = r, A = M / h^2 + D / h + K. Where A
/// has lost its mass to rounding, or its solver does not get there, that of an explicit step, M d = h^2 r,
/// goes downhill as well.
template <DynamicSystem System>
SolveReport rescue_direction(System& system, double h, const DynamicState& state, RescueWorkspace& work) {
  work.product.setZero(state.v.size());
  SolveReport report = system.factor(1.0 / (h * h), 1.0 / h, 1.0, work.product);
  if (report.ok()) report = system.solve(work.residual, work.direction);
  if (report.ok() && work.residual.dot(work.direction) > 0.0) return report;
  report = system.solve_mass(work.residual, work.direction);
  work.direction *= h * h;
  return report;
}

/// A step of implicit Euler, linearised, and shortened until it does not gain energy:
///
///   (M + h D + h^2 K) d = h M v + h^2 (f_ext - f),      u' = u + t d,   v' = t d / h,   t <= 1:
///   1/2 |v' - v|_M^2 + P(u') <= 1/2 |v|_M^2 + P(u),
///
/// so that P(u') <= E(u, v), and v' can be scaled to end within what is allowed. Such a t exists, because d
/// goes downhill. Damps strongly: for steps that nothing else can take. A body that nothing holds flies and
/// turns on meanwhile, as one that is rigid: u and v are those of its shape, carried along, and the
/// translation by loads is not shortened. As its spin follows from its shape, t is such that the energy of
/// that is allowed too. carried: false where it is not even for t = 0, as for a law that knows no
/// rotations; then it is not turned. The end goes to `next`. The forces must be those of the energy.
template <DynamicSystem System>
SolveStatus rescue_step(System& system, double h, const StepLoad& external, double allowed,
                        const DynamicState& state, DynamicState& next, RescueWorkspace& work,
                        bool carried = true) {
  constexpr int most_tries = 40;
  carried = carried && is_free(system);
  work.start = state.u;
  work.velocity = state.v;
  if constexpr (FreeSystem<System>) {
    if (carried) system.carry(h, state, work.start, work.velocity);
  }
  system.evaluate(work.start);
  const double start_elastic = system.elastic_energy();
  system.multiply_mass(work.velocity, work.residual);
  work.residual = work.residual / h + external.mean - system.force();
  const SolveReport report = rescue_direction(system, h, state, work);
  if (!report.ok()) return report.status;
  Vector& d = work.direction;
  if constexpr (FreeSystem<System>) {
    if (system.free()) {
      work.translation = system.take_translation(d);
      work.start += work.translation;
      if (carried) {  // and so far it came by its motion as a whole
        next.u = work.start - state.u;
        work.translation = system.take_translation(next.u);
      }
    }
  }
  system.multiply_mass(d, work.product);
  const double inertia = d.dot(work.product) / (h * h), drift = work.velocity.dot(work.product) / h;
  const double load = external.mean.dot(d);
  const auto slope = [&](double t) { return t * inertia - drift + system.force().dot(d) - load; };
  const double start_slope = slope(0.0);
  if (!std::isfinite(inertia + start_slope)) return SolveStatus::not_finite;  // no part of it can be judged
  double t = 1.0;
  for (int tries = 0;; ++tries) {
    if (tries == most_tries) t = 0.0;  // stays where it is
    next.u = work.start + t * d;
    next.v = (t / h) * d;
    system.evaluate(next.u);
    const double change = t * (0.5 * t * inertia - drift - load) + system.elastic_energy() - start_elastic;
    if (change <= 0.0 || change <= system.energy_rounding() || t == 0.0) {
      if (!is_free(system)) break;
      if constexpr (FreeSystem<System>) {
        next.v += work.translation / h;
        system.settle(h, external.end, state, next);
        const StepEnergy energy = split_energy(system, external.mean, next, work);
        if (energy.potential <= allowed + energy_rounding(system, energy)) break;
        if (t == 0.0 && !carried) break;
        if (t == 0.0) return rescue_step(system, h, external, allowed, state, next, work, false);
        t = tries + 1 < most_tries ? 0.5 * t : 0.0;
        continue;
      }
    }
    t = shorter_step(t, start_slope, change, slope(t));
  }
  const StepEnergy energy = split_energy(system, external.mean, next, work);
  if (!std::isfinite(energy.total()) || !next.u.allFinite()) return SolveStatus::not_finite;
  slow_down(system, energy, allowed, next, work);
  // That which balances the forces would be enormous in stiff modes, and the next step would take it for
  // theirs.
  next.a = (next.v - state.v) / h;
  return SolveStatus::converged;
}

}  // namespace limber
