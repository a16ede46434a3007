#pragma once

#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "limber/reduced/reduced_dynamics.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <limits>
#include <memory>

namespace limber {

struct Scene;
struct Body;

/// What one step did, of one body or summed over several.
struct [[nodiscard]] StepReport : SolveReport {
  double energy = 0.0;                 ///< elastic, and in dynamics kinetic, J
  double smallest_volume_ratio = 1.0;  ///< statics: at most 0 where an element ended up inverted
  int load_steps = 0;                  ///< statics
};

/// The moving part of one body. The order of its model decides how it is computed.
class BodySimulation {
 public:
  virtual ~BodySimulation() = default;

  /// Solves for equilibrium.
  virtual StepReport solve(const Progress& progress) = 0;
  /// Advances by one time step.
  virtual StepReport advance(double timestep) = 0;

  /// Remembers the state, and goes back to it: a step counts only if it succeeds for all bodies.
  virtual void remember() = 0;
  virtual void go_back() = 0;

  [[nodiscard]] virtual Index unknowns() const = 0;
  [[nodiscard]] virtual double mass() const = 0;  ///< kg
  [[nodiscard]] virtual const Executor& executor() const = 0;

  /// Displacements of the vertices of the body's mesh, 3 x n, m; no columns for a reduced model without its mesh.
  [[nodiscard]] virtual Matrix3X displacement() const = 0;
  /// Displacements of the vertices of the body's surface to draw, 3 x n, m; no columns where it has none.
  [[nodiscard]] virtual Matrix3X surface_displacement() const = 0;
  /// Smallest det F over the body; at most 0 where an element is inverted. NaN where that is not known.
  [[nodiscard]] virtual double smallest_volume_ratio() const = 0;
};

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

/// A body computed in the subspace of a reduced model.
class ReducedBody final : public BodySimulation {
 public:
  /// Makes the model where the body brings none.
  ReducedBody(const Scene& scene, const Body& body, const Executor& executor, const Progress& progress);

  StepReport solve(const Progress& progress) override;
  StepReport advance(double timestep) override;
  void remember() override;
  void go_back() override;
  [[nodiscard]] Index unknowns() const override { return equations_.rank; }
  [[nodiscard]] double mass() const override;
  [[nodiscard]] const Executor& executor() const override { return executor_; }
  [[nodiscard]] Matrix3X displacement() const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] double smallest_volume_ratio() const override;

  [[nodiscard]] const ReducedModel& model() const { return *model_; }
  [[nodiscard]] const Vector& q() const { return state_.u; }

 private:
  Executor executor_;
  std::shared_ptr<const ReducedModel> model_;
  ReducedEquations equations_;
  double mass_ = 0.0;
  StaticOptions statics_;
  ReducedStepOptions options_;
  std::unique_ptr<ReducedWorkspace> work_;
  LoadFunction load_;
  bool started_ = false, remembered_started_ = false;
  Vector f_ext_;
  DynamicState state_, remembered_;
};

/// The simulation that a scene asks for. Throws Error for whatever makes it impossible.
std::unique_ptr<BodySimulation> make_simulation(const Scene& scene, const Body& body,
                                                const Executor& executor, const Progress& progress = {});

}  // namespace limber
