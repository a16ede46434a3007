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
  void set_forces(std::span<const VertexForce> forces) override;
  void set_springs(std::span<const Spring> springs) override;

  SolveReport step(double h, const ReducedStepOptions& options) override;
  [[nodiscard]] double time() const override { return state_.time; }
  [[nodiscard]] const Vector& q() const override { return state_.u; }
  [[nodiscard]] const Vector& v() const override { return state_.v; }
  [[nodiscard]] TreeState state() const override;
  void set_state(const TreeState& state, Accelerations accelerations) override;
  void reset() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;

  [[nodiscard]] BodyEnergy energy() const override;
  [[nodiscard]] double load_energy() const override { return -load_.dot(state_.u); }
  [[nodiscard]] TreeMomentum momentum() const override;
  [[nodiscard]] Vector3 position(int vertex) const override;
  [[nodiscard]] Vector3 velocity(int vertex) const override;
  [[nodiscard]] Eigen::Quaterniond orientation(int vertex) const override;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const override;

 private:
  [[nodiscard]] const ReducedModel& reduced() const { return setup_.model->parts.front().model; }
  [[nodiscard]] Index rank() const { return equations_->rank; }
  [[nodiscard]] Vector load_of(const Vector3& gravity, std::span<const VertexForce> forces) const;

  MotionSetup setup_;
  std::shared_ptr<const ReducedEquations> equations_;  ///< to which the system keeps a reference
  mutable ReducedWorkspace work_;                      ///< an energy is evaluated in it, too
  DynamicState state_;
  Vector3 gravity_ = Vector3::Zero();
  std::vector<VertexForce> forces_;
  std::vector<Spring> springs_;
  Vector load_;  ///< r', of gravity and forces

  // Memory of const functions.
  mutable ElasticWorkspace elastic_;
  mutable Vector product_;
  mutable Eigen::VectorXf coordinates_;
};

/// Rows of a vertex (3n x r) times q.
Vector3 product_at(const Eigen::MatrixXf& columns, int vertex, const Vector& q);

/// Mass, centre and momentum of a body in a frame that stands still at the origin.
TreeMomentum momentum_of(const ReducedModel& model, const PartSettings& settings, const Vector& q,
                         const Vector& v);

}  // namespace limber
