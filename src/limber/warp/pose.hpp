#pragma once

#include "limber/linalg/types.hpp"
#include "limber/warp/frame_motion.hpp"

#include <Eigen/Geometry>

#include <functional>
#include <string_view>
#include <vector>

namespace limber {

/// Place and orientation of a rigid frame: x -> rotation x + position.
struct Pose {
  Vector3 position = Vector3::Zero();                            ///< m
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  ///< of unit length

  [[nodiscard]] Vector3 apply(const Vector3& x) const { return rotation * x + position; }
  [[nodiscard]] Pose inverse() const;
  friend Pose operator*(const Pose& outer, const Pose& inner);  ///< first inner, then outer
};

/// Whether they are the same to the bit.
bool same_pose(const Pose& a, const Pose& b);

/// A rigid motion over time (s).
using PoseFunction = std::function<Pose(double)>;

/// The motion from time 0 on; before, it stands where it begins.
PoseFunction from_time_zero(PoseFunction motion);

enum class Interpolation {
  linear,  ///< straight lines and the shortest rotations; velocities jump at keys
  /// Cubic splines of positions and quaternions, at rest before the first and after the last key:
  /// accelerations are continuous within.
  smooth,
};

struct PoseKey {
  double time = 0.0;  ///< s
  Pose pose;
};

/// The motion through keys, which stays at the first before it and at the last after it.
/// Throws Error for no keys, times that do not ascend, numbers that are not finite, quaternions that are not
/// of unit length to 1e-6, and rotations of more than 170 degrees from one key to the next, whose way round
/// is not clear.
PoseFunction interpolate_poses(const std::vector<PoseKey>& keys, Interpolation interpolation);

/// The motion as a change from where it is at time 0: the identity there. motion(t) motion(0)^-1.
PoseFunction from_start(PoseFunction motion);

/// How a frame moves about time t, by differences over h before and after: exact for the impulse that a step
/// of length h takes, even where velocities jump.
FrameMotion frame_motion(const PoseFunction& motion, double t, double h);

/// How a support moves in the step from t0 to t1, from rest at time 0: differences about the middle of the
/// step spread a jump of the velocity over two steps, and what they would put into the step before the first
/// one belongs into the first. Nothing at all where its poses are the same to the bit.
FrameMotion support_motion(const PoseFunction& motion, double t0, double t1);

/// Throws Error, naming whose it is, unless the pose is finite and its rotation of unit length.
void check_pose(const Pose& pose, std::string_view name);
/// The same for that of a support at a time, s.
void check_support_pose(const Pose& pose, double time);

/// The same motion; where it gives numbers that are not finite, or a rotation that is not of unit length, it
/// throws Error.
PoseFunction checked_poses(PoseFunction motion);

}  // namespace limber
