#pragma once

#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/types.hpp"

#include <concepts>

namespace limber {

/// Position in time of  M u'' + D(u, u') + f(u) = f_ext.
struct DynamicState {
  double time = 0.0;     ///< s
  Vector u;              ///< displacement, m
  Vector v;              ///< velocity u', m/s
  Vector a;              ///< acceleration u'', m/s^2
  double slack = 0.0;    ///< energy that the next step may give back, J (energy_guard.hpp)
  int caution = 0;       ///< steps to go with strong numerical damping, after one that was rescued
  bool changed = false;  ///< loads, or the body, since the last step: see note_change()
};

/// Rayleigh damping D = (alpha M + beta K) u'.                                            [Barbic & James
/// 2005, Eq. 6]
struct RayleighDamping {
  enum class Stiffness {
    local,   ///< K = K(u), the tangent at the current state: rigid rotation is not damped by beta
    linear,  ///< K = K(0), the stiffness at rest
  };
  double mass = 0.0;       ///< alpha, 1/s
  double stiffness = 0.0;  ///< beta, s
  Stiffness kind = Stiffness::local;
};

/// External forces of a step, N. The integrators balance those at its end (for a load that varies: its mean
/// over h about t + h); what they do over the step, as impulse and as work, is their mean in it.
struct StepLoad {
  const Vector& end;
  const Vector& mean;

  StepLoad(const Vector& constant) : end(constant), mean(constant) {}
  StepLoad(const Vector& at_end, const Vector& mean_of_it) : end(at_end), mean(mean_of_it) {}

  [[nodiscard]] bool stands_still() const { return &end == &mean; }
};

enum class Integrator { newmark, central_differences };

/// What the integrators see of a body, full or reduced: M, D, f and K, never a mesh.
/// evaluate(u) makes f and K current; the functions below it then speak of that u.
template <class S>
concept DynamicSystem = requires(S& system, const S& constant, const Vector& x, Vector& y, double c) {
  { constant.size() } -> std::convertible_to<Index>;

  // f(x), K(x), D(x); or f(x) and D(x) alone, which is cheaper. At once where it is the x last evaluated.
  system.evaluate(x);
  system.evaluate_force(x);
  { constant.force() } -> std::convertible_to<const Vector&>;
  { constant.force_rounding() } -> std::convertible_to<double>;  // size of the rounding error in it

  // W(x), and whether f is its gradient
  { constant.elastic_energy() } -> std::convertible_to<double>;
  { constant.energy_rounding() } -> std::convertible_to<double>;
  { constant.conservative() } -> std::same_as<bool>;

  // y = M x, y = D x, M y = x
  constant.multiply_mass(x, y);
  constant.multiply_damping(x, y);
  { system.solve_mass(x, y) } -> std::same_as<SolveReport>;

  // y += K_s x, K_s the constant part of K whose forces are taken at the end of a step whatever alpha_f: that
  // of springs, so that what a stiff one holds does not swing about where it is held.
  constant.add_end_stiffness_product(x, y);

  // Factors c1 M + c2 D + c3 (K - K_s + d(D(u) v)/du) + K_s, v given last, or a positive definite matrix near
  // it; then solves with it.
  { system.factor(c, c, c, x) } -> std::same_as<SolveReport>;
  { system.solve(x, y) } -> std::same_as<SolveReport>;
};

}  // namespace limber
