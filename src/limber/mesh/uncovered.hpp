#pragma once

#include "limber/base/executor.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <span>

namespace limber {

/// What of surfaces lies outside of the mesh that was made of them, farther than some distance from it.
struct Uncovered {
  double share = 0.0;            ///< of their area
  double farthest = 0.0;         ///< largest distance to the mesh, m; 0: all of it is nearer
  Vector3 at = Vector3::Zero();  ///< where that is, m
};

/// Measured at points spread evenly over the area of the surfaces, and at their vertices, where limbs end;
/// what lies deep inside of the mesh is covered.  boundary: of the mesh, closed.  distance: m.
/// Cost O((points + vertices) log triangles); the same bits for any number of threads.
Uncovered find_uncovered(std::span<const SurfaceMesh* const> surfaces, const SurfaceMesh& boundary,
                         double distance, const Executor& executor = Executor(1));

}  // namespace limber
