#pragma once

#include "limber/body/mesh_motion.hpp"
#include "limber/online/online_dynamics.hpp"
#include "limber/online/online_quasistatics.hpp"

#include <cstdint>
#include <optional>

namespace limber {

/// A body computed with every vertex of its mesh while it learns a subspace, and in that where it can. Of a
/// dynamic body all is made at the first step: it depends on how that is taken. Where damping, a material or
/// the options of steps change later, what was learned is lost. While handles hold, air moves past the body,
/// or its support moves or is elsewhere than where it was made, steps are full. [Kim & James 2009]
class OnlineMotion final : public MeshMotion {
 public:
  /// duration: of the whole run, s.
  OnlineMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials,
               const OnlineSettings& settings, double duration);

  [[nodiscard]] std::unique_ptr<Motion> copy() const override;
  void set_damping(const RayleighDamping& damping) override;
  void set_material(Index region, const Material& material) override;

  StepReport step(double h, const ReducedStepOptions& options) override;
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

  [[nodiscard]] const OnlineReport* online_report() const override;

 private:
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
  [[nodiscard]] double moving_energy() const override;
  [[nodiscard]] const Matrix3* vertex_map(int vertex) const override;

  /// What a dynamic body goes on from until there are dynamics.
  struct Start {
    DynamicState state;
    bool started = false;  ///< whether its accelerations balance the forces
    FullDynamics::Memory memory;
  };

  [[nodiscard]] DynamicState dynamic_state() const;
  /// What is gone back to.
  struct Remembered {
    Start start;  ///< of a quasistatic body its shape
    std::int64_t made = 0;
    bool moving = false;  ///< whether there were dynamics, or it is quasistatic
    StepClock clock;
    ConstraintReport report;
    double support_h = 0.0;  ///< s
  };

  [[nodiscard]] std::unique_ptr<OnlineQuasistatics> make_quasistatics() const;
  [[nodiscard]] std::unique_ptr<OnlineDynamics> make_dynamics(const DynamicsOptions& options);
  void use_options(const DynamicsOptions& options);
  void forget_dynamics();
  void go_on(Start next);
  void go_on(Start next, const Eigen::Isometry3d& pose);  ///< pose: of the support then
  [[nodiscard]] Start start_now() const;
  void adopt(std::unique_ptr<OnlineDynamics> next);
  void adopt(std::unique_ptr<OnlineQuasistatics> next);
  void restore_quasistatic(StateReader& in);
  void restore_dynamics(StateReader& in);
  void restore_start(StateReader& in);

  OnlineSettings settings_;
  double duration_;                                   ///< s
  std::unique_ptr<OnlineDynamics> dynamics_;          ///< of a dynamic body, from its first step on
  std::unique_ptr<OnlineQuasistatics> quasistatics_;  ///< of a quasistatic body
  DynamicsOptions options_;                           ///< of the dynamics
  std::int64_t made_ = 0;                             ///< how often one or the other was made
  Start start_;
  StepClock clock_;  ///< of a quasistatic body
  std::optional<Remembered> remembered_;
  OnlineReport nothing_;          ///< before the first step
  mutable Vector q_now_, v_now_;  ///< memory of const functions
};

}  // namespace limber
