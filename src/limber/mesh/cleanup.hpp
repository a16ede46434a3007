#pragma once

#include "limber/mesh/volume_mesh.hpp"

namespace limber {

/// What clean_up_parts changed.
struct CleanupReport {
  Index split_vertices = 0;  ///< copies made, because elements around a vertex hung together by nothing else
  Index dropped_parts = 0;   ///< too small to matter
  Index dropped_elements = 0;  ///< of those
};

/// Makes a mesh fit to simulate: elements that share only a vertex or an edge form a hinge, which no
/// stiffness resists. Elements connected through faces are a part. Parts of less than `smallest_share` of the
/// largest one's volume are dropped, and vertices that no element uses. A vertex around which the
/// elements left form several bunches, of one part or of several, gets a copy for each: bunches are connected
/// through faces that contain it. (So an edge along which a part touches itself stays joined where both its
/// ends are held otherwise: no hinge.) The order of what stays does not change; copies come last. Regions
/// stay, even without elements. Cost O(elements).
CleanupReport clean_up_parts(VolumeMesh& mesh, double smallest_share = 0.01);

}  // namespace limber
