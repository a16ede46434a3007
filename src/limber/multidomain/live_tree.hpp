#pragma once

#include "limber/live/live_body.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/multidomain/tree_shape.hpp"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace limber {

/// A tree of domains in someone's hands, as LiveBody is one domain: what an engine embeds, and what the
/// viewer runs in the browser. Vertices are those of the whole surface. For one thread at a time. Functions
/// that throw Error leave the tree as it was.
class LiveTree {
 public:
  /// At rest. Throws Error as check_tree() does.
  explicit LiveTree(DomainTree tree);

  [[nodiscard]] const DomainTree& tree() const { return dynamics_.tree(); }
  [[nodiscard]] const TreeSurface& surface() const { return surface_; }
  /// For wind, stiffnesses and the state. Forces and springs are those of this class.
  [[nodiscard]] TreeDynamics& dynamics() { return dynamics_; }
  [[nodiscard]] const TreeDynamics& dynamics() const { return dynamics_; }

  void set_gravity(const Vector3& acceleration) { dynamics_.set_gravity(acceleration); }
  void set_damping(const RayleighDamping& damping) { dynamics_.set_damping(damping); }
  void set_pulls(std::span<const Pull> pulls);       ///< in place of those there were
  void set_force(int vertex, const Vector3& force);  ///< N, in place of the one there; zero takes it away
  void clear_forces();
  [[nodiscard]] Vector3 pull_force(Index pull) const;
  [[nodiscard]] double stiffness_at(int vertex) const;  ///< see TreeDynamics

  SolveReport step(double h, const NewmarkOptions& options = tree_newmark()) {
    return dynamics_.step(h, options);
  }
  void reset() { dynamics_.reset(); }
  [[nodiscard]] BodyEnergy energy() const { return {dynamics_.elastic_energy(), dynamics_.kinetic_energy()}; }

  /// O(r), of the copy that a pull holds: between domains it differs from the average that is drawn by the
  /// gap there.
  [[nodiscard]] Vector3 position(int vertex) const;
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const { surface_.positions(dynamics_, x); }
  /// See pick_vertex(): on the surface as it is now.
  [[nodiscard]] std::optional<Pick> pick(const Vector3& origin, const Vector3& direction) const;

  /// Hz, about the lowest frequency of small vibrations about the rest shape, whatever the tree does now:
  /// Rayleigh's quotient of the shapes in which it hangs under gravity along x, y and z. At most some per
  /// cent too high. The time of some steps. 0 for a free tree, which does not hang, and one without
  /// coordinates.
  [[nodiscard]] double lowest_frequency() const;

 private:
  void take_forces(std::vector<std::pair<int, Vector3>> forces);

  TreeDynamics dynamics_;
  TreeSurface surface_;
  Index pull_count_ = 0;
  std::vector<std::pair<int, Vector3>> forces_;  ///< vertex, N
  mutable Eigen::Matrix3Xf points_;
};

}  // namespace limber
