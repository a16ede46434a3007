#pragma once

#include "limber/mesh/surface_mesh.hpp"
#include "limber/multidomain/tree_dynamics.hpp"

namespace limber {

/// Velocity of the air at a place (m) and time (s), m/s: the mean with gusts that travel along.
Vector3 air_velocity(const Wind& wind, const Vector3& x, double time);

/// The area of a body seen from a direction, averaged over all, m^2: a quarter of its surface where it is
/// convex [Cauchy].
inline double mean_shadow(const SurfaceMesh& surface) { return 0.25 * surface_area(surface); }

/// What the air does to a body that it moves past: a force of this times the relative velocity (m/s), kg/s.
/// shadow: as above.
inline double drag_of(const Wind& wind, double shadow, const Vector3& relative) {
  return 0.5 * wind.density * wind.coefficient * shadow * relative.norm();
}

}  // namespace limber
