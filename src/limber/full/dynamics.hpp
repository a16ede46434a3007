#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/full/free_flight.hpp"
#include "limber/full/full_springs.hpp"
#include "limber/full/full_wind.hpp"
#include "limber/full/moving_support.hpp"
#include "limber/integrators/central_differences.hpp"
#include "limber/integrators/dynamic_system.hpp"
#include "limber/integrators/newmark.hpp"
#include "limber/linalg/sparse_solver.hpp"
#include "limber/linalg/state_stream.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace limber {

/// The full model as the integrators see it: M, D, f and K of one body, and a sparse solver for their
/// combinations. With springs that pull at it, air that moves past it, and supports that move.
///
/// In a step in which supports move, forces are those with the supports where they are at its end; for
/// generalised alpha, which takes forces within the step, where they are then. Their work is counted by the
/// forces F on them at both ends, with their way ds in the step: what energy_guard.hpp holds the step to is
///
///   W(u_0, s_0) + 1/2 F(u_0, s_0) . ds   at its start,     W(u_1, s_1) - 1/2 F(u_1, s_1) . ds   at its end,
///
/// so that a body that they carry along as it is neither gains nor loses; with that of damping likewise, and
/// with M_fs s'', which in a step is a force that stands still. That is as exact as the step: it may be off
/// by a hundredth of what the body would have if it moved with its support, and steps to come give that back
/// in part. For a step that is rescued it is W(u, s) with the supports of its middle, and so are the forces.
///
/// Damping in proportion to the mass is against the world, that of the stiffness against the support: it acts
/// on velocities less those that the vertices would have if they moved with it.
///
/// What moving air gives in a step the step may have, and what it takes is lost: its energy is W less the
/// work of the drag, of a body that nothing holds less that on its shape alone.
class FullSystem {
 public:
  FullSystem(const FullModel& model, const RayleighDamping& damping,
             SparseSolverKind solver = SparseSolverKind::cholesky);

  void set_damping(const RayleighDamping& damping);
  /// Springs that pull at the body beside its own forces, in place of those there were; none at first.
  /// Newmark steps take them implicitly: as stiff as one likes, at any h. Damping is that of the body alone.
  /// Throws Error as FullSprings does; the system then keeps those it had.
  /// gentle: what takes their place in a step that is rescued, where some of them move.
  void set_springs(std::span<const FullSpring> springs, std::span<const FullSpring> gentle = {});
  void set_air(FullAir air);  ///< in place of what there was; none at first
  [[nodiscard]] const FullWind& wind() const { return wind_; }
  /// Before a step of h seconds by these options.  wake: of the step before.
  void follow_wind(const DynamicState& start, double h, const NewmarkOptions& options,
                   const FullWind::Wake& wake);
  /// After it: brings the end of the step into line with its drag; its wake takes the place of that before.
  SolveReport settle_wind(bool rescued, DynamicState& end, FullWind::Wake& wake);
  void let_go_of_wind();  ///< for steps that know its force by themselves
  /// How the fixed vertices move; none: they stand still. Of the same model.
  void set_support(std::shared_ptr<MovingSupport> support);
  /// Puts the supports there without asking how they move.
  void put_support(const Eigen::Isometry3d& pose);
  /// Before a step of h seconds by these options.
  void follow_support(const DynamicState& start, double h, const NewmarkOptions& options);
  /// As the supports are at time t, with velocities by differences over h; 0: at rest.
  void place_support(double t, double h);
  /// Of K(0), N/m.
  [[nodiscard]] const Vector& rest_diagonal();

  [[nodiscard]] Index size() const { return model_.dof_count(); }
  void evaluate(const Vector& u);
  void evaluate_force(const Vector& u);
  /// Of the body, its springs and the inertia of its supports together.
  [[nodiscard]] const Vector& force() const { return is_sum() ? sum_ : force_; }
  [[nodiscard]] const Vector& body_force() const { return force_; }  ///< of the body alone
  [[nodiscard]] double force_rounding() const;
  [[nodiscard]] double elastic_energy() const;  ///< of both, as said above
  [[nodiscard]] double energy_rounding() const;
  [[nodiscard]] bool conservative() const { return true; }
  void take_forces_of_energy(bool on);
  /// Whether neither supports nor springs hold the body.
  [[nodiscard]] bool free() const { return flight_.has_value() && springs_.empty(); }
  void rigid_velocity(const Vector& v, Vector& rigid) const { flight_->rigid_velocity(u_, v, rigid); }
  void carry(double h, const DynamicState& start, Vector& u, Vector& v) const {
    u = start.u;
    v = start.v;
    flight_->carry(h, u, v);
  }
  [[nodiscard]] Vector take_translation(Vector& d) const { return flight_->take_translation(d); }
  [[nodiscard]] double flight_energy(const Vector& force, const Vector& u, const Vector& v) const {
    return flight_->flight_energy(force, u, v);
  }
  /// Gives the end of a step of a free body the angular momentum that forces from outside leave it: Newmark's
  /// method keeps the linear one by itself, this one only as well as the step is short. Of a body on supports
  /// that move it notes what their work was.
  void settle(double h, const Vector& f_ext, const DynamicState& start, DynamicState& end) const;
  /// That of the external forces at the start of the next step, and their share in it (1 - gamma).
  void set_start_torque(const Vector& f_ext, double share);

  void multiply_mass(const Vector& x, Vector& y) const { y.noalias() = model_.mass() * x; }
  void multiply_damping(const Vector& x, Vector& y) const;
  void add_end_stiffness_product(const Vector& x, Vector& y) const {
    springs().add_product(x, y);
    wind_.add_product(x, y);
  }
  SolveReport solve_mass(const Vector& b, Vector& x);

  /// c1 M + c2 D + c3 (K + d(D(u) v)/du) + K_s, K of the body and K_s of its springs. Where that is not
  /// positive definite, the projected tangent takes the place of K and the term before K_s is left out.
  SolveReport factor(double mass, double damping, double stiffness, const Vector& v);
  SolveReport solve(const Vector& b, Vector& x);
  /// The same for many, as the matrix is: n x k each.
  SolveReport solve_columns(const Eigen::Ref<const Matrix>& b, Eigen::Ref<Matrix> x) {
    return solver_->solve(b, x);
  }
  [[nodiscard]] const SparseMatrix& stiffness() const { return K_; }    ///< K where it was last evaluated
  [[nodiscard]] const SparseMatrix& matrix() const { return matrix_; }  ///< that was factored last
  [[nodiscard]] bool projected() const { return projected_; }  ///< whether that is of the projected K

 private:
  SolveReport solve_in_wind(const Vector& b, Vector& x);
  [[nodiscard]] double distance() const;  ///< that a vertex has moved by, in sizes of the body; at least 1
  [[nodiscard]] bool damps_linearly() const {
    return damping_.stiffness > 0.0 && damping_.kind == RayleighDamping::Stiffness::linear;
  }
  void combine(double mass, double damping, double stiffness);
  [[nodiscard]] SparseMatrix stiffness_at_rest() const;
  [[nodiscard]] bool is_sum() const { return !springs_.empty() || wind_.blows() || step_.inertia.size() > 0; }
  void sum_up();
  void forget();
  [[nodiscard]] bool stands_as_evaluated() const;
  [[nodiscard]] const Matrix3X& supports() const;
  [[nodiscard]] const FullSprings& springs() const {
    return at_middle_ && springs_.moving() ? gentle_ : springs_;
  }
  [[nodiscard]] double counted_energy() const;
  [[nodiscard]] double energy_of_wind() const;
  [[nodiscard]] double energy_with_work(const Eigen::Isometry3d& pose, double share) const;
  [[nodiscard]] Vector support_field(const RigidVelocity& velocity, const Vector& u) const;
  [[nodiscard]] Vector support_field() const;
  [[nodiscard]] double transmitted_power(const Vector& v) const;

  const FullModel& model_;
  RayleighDamping damping_;
  std::unique_ptr<SparseSolver> solver_;
  std::unique_ptr<SparseSolver> mass_solver_;  ///< made when first needed
  Vector u_, force_;                           ///< of the body
  bool stiffness_current_ = false;             ///< K_ is that at u_, as force_ is
  mutable std::optional<double> energy_;       ///< at u_, where it was asked for
  SparseMatrix K_;
  SparseMatrix rest_stiffness_;      ///< only for linear damping
  SparseMatrix damping_derivative_;  ///< H(u) : v, only for local damping
  SparseMatrix matrix_;              ///< the combination to factor
  double on_mass_ = 1.0;             ///< the factor of M in it
  bool projected_ = false;           ///< whether it has the projected tangent in place of K
  double extent_ = 0.0;              ///< of the body at rest, m
  std::optional<FreeFlight> flight_;
  Vector3 start_torque_ = Vector3::Zero();
  double start_share_ = 0.5;

  FullSprings springs_, gentle_;
  FullWind wind_;
  Vector blown_from_;        ///< u at the start of the step
  double blown_for_ = 0.0;   ///< its length, s
  mutable Vector blown_to_;  ///< u at its end, where its work was counted; or empty
  Vector sum_;               ///< of all forces at u_; not kept up where there are only those of the body
  Vector rest_diagonal_;

  std::shared_ptr<MovingSupport> support_;
  Eigen::Isometry3d evaluated_at_ = Eigen::Isometry3d::Identity();  ///< the pose that force_ is of
  RigidVelocity velocity_;  ///< of the support, where forces are taken
  Vector field_;            ///< support_field(), where that is known before the step; empty: it is that at u_
  Vector coupled_;          ///< M_fs times the velocities of the fixed vertices, where that damps
  /// Forces are those of the energy: with all where it is in the middle of the step.
  bool at_middle_ = false;
  /// Of a step in which the support moves.
  struct SupportStep {
    bool moving = false;
    Eigen::Isometry3d force, middle, end;  ///< poses: where forces are taken, and of its middle and end
    Matrix3X way;                          ///< of the fixed vertices, 3 x n, m
    double start_energy = 0.0;             ///< with half of the work, J
    double end_work = 0.0;                 ///< by damping, half of it, J
    bool ended = false;                    ///< whether energies are of its end
    Vector inertia, mean_inertia;          ///< M_fs s'' where forces are taken, and its mean, N; or empty
    double carried = 0.0;                  ///< kinetic energy of a body that moves with its support, J
  };
  mutable SupportStep step_;
};

struct DynamicsOptions {
  Integrator integrator = Integrator::newmark;
  NewmarkOptions newmark{};
  RayleighDamping damping{};
  SparseSolverKind solver = SparseSolverKind::cholesky;
  int max_halvings = 6;     ///< a Newmark step that fails is taken as two half steps, and so on, this often;
                            ///< where it would gain energy, three times at most
  bool last_resort = true;  ///< then it is rescued (integrators/rescue.hpp); false: it fails
};

/// Mean external force over the time from t0 to t1 (its value at t0 where they are equal), N, into f. The
/// integrators ask for the half step before and after each instant, which gives impulses their exact size.
using LoadFunction = std::function<void(double t0, double t1, Vector& f)>;

/// A place that is held by hand.
struct FullHandle {
  MeshPlace place;
  Vector3 target = Vector3::Zero();  ///< displacement at the end of the next step, m
};

/// Time integration of one full-order body.
class FullDynamics {
 public:
  /// Starts at time 0 from (u, v), with the acceleration that balances the forces there.
  /// Throws Error when the sizes are wrong or Newmark's beta is not positive.
  FullDynamics(const FullModel& model, LoadFunction load, Vector u, Vector v,
               const DynamicsOptions& options = {});

  /// For the steps to come. The solver stays that of the constructor.
  void set_options(const DynamicsOptions& options);
  void set_springs(std::vector<FullSpring> springs);  ///< in place of those there were
  /// Places that are held from the next step on, in place of those there were. Those at the same places in
  /// the same order only move on, in straight lines.
  ///
  /// Each is a spring a million times as stiff as what resists it within a step, so that it is missed by a
  /// millionth of how far it moves. What so stiff a spring sets ringing would go on by other rules: while
  /// handles hold, steps are taken by generalized_alpha(0), after two of which it is gone. In a step that has
  /// to be rescued they pull only as strongly as what resists them: the next one goes the rest of the way.
  void set_handles(std::vector<FullHandle> handles);
  /// How the fixed vertices move; none: they stand still. Of the same model.
  void set_support(std::shared_ptr<MovingSupport> support);
  void set_air(FullAir air);  ///< none at first

  /// Advances by h seconds. On failure, and where who moves a support throws, all is as before the step; the
  /// report says why.
  SolveReport step(double h);

  [[nodiscard]] const DynamicState& state() const { return state_; }

  /// Whether a step was tried: the first one balances the forces at its start.
  [[nodiscard]] bool started() const { return started_; }

  /// Goes back, or on, to a state that this body had.
  void restore(const DynamicState& state) { state_ = state; }
  /// Goes on where another simulation of the same body was.
  void resume(DynamicState state, bool started) {
    state_ = std::move(state);
    started_ = started;
  }
  /// After a change of loads.
  void note_change() { limber::note_change(state_); }

  /// What else it goes on from: memory of supports, handles, wind and parts of steps.
  struct Memory {
    bool moved = false;                 ///< whether the support or a handle did, in the last step
    Matrix3X reached = Matrix3X(3, 0);  ///< targets of the handles in it, 3 x handles, m
    FullWind::Wake wake;                ///< of the air in it
    /// Steps to go that are not taken in parts where they gain energy, and how many that were last: more each
    /// time that parts were of no use.
    std::int64_t whole_steps = 0, most_whole_steps = 0;

    void save(StateWriter& out) const;
    /// size: how many unknowns there are. Throws Error for what cannot be.
    static Memory restored(StateReader& in, Index size);
  };
  [[nodiscard]] const Memory& memory() const { return memory_; }
  void set_memory(Memory memory) { memory_ = std::move(memory); }

  [[nodiscard]] double kinetic_energy() const { return 0.5 * state_.v.dot(model_.mass() * state_.v); }  ///< J
  /// Kinetic and elastic energy, J.
  [[nodiscard]] double energy() const;

 private:
  /// The acceleration now that balances the mean load from here on for `duration`. Springs act at the end of
  /// a step alone: what they would do at once, with no end to it, is left out.
  SolveReport balance(double duration);
  SolveReport take_step(double h);
  SolveReport newmark(double h, bool led);  ///< led: whether a handle moves
  SolveReport central_differences(double h);
  void note_motion(bool moves);
  void note_parts(bool rescued, bool split);
  void forget_wake();
  /// f_ext_: mean from t0 to t1 in steps of h seconds, with the inertia of supports.
  void take_load(double t0, double t1, double h);
  /// Puts springs and supports where a step of `part` seconds needs them, a part of one of `whole` that
  /// began at `begin`, s.
  void aim(double begin, double whole, double part, const NewmarkOptions& newmark);
  [[nodiscard]] NewmarkOptions rule() const;  ///< that steps are taken by
  [[nodiscard]] double grip(const MeshPlace& place, double h);
  [[nodiscard]] bool begin_handles();

  const FullModel& model_;
  LoadFunction load_;
  DynamicsOptions options_;
  FullSystem system_;
  DynamicState state_;
  bool started_ = false;
  Vector f_ext_, load_before_;
  NewmarkWorkspace newmark_work_;
  CentralDifferencesWorkspace central_work_;

  double extent_ = 0.0;  ///< of the body at rest, m
  std::vector<FullSpring> springs_;
  std::shared_ptr<MovingSupport> support_;
  Memory memory_;
  std::vector<FullHandle> handles_;
  Matrix3X from_;  ///< where their targets were at the start of the step, 3 x handles, m
};

/// Largest time step for which central differences are stable at rest, s: with c = alpha + beta omega^2 of
/// the damping and the highest frequency omega, (sqrt(c^2 + 4 omega^2) - c) / omega^2, which is 2 / omega
/// without damping. omega comes from power iteration on M^-1 K, with a margin of 3 % because that approaches
/// it from below.
double critical_timestep(const FullModel& model, const RayleighDamping& damping = {});

}  // namespace limber
