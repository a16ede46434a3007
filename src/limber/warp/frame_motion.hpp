#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// How the frame that a body is attached to moves, in the axes of that frame. Its origin is that of the
/// coordinates at rest.
struct FrameMotion {
  Vector3 acceleration = Vector3::Zero();          ///< of the origin, m/s^2
  Vector3 angular_velocity = Vector3::Zero();      ///< rad/s
  Vector3 angular_acceleration = Vector3::Zero();  ///< rad/s^2
};

}  // namespace limber
