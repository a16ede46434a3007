#pragma once

#include "limber/body/mesh_motion.hpp"
#include "limber/online/online_dynamics.hpp"
#include "limber/online/online_quasistatics.hpp"

namespace limber {

/// A body computed with every vertex of its mesh while it learns a subspace, and in that where it can. Of a
/// dynamic body all is made at the first step: it depends on how that is taken. Where damping or the options
/// of steps change later, what was learned is lost. [Kim & James 2009]
class OnlineMotion final : public MeshMotion {
 public:
  /// duration: of the whole run, s.
  OnlineMotion(std::shared_ptr<const MeshBodySetup> setup, const OnlineSettings& settings, double duration);

  [[nodiscard]] std::unique_ptr<Motion> copy() const override;
  void set_damping(const RayleighDamping& damping) override;

  StepReport step(double h, const ReducedStepOptions& options) override;
  StepReport solve_static(const EquilibriumOptions& options) override;
  [[nodiscard]] double time() const override;
  [[nodiscard]] const Vector& q() const override;
  [[nodiscard]] const Vector& v() const override;
  [[nodiscard]] TreeState state() const override { return tree_state_of(dynamic_state()); }
  void set_state(const TreeState& state, Accelerations accelerations) override;
  void reset() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;
  void remember() override;
  void go_back() override;

  [[nodiscard]] Matrix3X mesh_displacement() const override;
  [[nodiscard]] const OnlineReport* online_report() const override;

 private:
  void loads_changed() override;
  void take_velocities(Vector v) override;
  [[nodiscard]] Vector world_displacement() const override;
  [[nodiscard]] double kinetic_energy() const override;
  [[nodiscard]] Vector3 vertex_displacement(int vertex) const override;

  [[nodiscard]] bool quasistatic() const { return setup_->quasistatic; }
  [[nodiscard]] DynamicState dynamic_state() const;
  [[nodiscard]] std::unique_ptr<OnlineQuasistatics> make_quasistatics() const;
  [[nodiscard]] std::unique_ptr<OnlineDynamics> make_dynamics(const DynamicsOptions& options) const;
  void use_options(const DynamicsOptions& options);
  void forget_dynamics();
  void go_on(DynamicState state, bool started);
  void restore_quasistatic(StateReader& in);

  OnlineSettings settings_;
  double duration_;                                   ///< s
  std::unique_ptr<OnlineDynamics> dynamics_;          ///< of a dynamic body, from its first step on
  std::unique_ptr<OnlineQuasistatics> quasistatics_;  ///< of a quasistatic body
  DynamicsOptions options_;                           ///< of the dynamics
  DynamicState state_;                                ///< until there are dynamics
  bool started_ = false;                              ///< whether its accelerations balance the forces
  StepClock clock_, remembered_clock_;                ///< of a quasistatic body
  bool remembered_dynamics_ = false;                  ///< whether there were any
  DynamicState remembered_state_;
  OnlineReport nothing_;          ///< before the first step
  mutable Vector q_now_, v_now_;  ///< memory of const functions
};

}  // namespace limber
