#pragma once

#include "limber/mesh/volume_mesh.hpp"
#include "limber/warp/warped_equations.hpp"

#include <memory>
#include <vector>

namespace limber {

/// The vertices of a body as modal warping sees them: those of the simulation mesh, or of the surface for a
/// model without it. Copies share everything.
class BodySites {
 public:
  BodySites() = default;
  /// Keeps the model. warp: false for linear modes, whose vertices do not turn. Cost O(elements r).
  BodySites(std::shared_ptr<const ReducedModel> model, bool warp, const Executor& executor);

  [[nodiscard]] const VolumeMesh& mesh() const { return *mesh_; }  ///< to choose vertices from
  /// rotations: 3n x r of all its vertices, rad per unit of q; of the simulation mesh only
  [[nodiscard]] const Matrix& rotations() const { return *rotations_; }

  /// A vertex that forces act on or that is to be at a place: without `turn` for linear modes.
  [[nodiscard]] WarpSite site(const WarpedEquations& equations, int vertex) const;
  /// The same with `turn` in any case: what orientation constraints hold.
  [[nodiscard]] WarpSite turning_site(const WarpedEquations& equations, int vertex) const;

 private:
  std::shared_ptr<const ReducedModel> model_;
  bool warp_ = true;
  std::shared_ptr<const VolumeMesh> mesh_;  ///< the model's own where it has one
  std::shared_ptr<const Matrix> rotations_;
};

}  // namespace limber
