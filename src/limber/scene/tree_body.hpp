#pragma once

#include "limber/multidomain/reduce_tree.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/multidomain/tree_shape.hpp"
#include "limber/scene/body_simulation.hpp"
#include "limber/scene/scene.hpp"

#include <optional>
#include <string>
#include <vector>

namespace limber {

/// A body computed as a tree of reduced domains.
class TreeBody final : public BodySimulation {
 public:
  /// Makes the tree where the body brings none. Keeps what it needs of the scene.
  TreeBody(const Scene& scene, const SceneBody& body, const Executor& executor, const Progress& progress);

  StepReport solve(const Progress& progress) override;
  StepReport advance(double timestep) override;
  void remember() override;
  void go_back() override;
  void save(StateWriter& out) const override;
  void restore(StateReader& in) override;
  [[nodiscard]] Index unknowns() const override;
  [[nodiscard]] double mass() const override { return mass_; }
  [[nodiscard]] const Executor& executor() const override { return executor_; }
  [[nodiscard]] Matrix3X displacement() const override;
  [[nodiscard]] Matrix3X surface_displacement() const override;
  [[nodiscard]] double energy() const override {
    return dynamics_.elastic_energy() + dynamics_.kinetic_energy();
  }
  [[nodiscard]] double smallest_volume_ratio() const override;
  [[nodiscard]] const TreeDynamics* tree_dynamics() const override { return &dynamics_; }

  [[nodiscard]] const Model& tree() const { return dynamics_.tree(); }
  [[nodiscard]] const TreeDynamics& dynamics() const { return dynamics_; }
  [[nodiscard]] const TreeSurface& surface() const { return surface_; }
  [[nodiscard]] const TreeMesh* mesh() const { return mesh_ ? &*mesh_ : nullptr; }  ///< null: kept without
  [[nodiscard]] const TreeReduceReport& reduction() const {
    return reduction_;
  }                                           ///< empty where it was given
  [[nodiscard]] Index element_count() const;  ///< of all domains whose meshes were kept
  /// The largest gap, as a share of its interface, of the first steps and then of every eighth, before copies
  /// of vertices were averaged.
  [[nodiscard]] const InterfaceGap& largest_gap() const { return gap_; }

 private:
  /// A point load on the vertices that it chose.
  struct Load {
    PointLoad load;
    std::vector<TreePoint> points;
  };

  void read_loads(const SceneBody& body);
  void start_flight(const SceneBody& body);
  /// Sets what acts on average from t0 to t1, s.
  void apply_loads(double t0, double t1);

  Executor executor_;
  TreeReduceReport reduction_;
  TreeDynamics dynamics_;
  TreeSurface surface_;
  std::optional<TreeMesh> mesh_;
  Index vertex_count_, surface_vertex_count_;  ///< of the scene's mesh and surface
  Vector3 gravity_;
  std::vector<AccelerationLoad> accelerations_;
  std::vector<Load> loads_;
  std::vector<double> shares_;                ///< of the loads, as they were last set; empty: never
  double loads_from_ = 0.0, loads_to_ = 0.0;  ///< s, the time that loads were last set for
  std::vector<TreeForce> forces_;
  NewmarkOptions newmark_;
  double mass_ = 0.0;
  bool started_ = false;
  InterfaceGap gap_;
  std::string remembered_;  ///< as save() writes it
};

}  // namespace limber
