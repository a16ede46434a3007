#pragma once

#include "limber/contact/follow.hpp"
#include "limber/contact/point_shell.hpp"
#include "limber/contact/swept_box.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace limber {

/// The points of a shell in groups of sixteen that lie together, with balls that follow the coordinates
/// around each: what all bodies of a model share. Points keep the numbers that the shell gives them, group by
/// group.
class ShellTree {
 public:
  static constexpr int group_size = lane_count;

  explicit ShellTree(const PointShell& shell);

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index group_count() const { return (size_ + group_size - 1) / group_size; }
  /// Of the shell; the last group repeats its last point where it is not full.
  [[nodiscard]] int point(Index group, int i) const {
    return static_cast<int>(std::min(group * group_size + i, size_ - 1));
  }
  [[nodiscard]] Vector3 rest(Index point) const { return rest_.col(point); }  ///< m

 private:
  friend class RefittedBoxes;
  friend class TouchFinder;

  Index size_ = 0, rank_ = 0;
  std::shared_ptr<const std::vector<float>> numbers_;  ///< of groups, as the shell has them
  BallPackets balls_;                                  ///< around groups
  Matrix3X rest_;
};

/// Where the points of a shell are, x_i = R (X_i + U_i q) + p, and boxes around groups of them; with a motion
/// also the ways h v_i that they go in a step, v_i = R U_i q' + V + w x (x_i - p).
///
/// Points, and the boxes that are exact for them, are computed of those groups that something is near to:
/// near to balls that follow q, which say little where a body is bent and cost 4 ns a group at r = 30. Exact
/// boxes are good between bodies, and within one; 75 ns a group, twice that with a motion. Both are kept
/// until the next refit. Allocates nothing after construction.
class RefittedBoxes {
 public:
  explicit RefittedBoxes(std::shared_ptr<const ShellTree> tree);

  [[nodiscard]] const ShellTree& tree() const { return *tree_; }

  /// pose: of the domain.  q: as many of the coordinates as are moving, the others are 0.
  void refit(const Pose& pose, const VectorRef& q);
  /// v: q', as many as q.
  void refit(const Pose& pose, const VectorRef& q, const VectorRef& v, const SweptMotion& motion);

  /// In the world, m; good to 1e-6 of the size of the body, wherever it is.
  [[nodiscard]] Vector3 position(Index point);
  [[nodiscard]] Vector3 way(Index point);  ///< h v, m; 0 without a motion

  /// Exactly around the points of a group.
  [[nodiscard]] const SweptBox& box(Index group) {
    if (fitted_[static_cast<std::size_t>(group)] == 0) fit(group);
    return boxes_[static_cast<std::size_t>(group)];
  }
  [[nodiscard]] const Pose& pose() const { return pose_; }
  /// How many groups were computed since the last refit.
  [[nodiscard]] Index computed_groups() const { return computed_; }

 private:
  friend class TouchFinder;

  void begin_refit(const Pose& pose, bool moving, const SweptMotion& motion);
  void fit(Index group);
  [[nodiscard]] Vector3 read(const std::vector<float>& numbers, Index point) const;

  std::shared_ptr<const ShellTree> tree_;
  Pose pose_;
  Eigen::Matrix3f turn_ = Eigen::Matrix3f::Identity();
  bool moving_ = false;
  SweptMotion motion_;
  FollowedCoordinates now_;
  Index computed_ = 0;
  std::vector<char> fitted_;             ///< of groups
  std::vector<float> positions_, ways_;  ///< of groups, from p, in world axes: sixteen x, y, z
  std::vector<SweptBox> boxes_;          ///< of groups
  std::vector<SweptBoxes> around_;       ///< of their balls
};

}  // namespace limber
