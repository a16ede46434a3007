#pragma once

#include "limber/body/mesh_motion.hpp"
#include "limber/full/coupled_full.hpp"
#include "limber/full/quasistatics.hpp"

#include <optional>

namespace limber {

/// A body computed with every vertex of its mesh: by its equations of motion, or by equilibrium at each time.
/// What is solved with is made when it is first needed. One that may touch others takes its steps in
/// velocities (CoupledFull), without handles, wind and supports that move.
class FullMotion final : public MeshMotion {
 public:
  FullMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials);

  [[nodiscard]] std::unique_ptr<Motion> copy() const override;
  void set_damping(const RayleighDamping& damping) override;
  void set_material(Index region, const Material& material) override;

  StepReport step(double h, const ReducedStepOptions& options) override;
  void set_coupled(bool on) override;
  /// Without a matrix: that is what condense() finds.
  SolveReport begin_coupled(double h, CoupledStep& step, ElasticEnd elastic, const StepPart& part) override;
  SolveReport condense(CondensedStep& step) override;
  SolveReport end_condensed(const CondensedStep& step, const Vector& impulse, bool last) override;
  void undo_coupled() override;
  /// Of coupled bodies in the middle of the last step, with what that keeps beside (CoupledFull).
  [[nodiscard]] BodyEnergy energy() const override;
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

 private:
  /// All that changes from step to step.
  struct Moment {
    DynamicState state;
    bool started = false;  ///< whether accelerations balance the forces: the first step sees to it
    FullDynamics::Memory memory;
    CoupledFull::Memory coupled;  ///< of a body that may touch others
    StepClock clock;              ///< of a quasistatic body
    ConstraintReport report;
    double support_h = usual_support_h;
  };

  void loads_changed() override;
  void take_velocities(Vector v) override;
  void springs_changed() override;
  void handles_changed(bool led) override;
  void air_changed() override;
  void support_changed(const Eigen::Isometry3d& way) override;
  void rest_at(Vector u) override;
  [[nodiscard]] const VertexMaps* maps() const override {
    return quasistatics_ ? &quasistatics_->maps() : nullptr;
  }
  [[nodiscard]] double moving_energy() const override { return 0.5 * v().dot(model_->mass() * v()); }
  [[nodiscard]] const Matrix3* vertex_map(int vertex) const override;
  [[nodiscard]] double lag() const override { return coupled_ ? 0.5 * moment_.coupled.h : 0.0; }

  [[nodiscard]] const DynamicState& now() const { return dynamics_ ? dynamics_->state() : moment_.state; }
  [[nodiscard]] Moment moment() const;
  void adopt(Moment moment);
  void adopt(Moment moment, const Eigen::Isometry3d& pose);  ///< pose: of the support then

  void make_quasistatics();
  void make_dynamics(const DynamicsOptions& options);
  void make_coupled();
  StepReport step_quasistatic(double h);
  StepReport step_coupled(double h, int halvings);
  void check_explicit_step(double h, const ReducedStepOptions& options);

  Moment moment_;  ///< until there are dynamics, which then have the state
  std::optional<Moment> remembered_;
  Moment before_;                                    ///< the last coupled step
  std::unique_ptr<FullDynamics> dynamics_;           ///< none of a quasistatic or coupled body
  std::unique_ptr<CoupledFull> coupled_;             ///< of a body that may touch others
  std::unique_ptr<QuasistaticSolver> quasistatics_;  ///< of a quasistatic body
  double critical_ = 0.0;                            ///< longest step of central differences, s; 0: not known
};

}  // namespace limber
