#pragma once

#include "limber/integrators/central_differences.hpp"
#include "limber/integrators/dynamic_system.hpp"
#include "limber/integrators/newmark.hpp"
#include "limber/reduced/absolute_solver.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <Eigen/Cholesky>

namespace limber {

/// The reduced equations as the integrators see them, with the memory that their evaluation needs.
class ReducedSystem {
 public:
  /// Keeps a reference to the equations. Throws Error for damping that is negative or not finite and for a mass that is not
  /// positive definite.
  explicit ReducedSystem(const ReducedEquations& equations, const RayleighDamping& damping = {});
  ReducedSystem(const ReducedEquations&& temporary, const RayleighDamping& damping = {}) = delete;

  [[nodiscard]] Index size() const { return equations_->rank; }
  void evaluate(const Vector& q);
  void evaluate_force(const Vector& q);
  [[nodiscard]] const Vector& force() const { return force_; }
  [[nodiscard]] const Matrix& stiffness() const { return stiffness_; }
  [[nodiscard]] double elastic_energy() const { return energy_; }  ///< J, at the q last evaluated
  [[nodiscard]] double force_rounding() const;
  void multiply_mass(const Vector& x, Vector& y) const;
  void multiply_damping(const Vector& x, Vector& y) const;
  SolveReport solve_mass(const Vector& b, Vector& x);

  /// c1 M + c2 D + c3 (K + d(D(q) v)/dq). Where that is not positive definite its negative eigenvalues are turned
  /// positive, so that the step still descends. The last term is left out unless `exact_damping` is set: it costs two
  /// more evaluations, which one linearised step does not take [Barbic & James 2005, Appendix C]. Without it such a
  /// step is of first order in the local damping, of second order in all else.
  SolveReport factor(double mass, double damping, double stiffness, const Vector& v);
  SolveReport solve(const Vector& b, Vector& x);

  bool exact_damping = false;  ///< step() sets it when it iterates

  /// The same system with other equations of the same rank or another: after an edit of materials or rank. Keeps a reference
  /// to them. Where it throws, as the constructor does, the system keeps those it had.
  void set_equations(const ReducedEquations& equations);
  void set_equations(const ReducedEquations&& temporary) = delete;

 private:
  [[nodiscard]] bool damps_locally() const {
    return damping_.stiffness > 0.0 && damping_.kind == RayleighDamping::Stiffness::local;
  }
  void combine(double mass, double damping, double stiffness, const Vector& v);
  void add_damping_derivative(double factor, const Vector& v);

  const ReducedEquations* equations_;
  RayleighDamping damping_;
  QuarticWorkspace work_;
  Vector q_, force_;
  Matrix stiffness_, rest_stiffness_, matrix_;
  double energy_ = 0.0;
  double rest_norm_ = 0.0;   ///< |K(0)|
  double reach_ = 1.0;       ///< |q| at which the stiffness has changed by its own size
  double least_mass_ = 1.0;  ///< smallest eigenvalue of M
  bool unit_mass_ = true;    ///< M is the identity
  Vector probe_, probe_force_;
  Matrix probe_stiffness_;
  // A factor that has computed nothing must not be copied: its state is not set.
  Eigen::LLT<Matrix> factor_{Matrix::Identity(1, 1)}, mass_factor_{Matrix::Identity(1, 1)};
  AbsoluteSolver absolute_;  ///< of matrix_, where it is not positive definite
  bool indefinite_ = false;  ///< absolute_ takes the place of factor_
};

struct ReducedStepOptions {
  Integrator integrator = Integrator::newmark;
  NewmarkOptions newmark{.max_iterations =
                             1};  ///< one linearised step, as real time asks  [Barbic & James 2005, 6.1]
  int max_halvings = 6;  ///< a Newmark step of several iterations that fails is taken as two half steps, and
                         ///< so on, this often; never for 0 and below
};

/// Memory that a step needs, kept from step to step: a warmed-up step allocates nothing.
struct ReducedWorkspace {
  ReducedSystem system;
  NewmarkWorkspace newmark{};
  CentralDifferencesWorkspace central{};
  DynamicState start{};  ///< where a step that iterates began
};

/// A state of rest at time 0: q = 0, no motion.
DynamicState make_reduced_state(Index rank);

/// Advances q by h seconds.  f_ext: r, N, at the end of the step (for a load that varies: its mean over h about t + h).
/// On failure the state is left as it was and the report says why.                                                  [Barbic & James 2005, Appendix C]
/// Throws Error for sizes that do not fit, a time step that is not positive and a Newmark beta that is not.
SolveReport step(ReducedWorkspace& work, double h, const Vector& f_ext, DynamicState& state,
                 const ReducedStepOptions& options = {});

/// Sets the acceleration that balances the forces at the state's q and v.
SolveReport balance(ReducedWorkspace& work, const Vector& f_ext, DynamicState& state);

/// Elastic and kinetic energy, J.
double total_energy(ReducedWorkspace& work, const DynamicState& state);

/// Static equilibrium f(q) = f_ext by Newton's iteration with a line search on W(q) - f_ext . q.  q: start on entry,
/// solution on return (the best point found where it fails).  residual in the report: |f - f_ext| / |f_ext|, or over the
/// force at the start where there is no load.
SolveReport solve_static(ReducedSystem& system, const Vector& f_ext, Vector& q, double tolerance = 1e-10,
                         int max_iterations = 100);

/// Largest stable step of central differences at rest, s: as for the full model (full/dynamics.hpp), from the exact highest
/// frequency. Infinity for a body without stiffness.
double critical_timestep(const ReducedEquations& equations, const RayleighDamping& damping = {});

}  // namespace limber
