#pragma once

#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/reduced/reduced_dynamics.hpp"
#include "limber/reduced/reduced_model.hpp"
#include "limber/scene/body_simulation.hpp"

namespace limber {

/// A body computed in the subspace of a reduced model.
class ReducedBody final : public BodySimulation {
 public:
  /// Makes the model where the body brings none.
  ReducedBody(const Scene& scene, const SceneBody& body, const Executor& executor, const Progress& progress);

  StepReport solve(const Progress& progress) override;
  StepReport advance(double timestep) override;
  void remember() override;
  void go_back() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;
  [[nodiscard]] Index unknowns() const override { return equations_.rank; }
  [[nodiscard]] double mass() const override;
  [[nodiscard]] const Executor& executor() const override { return executor_; }
  [[nodiscard]] Matrix3X displacement() const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] double energy() const override;
  [[nodiscard]] double smallest_volume_ratio() const override;
  [[nodiscard]] const ReducedModel* reduced_model() const override { return model_.get(); }

  [[nodiscard]] const ReducedModel& model() const { return *model_; }
  [[nodiscard]] const Vector& q() const { return state_.u; }

 private:
  Executor executor_;
  std::shared_ptr<const ReducedModel> model_;
  ReducedEquations equations_;
  double mass_ = 0.0;
  StaticOptions statics_;
  int static_iterations_ = 0;  ///< at most
  ReducedStepOptions options_;
  std::unique_ptr<ReducedWorkspace> work_;
  LoadFunction load_;
  bool started_ = false, remembered_started_ = false;
  Vector f_ext_, load_before_;
  DynamicState state_, remembered_;
};

}  // namespace limber
