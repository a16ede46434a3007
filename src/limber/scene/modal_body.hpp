#pragma once

#include "limber/scene/body_sites.hpp"
#include "limber/scene/constraint_schedule.hpp"
#include "limber/scene/scene.hpp"
#include "limber/warp/warp_distortion.hpp"
#include "limber/warp/warped_dynamics.hpp"

namespace limber {

/// A body computed by its natural modes, warped or linear. It may be attached to a moving frame: its dynamics
/// are in the axes of that.
class ModalBody final : public BodySimulation {
 public:
  /// Makes the model where the body brings none: linear or inertia modes, and no more of the forces than
  /// their stiffness at rest.
  ModalBody(const Scene& scene, const SceneBody& body, const Executor& executor, const Progress& progress);

  StepReport solve(const Progress& progress) override;
  StepReport advance(double timestep) override;
  void remember() override;
  void go_back() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;
  [[nodiscard]] Index unknowns() const override { return equations().modes(); }
  [[nodiscard]] double mass() const override { return mass_; }
  [[nodiscard]] const Executor& executor() const override { return executor_; }
  /// In the world. Cost O(n m): of all vertices, whenever it is asked for.
  [[nodiscard]] Matrix3X displacement() const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] double energy() const override {
    return dynamics_->elastic_energy() + dynamics_->kinetic_energy();
  }
  [[nodiscard]] double smallest_volume_ratio() const override;
  [[nodiscard]] const ReducedModel* reduced_model() const override { return model_.get(); }

  [[nodiscard]] const WarpedEquations& equations() const { return dynamics_->equations(); }
  [[nodiscard]] bool warped() const { return dynamics_->options().warp; }
  [[nodiscard]] const Vector& q() const { return dynamics_->state().q; }         ///< amplitudes of the modes
  [[nodiscard]] Vector coordinates() const { return equations().shapes * q(); }  ///< of the model
  [[nodiscard]] bool on_moving_support() const { return static_cast<bool>(support_); }
  [[nodiscard]] Pose pose() const { return pose_at(time_); }  ///< of its frame, now
  /// Displacements of the surface in the axes of the frame, 3 x n, m, at any coordinates of the model. Cost
  /// O(n r).
  [[nodiscard]] Matrix3X surface_displacement_in_frame(const Vector& at) const;
  [[nodiscard]] const ConstraintReport& constraint_report() const {
    return constraint_report_;
  }  ///< of the last step
  [[nodiscard]] const std::vector<ConstraintOutcome>& outcomes() const { return constraints_.outcomes(); }
  [[nodiscard]] Index most_held() const { return constraints_.most_held(); }  ///< numbers at a time
  /// Of the shape of the run in which the modes turned the body farthest; nothing where it is not warped.
  [[nodiscard]] WarpDistortion largest_distortion() const;

 private:
  [[nodiscard]] Pose pose_at(double time) const { return support_ ? support_(time) : Pose{}; }
  void apply_loads(double t0, double t1);
  void apply_frame_motion(double t0, double t1);
  void look_for_turns();

  Executor executor_;
  std::shared_ptr<const ReducedModel> model_;
  double mass_ = 0.0;
  Vector3 gravity_;  ///< in the world, m/s^2
  StaticOptions statics_;
  int static_iterations_ = 0;  ///< at most
  PoseFunction support_;       ///< none: the frame is the world
  std::vector<PointLoad> loads_;
  std::vector<AccelerationLoad> accelerations_;
  std::vector<std::vector<WarpSite>> load_sites_;  ///< of each load
  // Of the forces as they were last applied: the shares of the loads, and the turn of the world's axes into
  // the frame's.
  Vector shares_;
  double loads_from_ = 0.0, loads_to_ = 0.0;  ///< s, the time that loads were last set for
  Eigen::Quaterniond to_frame_ = Eigen::Quaterniond::Identity();
  BodySites sites_;
  std::unique_ptr<WarpedDynamics> dynamics_;
  ConstraintSchedule constraints_;
  ConstraintReport constraint_report_;
  Vector turn_of_mode_;     ///< m, the largest of a lump per unit of each mode, rad
  Vector most_turned_;      ///< m, amplitudes at which the modes turned the body farthest
  double most_turn_ = 0.0;  ///< sum of the squares of turn_of_mode_ times these
  int step_ = 0;            ///< steps done
  double time_ = 0.0;       ///< s, their end
  struct Remembered {
    WarpedState state;
    int step = 0;
    double time = 0.0;
  } remembered_;
};

}  // namespace limber
