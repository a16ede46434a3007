#pragma once

#include "limber/body/lump_inertia.hpp"
#include "limber/body/motion.hpp"
#include "limber/body/warped_flight.hpp"
#include "limber/warp/warped_dynamics.hpp"
#include "limber/warp/warped_surface.hpp"

#include <optional>

namespace limber {

/// One domain that moves by its natural modes, warped or linear: WarpedDynamics in coordinates of the model,
/// of which all the natural modes of their span are taken, unless fewer are asked for. Of all, S is square
/// and p = S^T M q is exact, with p the amplitudes of the modes; fewer hold what they can of a state. Points
/// of linear modes are displaced by U q, and yet they turn as those of warped ones: by the curl of that.
/// Where nothing holds the body a WarpedFlight moves it, of warped modes. One that may touch others takes its
/// steps in velocities, without springs, handles, wind and supports that move, and with all of its modes.
class WarpedMotion final : public Motion {
 public:
  /// Of a model with one domain that has warp data and stands as it was made.
  explicit WarpedMotion(MotionSetup setup);

  [[nodiscard]] std::unique_ptr<Motion> copy() const override;
  void set_damping(const RayleighDamping& damping) override;
  void set_gravity(const Vector3& acceleration) override;
  void set_forces(std::span<const PointForce> forces) override;
  /// Until the next step they are those of the present time.
  void set_timed_loads(const TimedLoads& loads) override;
  void set_surface_forces(std::span<const SurfaceForces> forces) override;
  void set_springs(std::span<const Spring> springs) override;
  /// In flight, where nothing takes up what ideal constraints would need, they are springs that are far
  /// stiffer than the inertia of the body, of positions alone.
  void set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                   std::span<const Point> exercised) override;
  /// Costs as much as set_handles().
  void check_handles(std::span<const Handle> handles, ConstraintPriority priority,
                     std::span<const Point> exercised) const override;
  /// A push on the centre of mass, which all of the body feels as it feels gravity.
  void set_wind(const Wind& wind) override;
  void set_support(const PoseFunction& motion) override;

  /// By the integrator of the settings; without one by the exact solution of each oscillator where the
  /// options ask for more than one iteration, else by Newmark's.
  StepReport step(double h, const ReducedStepOptions& options) override;
  SolveReport begin_coupled(double h, CoupledStep& step, ElasticEnd elastic, const StepPart& part) override;
  SolveReport end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse,
                          bool last) override;
  void undo_coupled() override;
  [[nodiscard]] double lag() const override { return 0.5 * coupled_h_; }
  void set_lag(double lag) override { coupled_h_ = 2.0 * lag; }
  /// With the support standing still where it is. Throws Error where springs or handles pull, of which modes
  /// find no equilibrium, and in flight.
  StepReport solve_static(const EquilibriumOptions& options) override;
  [[nodiscard]] double time() const override { return state_.time; }
  [[nodiscard]] const Vector& q() const override { return state_.q; }
  [[nodiscard]] const Vector& v() const override { return state_.v; }
  [[nodiscard]] Index unknowns() const override { return state_.q.size() + (flight_ ? 6 : 0); }
  [[nodiscard]] Index freedoms() const override { return dynamics_.equations().modes() + (flight_ ? 6 : 0); }
  [[nodiscard]] TreeState state() const override { return state_; }
  /// Orientations that handles hold are from now on those nearest to the new ones, by whole turns.
  void set_state(const TreeState& state, Accelerations accelerations) override;
  /// Throws Error for a body that is held.
  void set_velocity(const Vector3& velocity, const Vector3& angular) override;
  void reset() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;

  /// Of coupled bodies in the middle of the last step; so is that of loads.
  [[nodiscard]] BodyEnergy energy() const override {
    if (coupled_h_ > 0.0) return in_middle().energy();
    return {dynamics_.elastic_energy(), flight_ ? flight_->kinetic_energy() : dynamics_.kinetic_energy()};
  }
  /// Of gravity, forces and the motion of the support; of a body that is held, of the wind, too.
  [[nodiscard]] double load_energy() const override;
  /// In the frame of its support, to first order: of q as of a reduced body. In flight it is what is
  /// conserved.
  [[nodiscard]] TreeMomentum momentum() const override;
  [[nodiscard]] Vector3 position(const Point& point) const override;
  [[nodiscard]] Vector3 velocity(const Point& point) const override;
  [[nodiscard]] Eigen::Quaterniond orientation(const Point& point) const override;
  /// Of the coordinates of the model, as q() and v() have them; where fewer modes are in use, of what these
  /// hold of them.
  void point_rows(const Point& point, PointRows& result) const override;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] Index mesh_vertex_count() const override;
  [[nodiscard]] Matrix3X mesh_displacement() const override;
  [[nodiscard]] const VolumeMesh* volume_mesh() const override {
    return reduced().simulation ? &reduced().simulation->mesh : nullptr;
  }
  [[nodiscard]] Pose frame(Index /*domain*/) const override { return pose_; }
  [[nodiscard]] ConstraintReport handle_report() const override { return report_; }

 private:
  /// s; loads are their means over it.
  struct LoadTime {
    double from = 0.0, to = 0.0;
  };
  struct Grip {
    std::vector<Handle> handles;
    ConstraintPriority priority = ConstraintPriority::position;
    std::vector<Point> exercised;
  };

  [[nodiscard]] const ReducedModel& reduced() const { return setup_.model->parts.front().model; }
  [[nodiscard]] const Matrix& mesh_rotations() const;
  [[nodiscard]] WarpSite turning_site(const Point& point) const;
  [[nodiscard]] WarpSite site(const Point& point) const;
  [[nodiscard]] std::vector<WarpSite> sites_of(std::span<const Point> points) const;
  [[nodiscard]] Vector3 rotation(const Point& point) const;
  [[nodiscard]] Vector3 place_in_frame(const Point& point) const;
  [[nodiscard]] bool frame_moves() const { return support_ || flight_; }
  [[nodiscard]] Vector3 support_velocity(const Vector3& place) const;
  [[nodiscard]] Matrix3X carried(const Matrix3X& rest, Matrix3X u) const;
  [[nodiscard]] Pose pose_at(double time) const { return support_ ? support_(time) : Pose(); }

  template <class Take>
  void for_each_force(const Take& take) const;
  [[nodiscard]] std::vector<SiteForce> site_forces() const;
  [[nodiscard]] std::vector<SiteSpring> site_springs() const;
  [[nodiscard]] Vector3 uniform_load() const;
  [[nodiscard]] FrameMotion frame_motion() const;
  [[nodiscard]] bool in_hand() const;
  void use_gravity();
  void use_forces();
  void change_forces();
  [[nodiscard]] bool loads_vary() const { return !timed_.empty() || by_time(surface_loads_); }
  [[nodiscard]] double surface_energy() const;
  void use_springs();
  bool take_shares();
  void act(const LoadTime& when, const Eigen::Quaterniond& to_frame);
  void aim(const Pose& pose);
  [[nodiscard]] Vector3 air_past_frame() const;
  [[nodiscard]] Vector3 push_at_rest() const;
  void feel_wind(double h, const Vector3& past_frame);
  void prepare_loads(double h);
  void hold(WarpedDynamics& dynamics, const Grip& grip) const;
  void hold_in_flight(std::span<const Handle> handles);
  void look_at_handles();

  [[nodiscard]] ModalIntegrator integrator_for(const ReducedStepOptions& options) const;
  void take_options(WarpedEquations equations, const WarpedOptions& options);
  void take_integrator(ModalIntegrator integrator);
  [[nodiscard]] Vector balancing_acceleration() const;
  void read_modes();
  void read_frame();
  StepReport fly(double h, ModalIntegrator integrator);
  [[nodiscard]] WarpedState modal_state() const;
  void whole_rows(Matrix3X& flight, Matrix3X& spin) const;
  [[nodiscard]] double load_potential(const WarpedState& modal, const Matrix3& axes) const;
  [[nodiscard]] double fixed_energy(const WarpedState& modal, const Matrix3& axes,
                                    const Vector3& angular) const;
  [[nodiscard]] Vector3 mean_spin(const Vector& middle, const Vector& v, const Vector3& angular,
                                  double h) const;
  void take_coupled(const FlightState& state);
  StepReport step_coupled(double h);
  [[nodiscard]] WarpedMotion in_middle() const;
  void save_flight(StateWriter& out) const;
  void restore_flight(StateReader& in);

  MotionSetup setup_;
  Matrix amplitudes_;                   ///< S^T M: of the modes for each coordinate
  WarpedDynamics dynamics_;             ///< in flight it only keeps the amplitudes
  std::optional<WarpedFlight> flight_;  ///< of a body that nothing holds
  TreeState state_;  ///< in coordinates of the model; the acceleration after a step is the mean over it
  ConstraintReport report_;
  // Of a body that may touch others.
  double coupled_h_ = 0.0;  ///< s, of the last step, whose mean velocities it has; 0: they are of now
  FlightPush loads_;        ///< of the step that was begun
  struct Before {
    WarpedState modal;
    FlightState flight;
    TreeState state;
    Pose pose;
    double h = 0.0;
  };
  Before before_;  ///< the last step
  // As they were given, in the world: dynamics do not tell. Sites are made once, and shared by copies.
  Vector3 gravity_ = Vector3::Zero();
  std::vector<PointForce> forces_;
  std::shared_ptr<const std::vector<WarpSite>> force_sites_;  ///< one per force
  TimedLoads timed_;
  std::shared_ptr<const std::vector<std::vector<WarpSite>>> timed_sites_;  ///< of each timed force
  std::vector<SurfaceForces> surface_loads_;
  std::shared_ptr<const std::vector<std::vector<WarpSite>>> loaded_sites_;  ///< of each
  std::vector<Spring> springs_;
  Grip grip_;
  double grip_h_ = 0.0;  ///< s, of the steps that the springs of handles in flight are stiff enough for
  Wind wind_;
  double shadow_ = 0.0;               ///< m^2, that wind sees
  std::optional<LumpInertia> lumps_;  ///< where wind blows at a body that is held
  PoseFunction support_;              ///< none: it stands still
  Pose pose_;                         ///< of the frame now
  // How the dynamics have the loads of the world.
  LoadTime acting_;
  Vector3 wind_push_ = Vector3::Zero();  ///< on a body that is held, m/s^2
  std::vector<double> shares_;       ///< of each timed force and then of those of the surface, in that time
  std::vector<double> next_shares_;  ///< memory of take_shares()
  Eigen::Quaterniond to_frame_ = Eigen::Quaterniond::Identity();  ///< that they were turned by

  mutable std::shared_ptr<const Matrix> mesh_rotations_;  ///< computed when first needed
  mutable WarpedSurface warped_surface_;                  ///< remembers the last q; of warped modes
  mutable Eigen::VectorXf coordinates_;
  mutable Matrix3X modal_rows_;  ///< of a point
  // Memory of feel_wind().
  Matrix3X drift_rows_, swirl_rows_, yielding_;
  Vector rates_, gains_;
};

}  // namespace limber
