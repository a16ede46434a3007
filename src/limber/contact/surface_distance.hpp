#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// How far a point is from the surface of a solid, and where to go to leave it.
struct SurfaceDistance {
  double distance = 0.0;              ///< m, negative inside
  Vector3 normal = Vector3::UnitZ();  ///< of unit length: the derivative of the distance; points outwards
};

}  // namespace limber
