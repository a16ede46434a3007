#pragma once

#include "limber/body/motion.hpp"
#include "limber/reduced/reduced_dynamics.hpp"

namespace limber {

/// One domain that is held and has no frame to carry: the equations of motion of its coordinates alone, which
/// is all that an engine pays for in most bodies.
class ReducedMotion final : public Motion {
 public:
  /// Of a model with one domain, which is held where it was made.
  explicit ReducedMotion(MotionSetup setup);

  [[nodiscard]] std::unique_ptr<Motion> copy() const override;
  void set_damping(const RayleighDamping& damping) override;
  void set_gravity(const Vector3& acceleration) override;
  void set_forces(std::span<const PointForce> forces) override;
  void set_timed_loads(const TimedLoads& loads) override;
  void set_surface_forces(std::span<const SurfaceForces> forces) override;
  void set_springs(std::span<const Spring> springs) override;
  /// As springs that are far stiffer than body and inertia together, whatever the step.
  void set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                   std::span<const Point> exercised) override;

  StepReport step(double h, const ReducedStepOptions& options) override;
  StepReport solve_static(const EquilibriumOptions& options) override;
  [[nodiscard]] double time() const override { return state_.time; }
  [[nodiscard]] const Vector& q() const override { return state_.u; }
  [[nodiscard]] const Vector& v() const override { return state_.v; }
  [[nodiscard]] TreeState state() const override;
  void set_state(const TreeState& state, Accelerations accelerations) override;
  void set_velocity(const Vector3& velocity, const Vector3& angular) override;
  void reset() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;

  [[nodiscard]] BodyEnergy energy() const override;
  [[nodiscard]] double load_energy() const override { return -load_.dot(state_.u); }
  [[nodiscard]] TreeMomentum momentum() const override;
  [[nodiscard]] Vector3 position(const Point& point) const override;
  [[nodiscard]] Vector3 velocity(const Point& point) const override;
  [[nodiscard]] Eigen::Quaterniond orientation(const Point& point) const override;
  void point_rows(const Point& point, PointRows& result) const override;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] Index mesh_vertex_count() const override;
  [[nodiscard]] Matrix3X mesh_displacement() const override;
  [[nodiscard]] ConstraintReport handle_report() const override { return report_; }

 private:
  [[nodiscard]] const ReducedModel& reduced() const { return setup_.model->parts.front().model; }
  [[nodiscard]] Index rank() const { return equations_->rank; }
  [[nodiscard]] Vector3 rest(const Point& point) const;
  [[nodiscard]] Matrix3X rows(const Point& point) const;
  void add_force(const Point& point, const Vector3& force, Vector& sum) const;
  [[nodiscard]] Vector load_of(const Vector3& gravity, std::span<const PointForce> forces) const;
  void load_from(double t0, double t1, Vector& load) const;
  [[nodiscard]] bool loads_vary() const { return !timed_.empty() || by_time(surface_); }
  [[nodiscard]] ReducedSpring spring_at(const Point& point, const Vector3& target, double stiffness) const;
  void use_springs(std::span<const Spring> springs, std::span<const Handle> handles, const Vector& grips);
  void aim_springs();
  [[nodiscard]] Vector grips_of(std::span<const Handle> handles, double h) const;
  SolveReport begin(double h);
  SolveReport step_under_timed_loads(double h, const ReducedStepOptions& options);
  void check_explicit_step(double h, const ReducedStepOptions& options);
  void look_at_handles();

  MotionSetup setup_;
  std::shared_ptr<const ReducedEquations> equations_;  ///< to which the system keeps a reference
  mutable ReducedWorkspace work_;                      ///< an energy is evaluated in it, too
  DynamicState state_;
  bool balanced_ = false;  ///< whether the accelerations balance the forces: the first step sees to it
  Vector3 gravity_ = Vector3::Zero();
  std::vector<PointForce> forces_;
  std::vector<Spring> springs_;
  std::vector<Handle> handles_;
  Vector grips_;         ///< N/m, of the springs that hold them; none: not known yet
  double grip_h_ = 0.0;  ///< s, of the steps that these are stiff enough for
  ConstraintReport report_;
  double size_ = 0.0;        ///< m, of the surface; known where there are handles
  double explicit_h_ = 0.0;  ///< s, a step that central differences were found to be stable for
  TimedLoads timed_;
  std::vector<Vector> timed_forces_;  ///< r' each
  std::vector<SurfaceForces> surface_;
  std::vector<Vector> surface_loads_;  ///< r' each
  Vector load_;                        ///< r', of gravity and forces

  // Memory of const functions and steps.
  mutable ElasticWorkspace elastic_;
  mutable Vector product_;
  mutable Eigen::VectorXf coordinates_;
  Vector load_before_, load_after_;
  Matrix3X anchors_;  ///< of springs, and of handles where they hold
  DynamicState start_;
};

/// Rows of a vertex (3n x r) times q.
Vector3 product_at(const Eigen::MatrixXf& columns, int vertex, const Vector& q);

/// Mass, centre and momentum of a body in a frame that stands still at the origin.
TreeMomentum momentum_of(const ReducedModel& model, const PartSettings& settings, const Vector& q,
                         const Vector& v);

}  // namespace limber
