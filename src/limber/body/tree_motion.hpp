#pragma once

#include "limber/body/motion.hpp"

namespace limber {

/// Domains in frames of their own: trees of several, and single ones that fly, are carried or stand elsewhere
/// than they were made.
class TreeMotion final : public Motion {
 public:
  explicit TreeMotion(MotionSetup setup);

  [[nodiscard]] std::unique_ptr<Motion> copy() const override { return std::make_unique<TreeMotion>(*this); }
  void set_damping(const RayleighDamping& damping) override { dynamics_.set_damping(damping); }
  bool set_stiffness(Index domain, double factor) override {
    dynamics_.set_stiffness(domain, factor);
    return true;
  }
  void set_inertia(SubtreeInertia inertia) override { dynamics_.set_inertia(inertia); }
  void set_gravity(const Vector3& acceleration) override;
  void set_forces(std::span<const PointForce> forces) override;
  void set_timed_loads(const TimedLoads& loads) override;
  void set_surface_forces(std::span<const SurfaceForces> forces) override;
  void set_springs(std::span<const Spring> springs) override;
  /// As springs that are far stiffer than body and inertia together, whatever the step: met to some
  /// ten-thousandths of what a handle moves by in it. While they hold, steps are linearised and damp what is
  /// fast.
  void set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                   std::span<const Point> exercised) override;
  void set_wind(const Wind& wind) override { dynamics_.set_wind(wind); }
  void set_support(const PoseFunction& motion) override {
    dynamics_.set_support(motion);
    support_ = motion;
  }

  /// With the parameters of the options; what is faster than the step is damped as real time asks of trees
  /// where they are those of real time.
  StepReport step(double h, const ReducedStepOptions& options) override;
  SolveReport begin_coupled(double h, CoupledStep& step, ElasticEnd elastic, const StepPart& part) override;
  SolveReport end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse,
                          bool last) override;
  void undo_coupled() override;
  [[nodiscard]] double lag() const override { return dynamics_.lag(); }
  void set_lag(double lag) override { dynamics_.set_lag(lag); }
  /// By a motion that is damped until nothing moves any more.
  StepReport solve_static(const EquilibriumOptions& options) override;
  [[nodiscard]] double time() const override { return dynamics_.state().time; }
  [[nodiscard]] const Vector& q() const override { return dynamics_.state().q; }
  [[nodiscard]] const Vector& v() const override { return dynamics_.state().v; }
  [[nodiscard]] Index unknowns() const override;
  [[nodiscard]] TreeState state() const override { return dynamics_.state(); }
  void set_state(const TreeState& state, Accelerations accelerations) override;
  void set_velocity(const Vector3& velocity, const Vector3& angular) override;
  void reset() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;

  [[nodiscard]] BodyEnergy energy() const override {
    return {dynamics_.elastic_energy(), dynamics_.kinetic_energy()};
  }
  [[nodiscard]] double load_energy() const override;
  [[nodiscard]] TreeMomentum momentum() const override { return dynamics_.momentum(); }
  /// Of the copy that a spring holds: between domains it differs from the average that is drawn by the gap
  /// there.
  [[nodiscard]] Vector3 position(const Point& point) const override;
  [[nodiscard]] Vector3 velocity(const Point& point) const override;
  /// Of the frame of its domain, from rest.
  [[nodiscard]] Eigen::Quaterniond orientation(const Point& point) const override;
  void point_rows(const Point& point, PointRows& result) const override;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const override;
  void positions_of(std::span<const int> vertices, Matrix3X& x) const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] Index mesh_vertex_count() const override;
  [[nodiscard]] bool has_mesh_vertex(int vertex) const override;
  [[nodiscard]] Matrix3X mesh_displacement() const override;
  [[nodiscard]] Pose frame(Index domain) const override;
  [[nodiscard]] ConstraintReport handle_report() const override { return report_; }
  [[nodiscard]] const TreeDynamics* tree() const override { return &dynamics_; }

 private:
  [[nodiscard]] const TreeMesh& mesh() const;
  [[nodiscard]] TreePoint place(const Point& point) const;
  [[nodiscard]] Vector grips_of(std::span<const Handle> handles, double h) const;
  void use_springs(std::span<const Spring> springs, std::span<const Handle> handles, const Vector& grips);
  void aim_springs();
  void use_loads(double t0, double t1, bool others = false);
  void use_forces(const std::vector<double>& shares);
  [[nodiscard]] bool loads_vary() const { return !timed_.empty() || by_time(surface_loads_); }
  void grasp(double h, double point);
  SolveReport begin(double h, double point);
  SolveReport step_by_parts(double h, const NewmarkOptions& newmark, int halvings);
  void look_at_handles(double share = 1.0);
  [[nodiscard]] Vector3 rest(const Point& point) const;
  [[nodiscard]] Vector3 in_world(Index domain, Vector3 place, Index first_row, bool of_mesh) const;
  SolveReport find_equilibrium(double tolerance, int max_iterations);

  std::shared_ptr<const TreeSurface> surface_;
  mutable std::shared_ptr<const TreeMesh> mesh_;  ///< made when first needed
  TreeDynamics dynamics_;
  Vector3 rest_center_;  ///< of mass, where it was made, m
  double size_ = 0.0;    ///< m, of the surface
  Index largest_rank_ = 0;

  Vector3 gravity_ = Vector3::Zero();
  std::vector<PointForce> forces_;
  std::vector<TreeForce> taken_forces_;  ///< the same for the dynamics
  TimedLoads timed_;
  std::vector<std::vector<TreeForce>> timed_forces_;  ///< of each
  std::vector<SurfaceForces> surface_loads_;
  std::vector<std::vector<TreePoint>> loaded_points_;  ///< of each
  std::vector<double> shares_;                         ///< in which these act now, after the timed ones
  double loads_from_ = 0.0, loads_to_ = 0.0;           ///< s, the time that loads were last set for
  std::vector<Spring> springs_;
  std::vector<Handle> handles_;
  std::vector<Vector3> handled_;         ///< where they were to be at the end of the last step, m
  std::vector<Vector3> handled_before_;  ///< the same of the step before, for undo_coupled()
  double handle_share_ = 1.0;  ///< of what is left of their way, in the step in velocities that was begun
  PoseFunction support_;       ///< none: it stands still
  Vector grips_;               ///< N/m, of the springs that hold them; none: not known yet
  double grip_h_ = 0.0;        ///< s, of the steps that these are stiff enough for
  ConstraintReport report_;
  bool balanced_ = false;  ///< where loads depend on time: whether the start was balanced
  mutable TreeSurface::Scratch scratch_;
  std::vector<double> next_shares_;  ///< memory of use_loads()
  mutable Matrix3X own_rows_;        ///< of a point in its domain
};

}  // namespace limber
