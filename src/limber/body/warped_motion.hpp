#pragma once

#include "limber/body/motion.hpp"
#include "limber/warp/warped_dynamics.hpp"
#include "limber/warp/warped_surface.hpp"

namespace limber {

/// One domain that moves by warped modes: WarpedDynamics in coordinates of the model, of which all the
/// natural modes of their span are taken. Then S is square and p = S^T M q is exact, with p the amplitudes of
/// the modes.
class WarpedMotion final : public Motion {
 public:
  /// Of a model with one domain that has warp data.
  explicit WarpedMotion(MotionSetup setup);

  [[nodiscard]] std::unique_ptr<Motion> copy() const override;
  void set_damping(const RayleighDamping& damping) override;
  void set_gravity(const Vector3& acceleration) override;
  void set_forces(std::span<const VertexForce> forces) override;
  void set_springs(std::span<const Spring> springs) override;
  void set_handles(std::span<const Handle> handles, ConstraintPriority priority) override;
  void set_support(const PoseFunction& motion) override;

  /// The exact solution of each oscillator where the options ask for more than one iteration, else Newmark's.
  SolveReport step(double h, const ReducedStepOptions& options) override;
  [[nodiscard]] double time() const override { return state_.time; }
  [[nodiscard]] const Vector& q() const override { return state_.q; }
  [[nodiscard]] const Vector& v() const override { return state_.v; }
  [[nodiscard]] TreeState state() const override { return state_; }
  /// Orientations that handles hold are from now on those nearest to the new ones, by whole turns.
  void set_state(const TreeState& state, Accelerations accelerations) override;
  void reset() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;

  [[nodiscard]] BodyEnergy energy() const override {
    return {dynamics_.elastic_energy(), dynamics_.kinetic_energy()};
  }
  /// Of gravity, forces and the motion of the support.
  [[nodiscard]] double load_energy() const override;
  /// In the frame of its support, to first order: of q as of a reduced body.
  [[nodiscard]] TreeMomentum momentum() const override;
  [[nodiscard]] Vector3 position(int vertex) const override;
  [[nodiscard]] Vector3 velocity(int vertex) const override;
  [[nodiscard]] Eigen::Quaterniond orientation(int vertex) const override;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const override;
  [[nodiscard]] ConstraintReport handle_report() const override { return report_; }

 private:
  [[nodiscard]] const ReducedModel& reduced() const { return setup_.model->parts.front().model; }
  [[nodiscard]] Vector3 rotation(int vertex) const;  ///< rotation vector in the frame, rad
  [[nodiscard]] std::vector<SiteForce> site_forces() const;
  [[nodiscard]] std::vector<SiteSpring> site_springs() const;
  void hold(WarpedDynamics& dynamics, std::span<const Handle> handles, ConstraintPriority priority) const;
  void take_options(WarpedEquations equations, const WarpedOptions& options);
  void take_integrator(ModalIntegrator integrator);
  void aim(const Pose& pose, const Eigen::Quaterniond& to_frame);
  void follow_support(double h);
  void read_modes();

  MotionSetup setup_;
  Matrix amplitudes_;  ///< S^T M: of the modes for each coordinate
  WarpedDynamics dynamics_;
  TreeState state_;  ///< in coordinates of the model; the acceleration after a step is the mean over it
  ConstraintReport report_;
  // As they were given, in the world: dynamics do not tell.
  Vector3 gravity_ = Vector3::Zero();
  std::vector<VertexForce> forces_;
  std::vector<Spring> springs_;
  std::vector<Handle> handles_;
  ConstraintPriority priority_ = ConstraintPriority::position;
  PoseFunction support_;                                          ///< none: it stands still
  Pose pose_;                                                     ///< of the frame now
  Eigen::Quaterniond to_frame_ = Eigen::Quaterniond::Identity();  ///< that loads were turned by

  mutable WarpedSurface warped_surface_;  ///< remembers the last positions
  mutable Eigen::VectorXf coordinates_;
};

}  // namespace limber
