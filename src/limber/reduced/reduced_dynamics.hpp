#pragma once

#include "limber/integrators/central_differences.hpp"
#include "limber/integrators/dynamic_system.hpp"
#include "limber/integrators/newmark.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/linalg/definite_factor.hpp"
#include "limber/reduced/matrix_free.hpp"
#include "limber/reduced/reduced_equations.hpp"
#include "limber/reduced/reduced_springs.hpp"
#include "limber/reduced/reduced_step_options.hpp"

#include <array>
#include <vector>

namespace limber {

/// The reduced equations as the integrators see them, with the memory that their evaluation needs: for one
/// thread at a time, const functions included.
///
/// Elastic forces without a potential (modal cubature) have a stiffness df/dq that is not symmetric. `direct`
/// takes its symmetric part instead, in D and in the matrix of Newton's iteration, which then converges
/// linearly, the faster the more symmetric df/dq is; `conjugate_gradient` sees df/dq itself. The power v . D
/// v of the damping is the same for both.
class ReducedSystem {
 public:
  /// Keeps a reference to the equations. Throws Error for damping that is negative or not finite and for a
  /// mass that is not positive definite.
  explicit ReducedSystem(const ReducedEquations& equations, const RayleighDamping& damping = {});
  ReducedSystem(const ReducedEquations&& temporary, const RayleighDamping& damping = {}) = delete;

  [[nodiscard]] Index size() const { return equations_->rank; }
  void evaluate(const Vector& q);
  void evaluate_force(const Vector& q);
  // At the q last evaluated, of the body and its springs together. The stiffness is evaluated by `direct`
  // alone.
  [[nodiscard]] const Vector& force() const { return springs_.empty() ? force_ : sum_.force; }
  [[nodiscard]] const Matrix& stiffness() const { return springs_.empty() ? stiffness_ : sum_.stiffness; }
  [[nodiscard]] double elastic_energy() const { return energy_ + sum_.spring_energy; }  ///< J
  [[nodiscard]] bool conservative() const { return equations_->elastic.conservative(); }
  [[nodiscard]] double force_rounding() const;
  [[nodiscard]] double energy_rounding() const;  ///< J, size of the rounding error in elastic_energy()
  void multiply_mass(const Vector& x, Vector& y) const;
  void multiply_damping(const Vector& x, Vector& y) const;
  void multiply_stiffness(const Vector& x, Vector& y) const;         ///< y = K(q) x, at the q last evaluated
  void multiply_force_derivative(const Vector& x, Vector& y) const;  ///< y = df/dq x, by a difference
  SolveReport solve_mass(const Vector& b, Vector& x);
  /// Whether force and stiffness are derivatives of the elastic energy from now on, where those of the body
  /// are not.
  void take_forces_of_energy(bool on);
  void add_end_stiffness_product(const Vector& x, Vector& y) const { springs_.add_product(1.0, x, y); }

  /// c1 M + c2 D + c3 (K + d(D(q) v)/dq) + K_s, K of the body and K_s of its springs. Where that is not
  /// positive definite its negative eigenvalues are turned positive (`direct`), or only directions of
  /// positive curvature are followed (`conjugate_gradient`), so that the step still descends. The last term
  /// is left out unless `exact_damping` is set: it costs more evaluations, which one linearised step does not
  /// take [Barbic & James 2005, Appendix C]. Without it such a step is of first order in the local damping,
  /// of second order in all else.
  SolveReport factor(double mass, double damping, double stiffness, const Vector& v);
  SolveReport solve(const Vector& b, Vector& x);

  bool exact_damping = false;  ///< step() sets it when it iterates

  /// step() sets it; a change takes effect with the next evaluation.
  ReducedSolver solver = ReducedSolver::direct;
  ConjugateGradientOptions conjugate_gradient_options;
  ConjugateGradientCount conjugate_gradient_count;  ///< of all solves since it was last set to {}

  /// The elastic forces and the load of the equations, e.g. whether the forces have a potential.
  [[nodiscard]] const ReducedEquations& equations() const { return *equations_; }

  /// The same system with other equations of the same rank or another: after an edit of materials or rank.
  /// Keeps a reference to them and drops the springs. Where it throws, as the constructor does, the system
  /// keeps what it had.
  void set_equations(const ReducedEquations& equations);
  void set_equations(const ReducedEquations&& temporary) = delete;

  /// Springs that pull at the body beside its own forces, in place of those there were; none at first.
  /// Newmark steps take them implicitly: as stiff as one likes, at any h. Damping is that of the body alone.
  /// Their products are exact for `conjugate_gradient` too, and its preconditioner holds them: it is factored
  /// again for other rows or stiffnesses, not for other anchors.
  /// Throws Error as ReducedSprings does; the system then keeps those it had.
  void set_springs(std::vector<ReducedSpring> springs);
  /// The same springs pull elsewhere. anchors: 3 x springs, m. Allocates nothing.
  void set_anchors(const Matrix3X& anchors);

 private:
  [[nodiscard]] bool matrix_free() const { return solver == ReducedSolver::conjugate_gradient; }
  [[nodiscard]] bool damps_locally() const {
    return damping_.stiffness > 0.0 && damping_.kind == RayleighDamping::Stiffness::local;
  }
  void combine(double mass, double damping, double stiffness, const Vector& v);
  void add_damping_derivative(double factor, const Vector& v);
  void add_springs(bool with_stiffness);
  [[nodiscard]] double elastic_rounding() const;
  [[nodiscard]] double rounded_size() const;
  [[nodiscard]] double scale_of_change() const;
  void add_derivative(const Vector& q, const Vector& force, double factor, const Vector& p, Vector& y) const;
  void add_stiffness_product(double factor, const Vector& p, Vector& y) const;
  SolveReport prepare_products(double mass, double damping, double stiffness, const Vector& v);
  void multiply_tangent(const Vector& p, Vector& y) const;
  SolveReport solve_by_products(const Vector& b, Vector& x);

  const ReducedEquations* equations_;
  RayleighDamping damping_;
  // All that is named force, stiffness and energy below is of the body alone, unless it says otherwise:
  // damping asks for that, and differences of forces would drown in the rounding of a stiff spring.
  Vector q_, force_;
  Matrix stiffness_, rest_stiffness_, matrix_;
  bool stiffness_current_ = false;  ///< stiffness_ is that at q_, as force_ is
  double energy_ = 0.0;
  double rest_norm_ = 0.0;   ///< |K(0)|
  double reach_ = 1.0;       ///< |q| at which the stiffness may have changed by its own size
  double least_mass_ = 1.0;  ///< smallest eigenvalue of M
  bool unit_mass_ = true;    ///< M is the identity
  Cholesky mass_factor_;     ///< of M where it is not
  DefiniteFactor factor_;    ///< of matrix_

  ReducedSprings springs_;
  /// Body and springs at q_. Not kept up where there are none.
  struct Sum {
    Vector force;
    Matrix stiffness;
    double spring_energy = 0.0;  ///< of the springs
  };
  Sum sum_;

  /// What an evaluation beside q_ needs. Products are differences of forces, so const functions write here.
  struct Scratch {
    ElasticWorkspace elastic;
    Vector q, force;
    Matrix stiffness;
    double damping_rounding = 0.0;  ///< N, rounding error of the product with D at q_
  };
  mutable Scratch scratch_;

  /// Coefficients of A = mass M + rest K(0) + stiffness K(base) + K_springs, the matrix whose products
  /// conjugate gradients take.
  struct Tangent {
    double mass = 0.0, rest = 0.0, stiffness = 0.0;
    double floor = 0.0;  ///< of its curvature
    Vector base, base_force;
  };
  Tangent tangent_;
  DefiniteFactor preconditioner_;
  /// Its coefficients of M and K(0); negative: of none.
  std::array<double, 2> preconditioned_ = {-1.0, -1.0};
  ConjugateGradientWorkspace conjugate_gradient_work_;
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

/// Advances q by h seconds.  load: r.  Where it is another than in the step before, call note_change()
/// first. On failure the state is left as it was and the report says why. [Barbic & James 2005, Appendix C]
/// Throws Error for sizes that do not fit, a time step that is not positive and a Newmark beta that is not.
SolveReport step(ReducedWorkspace& work, double h, const StepLoad& load, DynamicState& state,
                 const ReducedStepOptions& options = {});
inline SolveReport step(ReducedWorkspace& work, double h, const Vector& load, DynamicState& state,
                        const ReducedStepOptions& options = {}) {
  return step(work, h, StepLoad(load), state, options);
}

/// The same, never by halves.  last: no shorter step will be tried where Newton's iteration does not
/// converge.
SolveReport step_once(ReducedWorkspace& work, double h, const StepLoad& load, DynamicState& state,
                      const ReducedStepOptions& options, bool last);

/// Sets the acceleration that balances the forces at the state's q and v.
SolveReport balance(ReducedWorkspace& work, const Vector& f_ext, DynamicState& state);

/// Elastic and kinetic energy, that of the springs included, J.
double total_energy(ReducedWorkspace& work, const DynamicState& state);

/// Static equilibrium f(q) = f_ext by Newton's iteration with a line search on the potential W(q) - f_ext .
/// q. Where f has none, on the work of f - f_ext along the line, and with df/dq by differences once its
/// symmetric part makes for slow progress.  q: start on entry, solution on return (the best point found where
/// it fails). residual in the report: |f - f_ext| / |f_ext|, or over the force at the start where there is no
/// load.
SolveReport solve_static(ReducedSystem& system, const Vector& f_ext, Vector& q, double tolerance = 1e-10,
                         int max_iterations = 100);

/// Largest stable step of central differences at rest, s: as for the full model (full/dynamics.hpp), from the
/// exact highest frequency. Infinity for a body without stiffness.
double critical_timestep(const ReducedEquations& equations, const RayleighDamping& damping = {});

}  // namespace limber
