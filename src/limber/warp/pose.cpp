#include "limber/warp/pose.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace limber {
namespace {

/// Beyond this angle between two keys the shortest way may not be the one that was meant.
constexpr double largest_turn = 170.0 / 180.0 * std::numbers::pi;
/// Length of a blend of quaternions below which its direction says little: the path would whirl there.
constexpr double least_length = 0.05;

using Key = Eigen::Matrix<double, 7, 1>;  ///< position, and quaternion as x y z w

Pose pose_of(const Key& key) { return {key.head<3>(), Eigen::Quaterniond(key.tail<4>().normalized())}; }

void check_key(const PoseKey& key, std::size_t number) {
  require(std::isfinite(key.time), "key {}: its time is {}, expected a finite number of seconds", number,
          key.time);
  require(key.pose.position.allFinite(), "key {} at {} s: its position is not finite", number, key.time);
  require(is_unit(key.pose.rotation),
          "key {} at {} s: its quaternion has length {}, expected 1; divide it by that", number, key.time,
          key.pose.rotation.norm());
}

void check_keys(const std::vector<PoseKey>& keys) {
  require(!keys.empty(), "a motion needs at least one key");
  for (std::size_t k = 0; k < keys.size(); ++k) {
    check_key(keys[k], k);
    if (k == 0) continue;
    require(keys[k].time > keys[k - 1].time, "keys {} and {} are at {} s and {} s, expected ascending times",
            k - 1, k, keys[k - 1].time, keys[k].time);
    const double angle = keys[k - 1].pose.rotation.angularDistance(keys[k].pose.rotation);
    require(angle <= largest_turn,
            "keys {} and {} differ by a rotation of {:.4g} degrees, expected at most 170; add a key between "
            "them to say which way round",
            k - 1, k, angle / std::numbers::pi * 180.0);
  }
}

/// Keys with quaternions of the sign that is nearer to the one before: the shortest ways are straight between
/// them.
class KeyTrack {
 public:
  explicit KeyTrack(const std::vector<PoseKey>& keys) {
    check_keys(keys);
    for (const PoseKey& key : keys) {
      Key value;
      value << key.pose.position, key.pose.rotation.coeffs().normalized();
      if (!keys_.empty() && value.tail<4>().dot(keys_.back().tail<4>()) < 0.0) value.tail<4>() *= -1.0;
      keys_.push_back(value);
      times_.push_back(key.time);
    }
  }

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] const Key& operator[](std::size_t k) const { return keys_[k]; }
  /// From key k to the next, s.
  [[nodiscard]] double interval(std::size_t k) const { return times_[k + 1] - times_[k]; }

  /// The key before time t and the share of the way to the next, 0 to 1.
  [[nodiscard]] std::pair<std::size_t, double> locate(double t) const {
    if (!(t > times_.front())) return {0, 0.0};
    if (t >= times_.back()) return {size() - 1, 0.0};
    const auto next = std::upper_bound(times_.begin(), times_.end(), t);
    const auto k = static_cast<std::size_t>(next - times_.begin()) - 1;
    return {k, (t - times_[k]) / interval(k)};
  }

 private:
  std::vector<double> times_;
  std::vector<Key> keys_;
};

Pose interpolate_linear(const KeyTrack& keys, double t) {
  const auto [k, share] = keys.locate(t);
  if (share == 0.0) return pose_of(keys[k]);
  const Pose from = pose_of(keys[k]);
  const Pose to = pose_of(keys[k + 1]);
  return {from.position + share * (to.position - from.position),
          from.rotation.slerp(share, to.rotation).normalized()};
}

/// The cubic spline with continuous second derivatives that starts and ends at rest, by its velocities m at
/// the keys:
///   h_k m_(k-1) + 2 (h_(k-1) + h_k) m_k + h_(k-1) m_(k+1) = 3 (h_k s_(k-1) + h_(k-1) s_k),   m_0 = m_last = 0,
/// with the intervals h and slopes s between keys. Solved by elimination, which is stable: the diagonal
/// dominates.
class Spline {
 public:
  explicit Spline(KeyTrack keys) : keys_(std::move(keys)), velocities_(keys_.size(), Key::Zero()) {
    std::vector<double> above(keys_.size(), 0.0);  // the diagonal, once eliminated, is 1
    for (std::size_t k = 1; k + 1 < keys_.size(); ++k) {
      const double before = keys_.interval(k - 1);
      const double after = keys_.interval(k);
      const double pivot = 2.0 * (before + after) - after * above[k - 1];
      above[k] = before / pivot;
      velocities_[k] =
          (3.0 * (after * slope(k - 1) + before * slope(k)) - after * velocities_[k - 1]) / pivot;
    }
    for (std::size_t k = keys_.size(); k-- > 1;) velocities_[k - 1] -= above[k - 1] * velocities_[k];
    check();
  }

  [[nodiscard]] Pose pose(double t) const {
    const auto [k, share] = keys_.locate(t);
    return pose_of(value(k, share));
  }

 private:
  [[nodiscard]] Key slope(std::size_t k) const { return (keys_[k + 1] - keys_[k]) / keys_.interval(k); }

  [[nodiscard]] Key value(std::size_t k, double x) const {
    if (x == 0.0) return keys_[k];
    const double y = 1.0 - x;
    return y * y * (1.0 + 2.0 * x) * keys_[k] + x * x * (1.0 + 2.0 * y) * keys_[k + 1] +
           keys_.interval(k) * x * y * (y * velocities_[k] - x * velocities_[k + 1]);
  }

  void check() const {
    constexpr int samples = 16;
    for (std::size_t k = 0; k + 1 < keys_.size(); ++k) {
      for (int i = 1; i < samples; ++i) {
        const Key key = value(k, static_cast<double>(i) / samples);
        require(key.allFinite(), "keys {} and {} are too near in time for a smooth motion", k, k + 1);
        require(key.tail<4>().norm() >= least_length,
                "there is no smooth rotation from key {} to key {}; add keys between them", k, k + 1);
      }
    }
  }

  KeyTrack keys_;
  std::vector<Key> velocities_;
};

}  // namespace

Pose Pose::inverse() const {
  const Eigen::Quaterniond back = rotation.conjugate();
  return {-(back * position), back};
}

Pose operator*(const Pose& outer, const Pose& inner) {
  return {outer.apply(inner.position), outer.rotation * inner.rotation};
}

PoseFunction interpolate_poses(const std::vector<PoseKey>& keys, Interpolation interpolation) {
  KeyTrack track(keys);
  if (interpolation == Interpolation::smooth) {
    return [spline = Spline(std::move(track))](double t) { return spline.pose(t); };
  }
  return [track = std::move(track)](double t) { return interpolate_linear(track, t); };
}

bool same_pose(const Pose& a, const Pose& b) {
  return a.position == b.position && a.rotation.coeffs() == b.rotation.coeffs();
}

PoseFunction from_time_zero(PoseFunction motion) {
  return [motion = std::move(motion)](double time) { return motion(std::max(time, 0.0)); };
}

PoseFunction from_start(PoseFunction motion) {
  const Pose back = motion(0.0).inverse();
  return [motion = std::move(motion), back](double t) { return motion(t) * back; };
}

FrameMotion frame_motion(const PoseFunction& motion, double t, double h) {
  require(std::isfinite(t) && std::isfinite(h) && h > 0.0,
          "the motion of a frame about {} s over {} s, expected a finite time and a positive step", t, h);
  const Pose before = motion(t - h);
  const Pose now = motion(t);
  const Pose after = motion(t + h);
  // The rotation vector of a turn is the same in the axes before and after it: both are in those of the frame
  // at t.
  const Vector3 first = rotation_vector(before.rotation.conjugate() * now.rotation) / h;
  const Vector3 second = rotation_vector(now.rotation.conjugate() * after.rotation) / h;
  const Vector3 change = (after.position - now.position) - (now.position - before.position);
  return {.acceleration = now.rotation.conjugate() * (change / (h * h)),
          .angular_velocity = 0.5 * (first + second),
          .angular_acceleration = (second - first) / h};
}

FrameMotion support_motion(const PoseFunction& motion, double t0, double t1) {
  const double h = t1 - t0, middle = 0.5 * (t0 + t1);
  const Pose now = motion(middle);
  if (same_pose(now, motion(middle - h)) && same_pose(now, motion(middle + h))) return {};
  FrameMotion result = frame_motion(motion, middle, h);
  if (t0 != 0.0) return result;
  const FrameMotion before = frame_motion(motion, middle - h, h);
  result.acceleration += before.acceleration;
  result.angular_acceleration += before.angular_acceleration;
  return result;
}

void check_pose(const Pose& pose, std::string_view name) {
  require(pose.position.allFinite() && is_unit(pose.rotation),
          "{}: its pose is not finite, or its rotation not of unit length", name);
}

void check_support_pose(const Pose& pose, double time) {
  require(pose.position.allFinite() && is_unit(pose.rotation),
          "the pose of the support at {} s is not finite, or its rotation not of unit length", time);
}

PoseFunction checked_poses(PoseFunction motion) {
  return [motion = std::move(motion)](double t) {
    const Pose pose = motion(t);
    check_support_pose(pose, t);
    return pose;
  };
}

}  // namespace limber
