#include "limber/online/online_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {

static_assert(DynamicSystem<OnlineSystem>);

OnlineSystem::OnlineSystem(const OnlineForces& forces, const RayleighDamping& damping)
    : forces_(forces), damping_(damping) {}

void OnlineSystem::resize(Index rank) {
  rank_ = rank;
  if (rank == 0) return;  // there are no forces yet
  if (damping_.stiffness > 0.0 && damping_.kind == RayleighDamping::Stiffness::linear) {
    forces_.evaluate(Vector::Zero(rank), force_, rest_stiffness_);
  }
}

void OnlineSystem::set_springs(FullSprings::Projected springs) { springs_ = std::move(springs); }

void OnlineSystem::evaluate(const Vector& q) {
  q_ = q;
  energy_ = forces_.evaluate(q, force_, stiffness_);
  if (!has_springs()) return;
  const Vector pull = springs_.stiffness * q;
  force_ += pull + springs_.force;
  energy_ += (0.5 * pull + springs_.force).dot(q) + springs_.energy;
}

double OnlineSystem::force_rounding() const {
  constexpr double few_eps = 32.0 * std::numeric_limits<double>::epsilon();
  const double body = few_eps * stiffness_.norm() * std::max(q_.norm(), 1e-300);
  if (!has_springs()) return body;
  return body + few_eps * (springs_.stiffness.norm() * q_.norm() + springs_.force.norm());
}

double OnlineSystem::energy_rounding() const {
  const double size = std::abs(energy_) + springs_.energy;
  return force_rounding() * q_.norm() + 16.0 * std::numeric_limits<double>::epsilon() * size;
}

void OnlineSystem::multiply_damping(const Vector& x, Vector& y) const {
  y = damping_.mass * x;
  if (damping_.stiffness == 0.0) return;
  const bool linear = damping_.kind == RayleighDamping::Stiffness::linear;
  y.noalias() += damping_.stiffness * ((linear ? rest_stiffness_ : stiffness_) * x);
}

SolveReport OnlineSystem::factor(double mass, double damping, double stiffness, const Vector& v) {
  const bool local = damping_.kind == RayleighDamping::Stiffness::local;
  const double on_mass = mass + damping * damping_.mass;
  matrix_ = (stiffness + (local ? damping * damping_.stiffness : 0.0)) * stiffness_;
  matrix_.diagonal().array() += on_mass;
  if (damping_.stiffness > 0.0 && !local) matrix_ += damping * damping_.stiffness * rest_stiffness_;
  if (has_springs()) matrix_ += springs_.stiffness;
  if (damping_.stiffness > 0.0 && local && v.squaredNorm() > 0.0) {
    // d(K(q) v)/dq = d/dt K(q + t v), by a difference whose rounding and truncation balance: it only speeds
    // Newton's iteration up.
    const double step = 1e-5 * std::max(q_.norm(), 1e-3 / std::sqrt(on_mass)) / v.norm();
    forces_.evaluate(q_ + step * v, other_force_, other_stiffness_);
    matrix_ += stiffness * damping_.stiffness / step * (other_stiffness_ - stiffness_);
  }
  return factor_.compute(matrix_, on_mass);
}

SolveReport OnlineSystem::solve(const Vector& b, Vector& x) {
  factor_.solve(b, x);
  return {};
}

}  // namespace limber
