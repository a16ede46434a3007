#pragma once

#include "limber/base/progress.hpp"
#include "limber/mesh/solid.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <vector>

namespace limber {

struct SmoothingOptions {
  int passes = 10;
  double cell = 0.0;          ///< typical edge, m: scales the steps
  double level = 0.0;         ///< of the solid's distance on its surface, m
  double target_sine = 0.58;  ///< elements whose dihedral angles all have larger sines are left alone
  Progress progress = {};
};

/// Raises the worst dihedral angles of a tetrahedral mesh: each vertex of a bad element is moved where the
/// smallest sine of the angles around it is larger, found by a pattern search with shrinking steps; vertices
/// on the surface slide along it. No move lowers the smallest sine around a vertex.  on_surface: one flag per
/// vertex.
void smooth_worst_elements(VolumeMesh& mesh, const Solid& solid, const std::vector<char>& on_surface,
                           const SmoothingOptions& options);

}  // namespace limber
