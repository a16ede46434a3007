#pragma once

#include "limber/body/world.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <string>
#include <vector>

namespace limber {

/// Something of a world that does not deform, as it is drawn.
struct DrawnSolid {
  std::string name;
  SurfaceMesh surface;              ///< in its own axes
  Vector3 color = Vector3::Ones();  ///< sRGB
};

/// The rigid bodies of a world, then its obstacles.  seen: what else there is to see, in the world; of ground
/// without end so much is shown that this stands on it.
std::vector<DrawnSolid> drawn_solids(const World& world, const BoundingBox& seen);

/// Where these are now.
std::vector<Pose> solid_poses(const World& world);

}  // namespace limber
