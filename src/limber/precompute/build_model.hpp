#pragma once

#include "limber/base/progress.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/reduced/reduced_model.hpp"
#include "limber/warp/nodal_rotations.hpp"

#include <optional>
#include <vector>

namespace limber {

/// Throws Error, naming the region, unless all are St. Venant-Kirchhoff: only that has exact reduced forces.
void require_stvk(const FullModel& model);

struct BuildModelOptions {
  bool keep_simulation_mesh = true;      ///< with its basis; without it the model is smaller
  std::optional<CubatureRule> cubature;  ///< of this basis; none: exact forces
  Index lumps = default_lumps;           ///< of modal warping, at most; see make_warp_data()
  Progress progress{};
};

/// The reduced model of a full one in the subspace of `basis` (dofs x r, independent columns).
/// Without cubature all materials must be St. Venant-Kirchhoff: throws Error, naming the region, for any
/// other. surface: what is drawn, bound to the mesh; without triangles the boundary of the mesh, one part per
/// region. colors: sRGB, one per part, or none to choose them here.
ReducedModel build_reduced_model(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                                 const SurfaceMesh& surface = {}, const std::vector<Vector3>& colors = {},
                                 const BuildModelOptions& options = {});

}  // namespace limber
