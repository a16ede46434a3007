#include "limber/multidomain/tree_parts.hpp"

#include <algorithm>
#include <cmath>

// Steps in velocities of shapes that no length of step brings back.
//
// A body of which hands have made a thousandth, or a thousand times as much, has forces of which a step knows
// next to nothing: where its energy is no polynomial it gains at any length. For such a step its shape stays,
// while the whole moves on with what it touches. Energies of steps in velocities are those of their middle,
// and a body that crumples has far more at the end: the shape that stays is the one between the two that has
// no more than the middle had, with what its vibrations had of kinetic energy there.
//
// Where that is so twice running, the shape creeps in the steps that follow, as if A were so many times
// harder and there were no momentum in it: down the gradient of its energy, as far as that falls
// (Levenberg-Marquardt, with the contacts in it). Where it falls all the way, it is ten times softer in the
// next step, until it is as soft as it is; where the way had to be shorter, as much harder.

namespace limber {
namespace {

constexpr double first_hardness = 1e6, hardness_rise = 1e3, hardness_fall = 0.1;

}  // namespace

/// Of a step of the present state.
double TreeDynamics::Parts::hardness(ElasticEnd elastic) const {
  if (elastic == ElasticEnd::rigid) return largest_hardness;
  if (!middle_.known) return 0.0;
  const bool harder = elastic == ElasticEnd::implicit && !middle_.hardened;
  return std::min(largest_hardness, (harder ? hardness_rise : 1.0) * middle_.hardness);
}

/// Makes A positive definite where rounding is larger than what it has of some coordinates: a shape creeps in
/// any direction that is downhill.
bool TreeDynamics::Parts::stiffen(Matrix& A) {
  constexpr double share = 1e-9;
  auto diagonal = A.diagonal().head(coordinate_count()).array();
  if (diagonal.size() > 0) diagonal += share * diagonal.maxCoeff();
  return coupled_factor_.compute(A);
}

/// A step of the whole, in which the shape creeps or stays, whatever ElasticEnd it is.  step.free: forces,
/// and then the accelerations that follow from them.
void TreeDynamics::Parts::harden(CoupledStep& step) {
  const Index count = coordinate_count();
  Matrix& A = step.matrix;
  A.topLeftCorner(count, count) *= step.hardness;
  auto creep = step.free.head(count);
  const bool stays = step.hardness >= largest_hardness;
  if (!stays && creep_factor_.compute(A.topLeftCorner(count, count))) {
    creep_factor_.solve_in_place(creep);
  } else {
    creep.setZero();
  }
  // Coordinates lose all of their velocity, and the whole has what momentum they leave to it.
  creep -= step.start.head(count) / step.kick;
  if (!tree->free) return;
  const Matrix6 whole = A.bottomRightCorner<6, 6>();
  const Vector6 load =
      step.free.tail<6>() - A.bottomLeftCorner<6, Eigen::Dynamic>(6, count).lazyProduct(creep);
  step.free.tail<6>() = solve_rigid(whole, load);
  if (!stays) return;
  A.bottomLeftCorner(6, count).setZero();
  A.topRightCorner(count, 6).setZero();
}

/// Coordinates of a shape that stays: the present ones, or as far back to the middle of the last step as it
/// takes to have no more energy than that had.
void TreeDynamics::Parts::find_lasting_shape() {
  constexpr int bisections = 6;
  lasting_ = state.q;
  if (!middle_.judged) return;
  const double moving = tree->free && !adrift() ? 0.0 : middle_.kinetic - locked().kinetic;  // of vibrations
  const double most = middle_.elastic + std::max(0.0, moving);
  const double present = elastic_energy();
  if (present <= most) return;
  // The energy of the middle may be one that was interpolated, and wrong by far.
  evaluate_elastic(middle_.q);
  if (!(elastic_energy() < present)) return;
  double back = 1.0, too_little = 0.0;
  for (int i = 0; i < bisections; ++i) {
    const double share = 0.5 * (back + too_little);
    lasting_ = state.q + share * (middle_.q - state.q);
    evaluate_elastic(lasting_);
    (elastic_energy() <= most ? back : too_little) = share;
  }
  lasting_ = state.q + back * (middle_.q - state.q);
}

/// A step in which the shape creeps: as far along the way of its coordinates as their energy falls, or, where
/// what it touches pushes it uphill, along the one that it would go if nothing did; at worst nowhere. Its
/// energy is that of its end.  before: elastic, J.  share: of the way, is written.
TreeDynamics::Parts::MiddleEnergy TreeDynamics::Parts::creep_downhill(const CoupledStep& step,
                                                                      const Vector& u, double before,
                                                                      double& share) {
  constexpr double shorter = 0.1, shortest = 1e-8;
  MiddleEnergy found;
  crept_ = u;
  const auto try_share = [&](const Vector& way) {
    crept_.head(coordinate_count()) = share * way.head(coordinate_count());
    found = take_way(step, crept_);
    found.elastic = elastic_energy();
    return std::isfinite(found.kinetic) && found.elastic <= before;
  };
  for (const Vector* way : {&u, &step.free})
    for (share = 1.0; share > shortest; share *= shorter)
      if (try_share(*way)) return found;
  share = 0.0;
  (void)try_share(u);
  return found;
}

/// So hard that a way of which it went a share would have been that share.
void TreeDynamics::Parts::harden_by(const CoupledStep& step, double share) {
  constexpr double hardest = 0.1 * largest_hardness;
  middle_.hardness = share > 0.0 ? std::min(hardest, step.hardness / share) : hardest;
  middle_.hardened = true;
}

/// After a step: how hard the shape is in the next one, and what it was in the middle of this.  crept: share
/// of its way.
void TreeDynamics::Parts::soften(const CoupledStep& step, double crept) {
  const bool creeps = step.hardness > 0.0, stays = step.hardness >= largest_hardness;
  middle_.hardness = 0.0;
  if (stays && middle_.stayed)
    middle_.hardness = first_hardness;
  else if (creeps && !stays && crept < 1.0)
    harden_by(step, crept);
  else if (creeps && !stays && step.hardness > 1.0)
    middle_.hardness = hardness_fall * step.hardness;
  middle_.hardened = false;
  middle_.stayed = creeps;
  if (stays)
    middle_.q = state.q;
  else if (creeps)
    middle_.q = 0.5 * (start_.state.q + state.q);
  else
    middle_.q = state.q - 0.5 * step.h * state.v;  // also where it was slowed down from there on
}

}  // namespace limber
