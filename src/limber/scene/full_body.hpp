#pragma once

#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/mesh/embedding.hpp"
#include "limber/scene/body_simulation.hpp"

namespace limber {

/// A body computed with every vertex of its mesh.
class FullBody final : public BodySimulation {
 public:
  FullBody(const Scene& scene, const Body& body, const Executor& executor);

  StepReport solve(const Progress& progress) override;
  StepReport advance(double timestep) override;
  void remember() override;
  void go_back() override;
  [[nodiscard]] Index unknowns() const override { return model_.dof_count(); }
  [[nodiscard]] double mass() const override { return model_.vertex_masses().sum(); }
  [[nodiscard]] const Executor& executor() const override { return model_.executor(); }
  [[nodiscard]] Matrix3X displacement() const override { return model_.dofs().expand(u_); }
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] double smallest_volume_ratio() const override { return model_.smallest_volume_ratio(u_); }

  [[nodiscard]] const FullModel& model() const { return model_; }
  [[nodiscard]] const Vector& u() const { return u_; }                            ///< unknowns, m
  [[nodiscard]] const Vector& static_load() const { return static_load_; }        ///< statics only, N
  [[nodiscard]] const DynamicState& state() const { return dynamics_->state(); }  ///< dynamics only

 private:
  FullModel model_;
  std::unique_ptr<StaticSolver> statics_;   ///< statics only
  std::unique_ptr<FullDynamics> dynamics_;  ///< dynamics only
  Vector static_load_;
  Vector u_;
  Vector remembered_u_;
  DynamicState remembered_;
  Matrix3X surface_vertices_;                     ///< of the surface to draw
  mutable std::unique_ptr<Embedding> embedding_;  ///< of these, made when first needed
};

}  // namespace limber
