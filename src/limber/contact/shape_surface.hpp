#pragma once

#include "limber/contact/shape.hpp"
#include "limber/mesh/surface_mesh.hpp"

namespace limber {

/// Triangles that a shape is drawn by, in its own axes, turned outwards. Round ones are faceted, edges of
/// boxes have vertices of each face of their own, and of ground its surface is shown.
///
/// about, extent: of a half space, which has no end, the square with this half edge (m) about the point of
/// its surface below or above `about` is shown.
SurfaceMesh surface_of(const SolidShape& shape, const Vector3& about = Vector3::Zero(), double extent = 1.0);

}  // namespace limber
