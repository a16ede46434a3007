#pragma once

#include "limber/contact/follow.hpp"
#include "limber/contact/point_shell.hpp"
#include "limber/contact/swept_box.hpp"

#include <memory>
#include <vector>

namespace limber {

/// The points of a shell in groups of sixteen that lie together, and a tree over these: what all bodies of a
/// model share. Points keep the numbers that the shell gives them.
class ShellTree {
 public:
  static constexpr int group_size = lane_count;

  explicit ShellTree(const PointShell& shell);

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index group_count() const { return static_cast<Index>(points_.size()) / group_size; }
  /// Of the shell; the last group repeats its last point where it is not full.
  [[nodiscard]] int point(Index group, int i) const {
    return points_[static_cast<std::size_t>(group * group_size + i)];
  }
  [[nodiscard]] Vector3 rest(Index point) const { return rest_.col(point); }  ///< m

 private:
  friend class RefittedBoxes;
  friend class TouchFinder;

  /// Children follow their parent; a leaf is one group.
  struct Node {
    int group = -1;  ///< of a leaf
    int next = 0;    ///< node after its subtree
  };
  void build(int first, int count, std::vector<int>& order);

  Index size_ = 0, rank_ = 0;
  std::vector<int> points_;
  std::vector<int> slots_;  ///< of points: where they are in points_
  std::vector<Node> nodes_;
  /// Of groups: X, then a column per coordinate; sixteen x, then y, then z of each.
  std::vector<float> numbers_;
  Matrix3X rest_;
};

/// Where the points of a shell are, x_i = R (X_i + U_i q) + p, and boxes around them that are refitted
/// exactly to each state; with a motion also the ways h v_i that they go in a step, v_i = R U_i q' + V + w x
/// (x_i - p).
///
/// Balls that follow q cost O(r) each and are good against what stands still; between bodies, and within one,
/// they are too loose. Here all points are computed, sixteen at once: at r = 30, 2,000 points take about 10
/// us, twice that with a motion. Allocates nothing after construction.
class RefittedBoxes {
 public:
  explicit RefittedBoxes(std::shared_ptr<const ShellTree> tree);

  [[nodiscard]] const ShellTree& tree() const { return *tree_; }

  /// pose: of the domain.  q: as many of the coordinates as are moving, the others are 0.
  void refit(const Pose& pose, const VectorRef& q);
  /// v: q', as many as q.
  void refit(const Pose& pose, const VectorRef& q, const VectorRef& v, const SweptMotion& motion);

  /// In the world, m; good to 1e-6 of the size of the body, wherever it is.
  [[nodiscard]] Vector3 position(Index point) const;
  [[nodiscard]] Vector3 way(Index point) const;  ///< h v, m; 0 without a motion

  [[nodiscard]] const SweptBox& bounds() const { return boxes_.front(); }
  [[nodiscard]] const Pose& pose() const { return pose_; }

 private:
  friend class TouchFinder;

  void refit_groups(bool moving, const SweptMotion& motion);
  [[nodiscard]] Vector3 read(const std::vector<float>& numbers, Index point) const;

  std::shared_ptr<const ShellTree> tree_;
  Pose pose_;
  FollowedCoordinates now_;
  std::vector<float> positions_, ways_;  ///< of groups, from p, in world axes: sixteen x, y, z
  std::vector<SweptBox> boxes_;          ///< of nodes
};

}  // namespace limber
