#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// How decoupled oscillators are stepped.
enum class ModalIntegrator {
  semi_implicit,  ///< implicit Euler: damps, the more the longer the step           [Choi & Ko 2005, Eq. 19]
  newmark,        ///< average acceleration: no damping of its own, second order
  exact,          ///< the solution of the equation for a force that is constant over the step
};

/// One step of length h of the oscillators  q'' + c q' + k q = f,  f constant over the step, one entry per
/// oscillator:
///   q_new = q_of_q q + q_of_v v + q_of_f f,      v_new = v_of_q q + v_of_v v + v_of_f f.
/// Semi-implicit: q_of_q, q_of_v, q_of_f are alpha, beta, gamma of Choi & Ko 2005, Eq. 19.
struct OscillatorStep {
  Vector q_of_q, q_of_v, q_of_f;
  Vector v_of_q, v_of_v, v_of_f;
};

/// stiffness: k, 1/s^2, at least 0.  damping: c, 1/s, at least 0.  h: s, positive.
/// Throws Error for anything else, and where the numbers leave the range of double. The exact step is so to
/// rounding for every damping: below, at and above the critical one, for k = 0 and for the shortest steps.
OscillatorStep make_oscillator_step(const VectorRef& stiffness, const VectorRef& damping, double h,
                                    ModalIntegrator integrator);

}  // namespace limber
