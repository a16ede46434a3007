#include "limber/online/online_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

void OnlineSystem::evaluate(const Vector& q) {
  q_ = q;
  energy_ = forces_.evaluate(q, force_, stiffness_);
}

double OnlineSystem::force_rounding() const {
  return 32.0 * std::numeric_limits<double>::epsilon() * stiffness_.norm() * std::max(q_.norm(), 1e-300);
}

double OnlineSystem::energy_rounding() const {
  return force_rounding() * q_.norm() + 16.0 * std::numeric_limits<double>::epsilon() * std::abs(energy_);
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
