#pragma once

#include "limber/body/mesh_motion.hpp"
#include "limber/full/moving_support.hpp"
#include "limber/full/quasistatics.hpp"

#include <optional>

namespace limber {

/// A body computed with every vertex of its mesh: by its equations of motion, or by equilibrium at each time.
/// What is solved with is made when it is first needed.
///
/// Springs, handles and supports that move are those of FullDynamics; equilibria take them, too. A support
/// that is set carries the whole body to where it has it at that time.
class FullMotion final : public MeshMotion {
 public:
  FullMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials);

  [[nodiscard]] std::unique_ptr<Motion> copy() const override;
  void set_damping(const RayleighDamping& damping) override;
  void set_material(Index region, const Material& material) override;
  void set_springs(std::span<const Spring> springs) override;
  void set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                   std::span<const Point> exercised) override;
  void set_support(const PoseFunction& motion) override;

  StepReport step(double h, const ReducedStepOptions& options) override;
  StepReport solve_static(const EquilibriumOptions& options) override;
  [[nodiscard]] double time() const override { return now().time; }
  [[nodiscard]] const Vector& q() const override { return now().u; }
  [[nodiscard]] const Vector& v() const override { return now().v; }
  [[nodiscard]] TreeState state() const override { return tree_state_of(now()); }
  void set_state(const TreeState& state, Accelerations accelerations) override;
  void reset() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;
  void remember() override { remembered_ = moment(); }
  void go_back() override;

  [[nodiscard]] Matrix3X mesh_displacement() const override;
  [[nodiscard]] ConstraintReport handle_report() const override { return report_; }

 private:
  /// All that changes from step to step.
  struct Moment {
    DynamicState state;
    bool started = false;  ///< whether accelerations balance the forces: the first step sees to it
    FullDynamics::Memory memory;
    StepClock clock;  ///< of a quasistatic body
    ConstraintReport report;
  };

  void loads_changed() override;
  void take_velocities(Vector v) override;
  [[nodiscard]] Vector world_displacement() const override;
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] Matrix3X mesh_velocity() const override;
  [[nodiscard]] Vector3 vertex_displacement(int vertex) const override;
  [[nodiscard]] Vector3 vertex_velocity(int vertex) const override;

  [[nodiscard]] bool quasistatic() const { return setup_->quasistatic; }
  [[nodiscard]] const DynamicState& now() const { return dynamics_ ? dynamics_->state() : moment_.state; }
  [[nodiscard]] Moment moment() const;
  void adopt(Moment moment);
  void require_dynamic(bool nothing, std::string_view what) const;

  void make_quasistatics();
  void make_statics(const EquilibriumOptions& options);
  void make_dynamics(const DynamicsOptions& options);
  StepReport step_quasistatic(double h);
  void check_explicit_step(double h, const ReducedStepOptions& options);

  [[nodiscard]] std::vector<FullSpring> full_springs() const;
  [[nodiscard]] std::vector<FullHandle> full_handles() const;
  [[nodiscard]] std::vector<FullSpring> static_springs() const;
  void look_at_handles();

  void place_supports();
  void release_supports();
  [[nodiscard]] RigidVelocity support_velocity() const;

  Moment moment_;  ///< until there are dynamics, which then have the state
  std::optional<Moment> remembered_;
  std::unique_ptr<FullDynamics> dynamics_;           ///< none of a quasistatic body
  std::unique_ptr<QuasistaticSolver> quasistatics_;  ///< of a quasistatic body
  std::unique_ptr<StaticSolver> statics_;
  StaticOptions static_options_;  ///< of these
  double critical_ = 0.0;         ///< longest step of central differences, s; 0: not known

  std::vector<Spring> springs_;
  std::vector<Handle> handles_;
  ConstraintReport report_;
  PoseFunction support_motion_;
  std::shared_ptr<MovingSupport> support_;
  double support_h_ = 1e-3;  ///< of the last step, s: what velocities of the support are differences over
};

}  // namespace limber
