#pragma once

#include "limber/full/quasistatics.hpp"
#include "limber/scene/mesh_body.hpp"

namespace limber {

/// A body computed with every vertex of its mesh.
class FullBody final : public MeshBody {
 public:
  FullBody(const Scene& scene, const SceneBody& body, const Executor& executor);

  StepReport solve(const Progress& progress) override;
  StepReport advance(double timestep) override;
  void remember() override;
  void go_back() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;
  [[nodiscard]] Matrix3X displacement() const override;
  [[nodiscard]] double energy() const override;
  [[nodiscard]] double smallest_volume_ratio() const override;

  /// Unknowns, m; quasistatic: in the rest pose, from where the maps of the body carry them.
  [[nodiscard]] const Vector& u() const { return u_; }
  [[nodiscard]] const Vector& static_load() const { return static_load_; }        ///< statics only, N
  [[nodiscard]] const DynamicState& state() const { return dynamics_->state(); }  ///< dynamics only

 private:
  [[nodiscard]] Vector world_displacement() const;  ///< of the unknowns, m

  std::unique_ptr<StaticSolver> statics_;            ///< statics only
  std::unique_ptr<FullDynamics> dynamics_;           ///< dynamics only
  std::unique_ptr<QuasistaticSolver> quasistatics_;  ///< quasistatic only
  Vector static_load_;
  Vector u_;
  int step_ = 0;       ///< quasistatic only: steps taken
  double time_ = 0.0;  ///< and the time that they led to, s
  Vector remembered_u_;
  int remembered_step_ = 0;
  double remembered_time_ = 0.0;
  DynamicState remembered_;
};

}  // namespace limber
