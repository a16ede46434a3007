#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/full/free_flight.hpp"
#include "limber/integrators/central_differences.hpp"
#include "limber/integrators/dynamic_system.hpp"
#include "limber/integrators/newmark.hpp"
#include "limber/linalg/sparse_solver.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace limber {

/// The full model as the integrators see it: M, D, f and K of one body, and a sparse solver for their
/// combinations.
class FullSystem {
 public:
  FullSystem(const FullModel& model, const RayleighDamping& damping,
             SparseSolverKind solver = SparseSolverKind::cholesky);

  [[nodiscard]] Index size() const { return model_.dof_count(); }
  void evaluate(const Vector& u);
  void evaluate_force(const Vector& u);
  [[nodiscard]] const Vector& force() const { return force_; }
  [[nodiscard]] double force_rounding() const { return distance() * model_.force_rounding(); }
  [[nodiscard]] double elastic_energy() const;
  [[nodiscard]] double energy_rounding() const { return distance() * model_.energy_rounding(); }
  [[nodiscard]] bool conservative() const { return true; }
  [[nodiscard]] bool free() const { return flight_.has_value(); }  ///< nothing holds the body
  void rigid_velocity(const Vector& v, Vector& rigid) const { flight_->rigid_velocity(u_, v, rigid); }
  [[nodiscard]] Vector take_translation(Vector& d) const { return flight_->take_translation(d); }
  [[nodiscard]] double flight_energy(const Vector& force, const Vector& u, const Vector& v) const {
    return flight_->flight_energy(force, u, v);
  }
  /// Gives the end of a step of a free body the angular momentum that forces from outside leave it: Newmark's
  /// method keeps the linear one by itself, this one only as well as the step is short.
  void settle(double h, const Vector& f_ext, const DynamicState& start, DynamicState& end) const;
  /// That of the external forces at the start of the next step, and their share in it (1 - gamma).
  void set_start_torque(const Vector& f_ext, double share);

  void multiply_mass(const Vector& x, Vector& y) const { y.noalias() = model_.mass() * x; }
  void multiply_damping(const Vector& x, Vector& y) const;
  void add_end_stiffness_product(const Vector&, Vector&) const {}  ///< there are no springs
  SolveReport solve_mass(const Vector& b, Vector& x);

  /// c1 M + c2 D + c3 (K + d(D(u) v)/du). Where that is not positive definite, the projected tangent takes
  /// the place of K and the last term is left out.
  SolveReport factor(double mass, double damping, double stiffness, const Vector& v);
  SolveReport solve(const Vector& b, Vector& x);

 private:
  [[nodiscard]] double distance() const;  ///< that a vertex has moved by, in sizes of the body; at least 1
  void combine(double mass, double damping, double stiffness);

  const FullModel& model_;
  RayleighDamping damping_;
  std::unique_ptr<SparseSolver> solver_;
  std::unique_ptr<SparseSolver> mass_solver_;  ///< made when first needed
  Vector u_, force_;
  bool stiffness_current_ = false;        ///< K_ is that at u_, as force_ is
  mutable std::optional<double> energy_;  ///< at u_, where it was asked for
  SparseMatrix K_;
  SparseMatrix rest_stiffness_;      ///< only for linear damping
  SparseMatrix damping_derivative_;  ///< H(u) : v, only for local damping
  SparseMatrix matrix_;              ///< the combination to factor
  double on_mass_ = 1.0;             ///< the factor of M in it
  double extent_ = 0.0;              ///< of the body at rest, m
  std::optional<FreeFlight> flight_;
  Vector3 start_torque_ = Vector3::Zero();
  double start_share_ = 0.5;
};

struct DynamicsOptions {
  Integrator integrator = Integrator::newmark;
  NewmarkOptions newmark{};
  RayleighDamping damping{};
  SparseSolverKind solver = SparseSolverKind::cholesky;
  int max_halvings = 6;  ///< a Newmark step that fails is taken as two half steps, and so on, this often;
                         ///< then it is rescued (integrators/rescue.hpp)
};

/// Mean external force over the time from t0 to t1 (its value at t0 where they are equal), N, into f. The
/// integrators ask for the half step before and after each instant, which gives impulses their exact size.
using LoadFunction = std::function<void(double t0, double t1, Vector& f)>;

/// Time integration of one full-order body.
class FullDynamics {
 public:
  /// Starts at time 0 from (u, v), with the acceleration that balances the forces there.
  /// Throws Error when the sizes are wrong or Newmark's beta is not positive.
  FullDynamics(const FullModel& model, LoadFunction load, Vector u, Vector v,
               const DynamicsOptions& options = {});

  /// Advances by h seconds. On failure the state stays where it was and the report says why.
  SolveReport step(double h);

  [[nodiscard]] const DynamicState& state() const { return state_; }

  /// Whether a step was tried: the first one balances the forces at time 0.
  [[nodiscard]] bool started() const { return started_; }

  /// Goes back, or on, to a state that this body had.
  void restore(const DynamicState& state) { state_ = state; }
  /// Goes on where another simulation of the same body was.
  void resume(DynamicState state, bool started) {
    state_ = std::move(state);
    started_ = started;
  }

  /// Kinetic and elastic energy, J.
  [[nodiscard]] double energy() const;

 private:
  /// The acceleration at time 0 that balances the mean load from there to `duration`.
  SolveReport balance(double duration);
  SolveReport newmark(double h);

  const FullModel& model_;
  LoadFunction load_;
  DynamicsOptions options_;
  FullSystem system_;
  DynamicState state_;
  bool started_ = false;
  Vector f_ext_, load_before_;
  NewmarkWorkspace newmark_work_;
  CentralDifferencesWorkspace central_work_;
};

/// Largest time step for which central differences are stable at rest, s: with c = alpha + beta omega^2 of
/// the damping and the highest frequency omega, (sqrt(c^2 + 4 omega^2) - c) / omega^2, which is 2 / omega
/// without damping. omega comes from power iteration on M^-1 K, with a margin of 3 % because that approaches
/// it from below.
double critical_timestep(const FullModel& model, const RayleighDamping& damping = {});

}  // namespace limber
