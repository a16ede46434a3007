#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <functional>

namespace limber {

/// What a Solid says about a point.
struct SolidSample {
  double distance =
      0.0;             ///< to its surface, negative inside, m; or at least a continuous function of that sign
  double clear = 0.0;  ///< radius of a ball around the point in which the sign is sure not to change, m
};

/// A body given by a function in space, by which it is meshed. Thread-safe.
///
/// A distance function has clear = |distance|; another function f with |grad f| <= L has clear = |f| / L.
/// The sign may jump without passing zero, e.g. across a hole of a surface.
struct Solid {
  std::function<SolidSample(const Vector3&)> sample;
  BoundingBox bounds;  ///< contains the whole body, m
};

}  // namespace limber
