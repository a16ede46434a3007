#pragma once

#include "limber/linalg/types.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

/// Where in a step in velocities elastic forces are taken.
enum class ElasticEnd {
  mean,      ///< as CoupledStep has them: slow motion keeps its energy
  implicit,  ///< f at the end of the step, with h k K in A: all motion loses some, and hardly any can gain
  rigid,     ///< nowhere: the shape stays, only the whole moves. The last resort, which contacts take part in
};

/// Of what a step is a part that is taken in shorter ones.
struct StepPart {
  double whole = 0.0;  ///< length of that, s
  double left = 0.0;   ///< what is left of it when the step begins, s

  /// Of what is left, how much the step of h seconds is.
  [[nodiscard]] double share(double h) const { return left > h ? h / left : 1.0; }
};

/// A step of a body in velocities, as whoever couples it with others needs it (contact/contact_solver.hpp).
///
/// The velocities u of a step are the mean ones in its course: coordinates and frame at its end are those at
/// its start and h u. Newmark's method (beta = 1/4, gamma = 1/2) in this form, linearised at the start, is
///
///   A (u - u_0) = k (f_ext - f - (h - h_0)/2 K u_0 - D u_0 - bias) + J^T g,     A = M + h/2 D + h^2/4 K,
///
/// u_0, h_0: of the step before; k = (h_0 + h)/2: from the middle of that to the middle of this. Of a first
/// step u_0 is the velocity at its start, and h_0 = 0.  g: impulses on points that move with J u. Gaps are
/// then kept by the same velocity that places move by: what rests stays where it is with u = 0, and what
/// strikes does not bounce off by itself, as both would with velocities at the ends of steps.
///
/// Order and axes of the unknowns are those of PointRows: coordinates of one domain after the other; of a
/// body that flies then the velocity of the origin of its frame and its angular velocity, in axes of the
/// world.
struct CoupledStep {
  double h = 0.0;     ///< s
  double kick = 0.0;  ///< k, s: for so long have forces changed the velocity
  ElasticEnd elastic = ElasticEnd::mean;
  /// 0, or by how much harder to deform the body is taken for, of trees (tree_creep.cpp): its shape then
  /// creeps to where it is at ease, without momentum of its own, or stays.
  double hardness = 0.0;
  bool pulled = false;     ///< whether springs couple the unknowns: the diagonal of A says little then
  double unearned = 0.0;   ///< J, set by whoever couples: what friction gives only because the step is long
  double excess = 0.0;     ///< J, likewise: what contacts give besides, which vibrations are to lose
  double tolerance = 0.0;  ///< likewise: to which share impulses were solved for
  bool condensed = false;  ///< whether A is too large to be stored whole: what is touched is asked for later
  Matrix matrix;           ///< A, n x n, symmetric positive definite, stored whole
  Vector start;            ///< u_0, n
  Vector free;             ///< u*, n: where no impulse acts
};

/// Of a body that nothing holds, J: how far its energy is known where contacts push it so. They know
/// velocities to some digits only of what impulses change them by; where it rests that is more than all of
/// its energy.
inline double solved_digits(const CoupledStep& step, const Vector& impulse, double mass) {
  return step.tolerance * impulse.segment<3>(impulse.size() - 6).squaredNorm() / mass;
}

/// What impulses give such a body beyond their work on u, J: its momentum knows how the whole moves to more
/// digits. No more than some times solved_digits(), more or less.
inline double missed_work(const CoupledStep& step, const Vector& u, const Vector& impulse, double mass) {
  const Index first = u.size() - 6;
  double missed = 0.0;
  for (Index i = first; i < first + 3; ++i)
    missed += impulse(i) * (impulse(i) - step.matrix.col(i).dot(u - step.free));
  const double most = 3.0 * solved_digits(step, impulse, mass);
  return std::isfinite(missed) ? std::clamp(0.5 * missed / mass, -most, most) : 0.0;
}

}  // namespace limber
