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
  void set_gravity(const Vector3& acceleration) override { dynamics_.set_gravity(acceleration); }
  void set_forces(std::span<const VertexForce> forces) override;
  void set_springs(std::span<const Spring> springs) override;
  void set_wind(const Wind& wind) override { dynamics_.set_wind(wind); }
  void set_support(const PoseFunction& motion) override { dynamics_.set_support(motion); }

  /// With the options' iterations; what is faster than the step is damped as real time asks of trees.
  SolveReport step(double h, const ReducedStepOptions& options) override;
  [[nodiscard]] double time() const override { return dynamics_.state().time; }
  [[nodiscard]] const Vector& q() const override { return dynamics_.state().q; }
  [[nodiscard]] const Vector& v() const override { return dynamics_.state().v; }
  [[nodiscard]] TreeState state() const override { return dynamics_.state(); }
  void set_state(const TreeState& state, Accelerations accelerations) override;
  void reset() override { dynamics_.reset(); }
  void save(StateWriter& out) const override { dynamics_.save(out); }
  void restore(StateReader& in) override { dynamics_.restore(in); }

  [[nodiscard]] BodyEnergy energy() const override {
    return {dynamics_.elastic_energy(), dynamics_.kinetic_energy()};
  }
  [[nodiscard]] double load_energy() const override;
  [[nodiscard]] TreeMomentum momentum() const override { return dynamics_.momentum(); }
  /// Of the copy that a spring holds: between domains it differs from the average that is drawn by the gap
  /// there.
  [[nodiscard]] Vector3 position(int vertex) const override;
  [[nodiscard]] Vector3 velocity(int vertex) const override;
  /// Of the frame of its domain, from rest.
  [[nodiscard]] Eigen::Quaterniond orientation(int vertex) const override;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const override;
  [[nodiscard]] const TreeDynamics* tree() const override { return &dynamics_; }

 private:
  std::shared_ptr<const TreeSurface> surface_;
  TreeDynamics dynamics_;
  Vector3 rest_center_;  ///< of mass, where it was made, m
  std::vector<VertexForce> forces_;
  mutable TreeSurface::Scratch scratch_;
};

}  // namespace limber
