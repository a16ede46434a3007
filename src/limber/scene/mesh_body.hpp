#pragma once

#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/mesh/embedding.hpp"
#include "limber/scene/body_simulation.hpp"
#include "limber/scene/drive.hpp"

namespace limber {

/// What the bodies that are computed with their mesh have in common: its model, and what acts on it.
class MeshBody : public BodySimulation {
 public:
  MeshBody(const MeshBody&) = delete;  // functions of its solvers refer to it
  MeshBody& operator=(const MeshBody&) = delete;

  [[nodiscard]] Index unknowns() const override { return model_.dof_count(); }
  [[nodiscard]] double mass() const override { return model_.vertex_masses().sum(); }
  [[nodiscard]] const Executor& executor() const override { return model_.executor(); }
  [[nodiscard]] Matrix3X displacement() const override = 0;
  [[nodiscard]] Matrix3X surface_displacement() const override;

  [[nodiscard]] const FullModel& model() const { return model_; }

 protected:
  MeshBody(const Scene& scene, const SceneBody& body, const Executor& executor);

  /// Loads and maps of the drive as functions; they keep a reference to this body.
  [[nodiscard]] LoadFunction load_function() const;
  [[nodiscard]] std::function<VertexMaps(double)> map_function() const;
  /// Velocity of the unknowns at the start, m/s.
  [[nodiscard]] Vector start_velocity(const SceneBody& body) const;

  FullModel model_;
  Drive drive_;

 private:
  Matrix3X surface_vertices_;                     ///< of the surface to draw
  mutable std::unique_ptr<Embedding> embedding_;  ///< of these, made when first needed
};

/// What the scene says about the solvers of such bodies.
StaticOptions static_options(const Scene& scene);
DynamicsOptions dynamics_options(const Scene& scene, const SceneBody& body);

StepReport to_step_report(const StaticReport& solved);

}  // namespace limber
