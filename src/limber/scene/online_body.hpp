#pragma once

#include "limber/online/online_dynamics.hpp"
#include "limber/online/online_quasistatics.hpp"
#include "limber/scene/mesh_body.hpp"

namespace limber {

/// A body computed with every vertex of its mesh while it learns a subspace, and in that where it can. [Kim &
/// James 2009]
class OnlineBody final : public MeshBody {
 public:
  OnlineBody(const Scene& scene, const SceneBody& body, const Executor& executor);

  StepReport solve(const Progress& progress) override;
  StepReport advance(double timestep) override;
  void remember() override;
  void go_back() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;
  [[nodiscard]] Matrix3X displacement() const override;
  [[nodiscard]] double energy() const override;
  [[nodiscard]] double smallest_volume_ratio() const override;

  [[nodiscard]] const OnlineReport& report() const {
    return dynamics_ ? dynamics_->report() : quasistatics_->report();
  }

 private:
  std::unique_ptr<OnlineDynamics> dynamics_;          ///< dynamics only
  std::unique_ptr<OnlineQuasistatics> quasistatics_;  ///< quasistatic only
  // Quasistatic only: steps taken, and the time that they led to, s.
  int step_ = 0, remembered_step_ = 0;
  double time_ = 0.0, remembered_time_ = 0.0;
};

}  // namespace limber
