#pragma once

#include "limber/scene/selection.hpp"
#include "limber/warp/pose.hpp"

#include <limits>
#include <string>

namespace limber {

/// What of a vertex a constraint holds.
enum class Hold { position, orientation, both };

/// Where the motion of a handle is given.
enum class MotionFrame {
  support,  ///< in the frame of the body's support, about the mean of the chosen vertices at rest
  /// In the world, about its origin, from where the support has the vertices at time 0: as the joint of a
  /// character moves what is around it.
  world,
};

/// Vertices that are moved as one rigid handle: hard constraints. [Choi & Ko 2005, section V]
struct BodyConstraint {
  std::string name;  ///< for messages
  VertexSelection where;
  Hold hold = Hold::position;
  PoseFunction motion;  ///< of the handle from rest; none: it stays as it is when it starts
  MotionFrame frame = MotionFrame::support;
  /// Where forces act to that end; none: wherever the constraint itself pushes. Used where all constraints of
  /// a body that hold at a time name some.
  VertexSelection exercised;
  double from = 0.0;                                    ///< s; it is met at the ends of all steps after that,
  double to = std::numeric_limits<double>::infinity();  ///< and up to here

  [[nodiscard]] bool holds_position() const { return hold != Hold::orientation; }
  [[nodiscard]] bool holds_orientation() const { return hold != Hold::position; }
};

}  // namespace limber
