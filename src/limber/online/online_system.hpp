#pragma once

#include "limber/full/full_springs.hpp"
#include "limber/integrators/dynamic_system.hpp"
#include "limber/linalg/definite_factor.hpp"
#include "limber/online/online_forces.hpp"

namespace limber {

/// The body in the subspace learned so far, as the integrators see it (DynamicSystem): the mass is the
/// identity.
class OnlineSystem {
 public:
  /// Keeps a reference to the forces.
  OnlineSystem(const OnlineForces& forces, const RayleighDamping& damping);

  /// After a change of the basis.  rank: r.
  void resize(Index rank);
  /// Springs that pull at the body beside its own forces, of the rank of the basis; none at first. Steps take
  /// them implicitly, at their end. Damping is that of the body alone.
  void set_springs(FullSprings::Projected springs);
  void let_go() { springs_ = {}; }  ///< of all springs

  [[nodiscard]] Index size() const { return rank_; }
  void evaluate(const Vector& q);
  void evaluate_force(const Vector& q) { evaluate(q); }
  [[nodiscard]] const Vector& force() const { return force_; }
  [[nodiscard]] double force_rounding() const;
  [[nodiscard]] double elastic_energy() const { return energy_; }  ///< J
  [[nodiscard]] double energy_rounding() const;
  [[nodiscard]] bool conservative() const { return true; }
  void multiply_mass(const Vector& x, Vector& y) const { y = x; }
  void multiply_damping(const Vector& x, Vector& y) const;
  void add_end_stiffness_product(const Vector& x, Vector& y) const {
    if (has_springs()) y.noalias() += springs_.stiffness * x;
  }
  SolveReport solve_mass(const Vector& b, Vector& x) {
    x = b;
    return {};
  }
  SolveReport factor(double mass, double damping, double stiffness, const Vector& v);
  SolveReport solve(const Vector& b, Vector& x);

 private:
  [[nodiscard]] bool has_springs() const { return springs_.force.size() > 0; }

  const OnlineForces& forces_;
  RayleighDamping damping_;
  Index rank_ = 0;
  double energy_ = 0.0;
  Vector q_, force_, other_force_;
  Matrix stiffness_, rest_stiffness_, other_stiffness_, matrix_;  ///< all but the last: of the body alone
  FullSprings::Projected springs_;
  DefiniteFactor factor_;
};

}  // namespace limber
