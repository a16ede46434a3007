#pragma once

#include <algorithm>
#include <cmath>

namespace limber {

// Energy from nowhere.
//
// No implicit scheme bounds the energy of a nonlinear body at every length of its steps: linearised or not,
// Newmark, generalised alpha, BDF2 and midpoint all grow without limit on some body. So each step is checked.
// Where loads stand still while it lasts,
//
//   E = T + P,     T = 1/2 v . M v,     P = W(u) - f_ext . u,
//
// can only fall, and a step may end with no more than
//
//   R = E at its start (with the loads of this step) + slack.
//
// The slack is energy that earlier steps have lost and this one may give back: in a free swing E goes up and
// down within each period by a share of (omega h)^2, and forbidding that would damp the swing. It is
// forgotten by a thousandth a step, and at once where loads or the body change. A step that ends above R by
// little is slowed down (its velocity is scaled); one that ends above by more is taken again by implicit
// Euler, shortened until it does not gain: rescued, as is one that Newton's iteration does not find, however
// short. (Full bodies first try shorter steps there.) Loads that change between two steps change E at the
// start of the next, and R with it: the work of hands, supports and wind is theirs.

enum class EnergyVerdict {
  accept,  ///< E <= R
  slow,    ///< P <= R, and E is above R by a small share of T
  rescue,  ///< all else, numbers that are not finite included
};

/// allowed: R.  kinetic: T, potential: P, at the end of the step.  rounding: size of the rounding error in E.
/// All J.
inline EnergyVerdict judge_energy(double allowed, double kinetic, double potential, double rounding) {
  constexpr double small_surplus = 0.1;  // of T: scales the velocity by 5 % at most, which nobody sees
  const double surplus = kinetic + potential - allowed;
  // Where numbers are so large that their squares overflow nothing is known of their rounding.
  if (surplus <= (std::isfinite(rounding) ? rounding : 0.0)) return EnergyVerdict::accept;
  // A body at rest under load has no velocity to scale: then rounding is all that it may miss R by.
  return potential <= allowed && surplus <= small_surplus * kinetic ? EnergyVerdict::slow
                                                                    : EnergyVerdict::rescue;
}

/// Steps after a rescue that are taken with more damping of fast modes, after which most bodies need no
/// rescue any more.
inline constexpr int cautious_steps = 50;

/// Factor of the velocity with which a step ends at R; 1 where it ends below.
inline double slowing_factor(double allowed, double kinetic, double potential) {
  if (kinetic + potential <= allowed || kinetic <= 0.0) return 1.0;
  return std::sqrt(std::clamp((allowed - potential) / kinetic, 0.0, 1.0));
}

/// What is kept of the slack from one step to the next.
inline constexpr double kept_slack = 0.999;

/// What the next step may give back. Rounding that passed R is a debt, which is never forgotten: however many
/// steps, E does not creep up.
inline double next_slack(double allowed, double energy) {
  const double slack = allowed - energy;
  return slack > 0.0 ? kept_slack * slack : slack;
}

/// J that vibrations lose of what contacts gave though it was not due: as much of it as nobody sees.
/// surplus: of energy with all of it, vibrations: kinetic energy of these, energy: of the body.
inline double taken_back(double surplus, double vibrations, double energy) {
  constexpr double unseen = 0.1, unnoticed = 1e-9;  // less is not worth a sweep
  const double taken = std::min(surplus, unseen * vibrations);
  return taken > unnoticed * std::max(0.0, energy) ? taken : 0.0;
}

/// What the next step may give back where R has an `excess` that is meant for this step alone: what
/// vibrations lose of what contacts gave though it was not due, and beyond_way(). Nothing of it is saved up.
/// allowed: R, energy: E at the end, before: the slack of this step.
inline double slack_without(double excess, double allowed, double energy, double before) {
  return std::min(next_slack(allowed, energy), std::max(next_slack(allowed - excess, energy), before));
}

// Of steps in velocities (multidomain/coupled_step.hpp).

/// J by which what a force F gives to velocities differs from what it does along the way of places, in a step
/// after one of another length: from one middle to the next it acts for k, which gives k F . (u_0 + u) / 2,
/// while places go by (h_0 u_0 + h u) / 2: (h_0 - h) F . (u - u_0) / 4. Where loads and contacts stand
/// against each other, either may do more than the other: each is taken for what is more. by_loads,
/// by_contacts: F . (u - u_0) of these, W.
inline double beyond_way(double last_h, double h, double by_loads, double by_contacts) {
  const double quarter = 0.25 * (last_h - h);
  return std::max(0.0, quarter * by_loads) + std::max(0.0, -quarter * by_contacts);
}

}  // namespace limber
