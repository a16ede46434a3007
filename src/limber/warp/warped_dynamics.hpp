#pragma once

#include "limber/linalg/solve_report.hpp"
#include "limber/warp/frame_motion.hpp"
#include "limber/warp/lump_loads.hpp"
#include "limber/warp/manipulation.hpp"
#include "limber/warp/oscillators.hpp"
#include "limber/warp/site_springs.hpp"
#include "limber/warp/warped_equations.hpp"

#include <vector>

namespace limber {

/// A force on a vertex, N, in the axes of the frame; it keeps its direction while the vertex turns.
struct SiteForce {
  WarpSite site;
  Vector3 force = Vector3::Zero();
};

struct WarpedState {
  double time = 0.0;     ///< s
  Vector q;              ///< m, amplitudes of the modes
  Vector v;              ///< their velocities
  double slack = 0.0;    ///< J, energy that the next step may give back (integrators/energy_guard.hpp)
  bool changed = false;  ///< loads, since the last step: what the next one loses does not come back either
};

struct WarpedOptions {
  ModalIntegrator integrator = ModalIntegrator::newmark;
  bool warp = true;       ///< false: linear modal analysis, u = Phi q, no rotations anywhere
  bool coriolis = false;  ///< forces of the turning of the local frames  [Choi & Ko 2005, footnote 2]
};

/// A body that moves by warped modes: decoupled oscillators, loads, hard constraints. What acts on it does
/// its work on the motion that is seen: loads are J^T F with J = du/dq, so that gravity and constant forces
/// have a potential, and what is let go cannot gain energy.
///
/// For one thread at a time. A step without constraints allocates nothing and costs O(m (lumps + forces));
/// four times that where the frame turns or the option `coriolis` is on, and nothing per lump where neither
/// gravity nor the frame accelerates these.
class WarpedDynamics {
 public:
  explicit WarpedDynamics(WarpedEquations equations, const WarpedOptions& options = {});

  [[nodiscard]] const WarpedEquations& equations() const { return equations_; }
  [[nodiscard]] const WarpedOptions& options() const { return options_; }

  // What acts on it until it is changed; nothing at first. All in the axes of the frame. Throw Error for what
  // is not finite.

  void set_gravity(const Vector3& acceleration);  ///< m/s^2
  void set_frame_motion(const FrameMotion& motion);
  void set_forces(std::vector<SiteForce> forces);
  /// Taken implicitly (site_springs.hpp): as stiff as one likes, at any time step.
  void set_springs(const std::vector<SiteSpring>& springs);
  /// The same forces and springs, aimed elsewhere: they are counted as there.
  void set_force(Index force, const Vector3& value);
  void set_spring_target(Index spring, const Vector3& target) { springs_.set_target(spring, target); }
  /// Constrained from the next step on, in place of what was before; targets start where the sites are now,
  /// so that nothing jumps.
  void set_constraints(ManipulationSites sites);
  [[nodiscard]] Manipulation& constraints() { return constraints_; }
  [[nodiscard]] const Manipulation& constraints() const { return constraints_; }

  /// Advances by h seconds. Positions feel the loads of the state before the step, velocities the mean of
  /// those before and after: second order. Where loads depend on velocities (the frame turns, or the option
  /// `coriolis`) they are those of the middle of the step, found by taking it up to four times: they add next
  /// to no energy while the frame turns by no more than 15 degrees per step. The energy of a body on which
  /// nothing changes never grows (integrators/energy_guard.hpp), but where the frame turns faster and faster.
  /// While there are constraints or springs the step is the semi-implicit one, whatever the integrator: what
  /// is held hard sets the stiff modes vibrating, and integrators that damp nothing would let that grow.
  /// Where they are missed v becomes 0. Returns how well constraints were met; throws Error for h that is not
  /// positive and finite. Where numbers leave the range of double the state is left as it was, and `met` is
  /// false with infinite errors.
  ConstraintReport step(double h);
  /// Of such a step by the present loads: the mean velocities of the amplitudes, and what a unit of load adds
  /// to each, s. Where sites are constrained or springs pull, velocities are those of now, which are means of
  /// the step before: what holds a site is not foreseen.
  void foresee(double h, Vector& velocities, Vector& gains);

  /// Equilibrium of gravity, frame motion and forces (without inertia of the body's own motion), by Newton's
  /// method from the present q; constraints take no part. v becomes 0. On failure the state is left as it
  /// was. residual: of the modal forces, relative to the largest of loads and elastic forces.
  SolveReport solve_static(double tolerance = 1e-10, int max_iterations = 100);

  [[nodiscard]] const WarpedState& state() const { return state_; }
  void set_state(const WarpedState& state);  ///< throws Error for wrong sizes and numbers that are not finite

  // For a checkpoint: the state and the length of the steps, in this order with what set_constraints() and
  // constraints() have. What acts on the body is not part of it.
  void save(StateWriter& out) const;
  void restore(StateReader& in);  ///< throws Error as set_state does

  [[nodiscard]] double elastic_energy() const;  ///< J, 1/2 sum k q^2
  [[nodiscard]] double kinetic_energy() const;  ///< J, 1/2 sum v^2

  /// J^T F of all loads at the present state, m. Returns their potential energy, J: that of gravity, of
  /// forces and of the frame's acceleration, 0 at rest, and of its turning, but for a constant.
  double modal_load(Vector& load) const;
  /// The same at other amplitudes and velocities.
  double loads(const Vector& q, const Vector& v, Vector& load) const;

 private:
  void prepare(double h);
  [[nodiscard]] OscillatorStep semi_implicit_step(double h) const;
  [[nodiscard]] LumpMotion lump_motion() const;
  double add_site_forces(const Vector& q, Vector& load) const;
  void loads_change();
  [[nodiscard]] bool guarded() const;
  [[nodiscard]] bool in_hand() const { return !constraints_.empty() || !springs_.empty(); }
  [[nodiscard]] double elastic_energy(const Vector& q) const;
  [[nodiscard]] bool is_finite_step() const;
  double end_within(double h, ConstraintReport& report);
  void rescue(double h, double allowed);
  ConstraintReport advance(double h);
  ConstraintReport correct(double h, ConstraintReport report);
  [[nodiscard]] Matrix load_derivative(const Vector& q) const;
  [[nodiscard]] SolveReport balance(double share, double tolerance, int limit, Vector& q) const;

  WarpedEquations equations_;
  WarpedOptions options_;
  LumpLoads lump_loads_;
  WarpedState state_;
  Vector3 gravity_ = Vector3::Zero();
  FrameMotion frame_;
  std::vector<SiteForce> forces_;
  SiteSprings springs_;
  Manipulation constraints_;
  double prepared_h_ = 0.0;   ///< s, of step_; 0: none
  OscillatorStep held_step_;  ///< semi-implicit
  double held_h_ = 0.0;       ///< s, of that and of the gain of the constraints
  OscillatorStep step_;
  bool load_known_ = false;  ///< load_ and potential_ are those of the state
  double potential_ = 0.0;   ///< J, of the loads
  // Memory of a step.
  Vector load_, next_q_, next_v_, next_load_, mean_q_, mean_v_;
};

}  // namespace limber
