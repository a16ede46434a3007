#pragma once

#include "limber/body/body.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <string>
#include <vector>

namespace limber::bench {

/// What moves by several methods, to be compared with finite elements of the same mesh.
struct Specimen {
  std::string name;
  VolumeMesh mesh;
  std::vector<Material> materials;  ///< one per region
  std::vector<int> fixed;           ///< vertices; none: it flies
};

/// A bar along x of one St. Venant-Kirchhoff material.  held: at its end x = 0.
Specimen make_bar(const std::string& name, const Vector3& size, const Eigen::Vector3i& cells, double young,
                  bool held);

/// One that is built in, by its usual name.  held: as it usually is; else nothing holds it.
Specimen make_builtin_specimen(const std::string& name, bool held);

// Bodies of it, at rest. Elastic forces are exact, but for those of linear and warped modes.

Body by_finite_elements(const Specimen& specimen);
/// modes: linear ones that the basis is made of, with their derivatives.
Body by_reduction(const Specimen& specimen, int modes, int rank);
/// By linear modes alone, with which warping does best.
Body by_warping(const Specimen& specimen, int modes);
/// In about as many domains as asked for.  rank: of each.  method: reduced or linear.
Body by_domains(const Specimen& specimen, int domains, int rank, Method method);

/// Coordinates of all domains; of finite elements the unknowns.
Index coordinates_of(const Body& body);

/// Average acceleration, iterated to a tolerance far below the error of a step: nothing is damped. Warped
/// modes are then stepped by the exact solution of their oscillators.
ReducedStepOptions undamped_steps();

}  // namespace limber::bench
