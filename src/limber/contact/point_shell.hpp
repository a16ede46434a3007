#pragma once

#include "limber/contact/ball_packets.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace limber {

/// Points of a surface that stand for all of it where it touches something.
struct ShellSample {
  std::vector<int> vertices;  ///< chosen, in the order in which they were: each far from those before
  double spacing = 0.0;       ///< m, at rest: no vertex of the surface is farther from a chosen one
};

/// Chooses up to `count` of the vertices that triangles use, each the farthest from those before it: tips
/// and corners come first, and what is left out is told as `spacing`. Vertices that are as good as one stand
/// for each other. O(count n), the same each time.
ShellSample sample_shell(const Matrix3X& vertices, const Eigen::Matrix3Xi& triangles, Index count);

/// Points x_i(q) = X_i + U_i q of a reduced body, in the axes of its domain, in groups of sixteen that lie
/// together and are computed at once, and a tree of balls that follow the coordinates, sixteen to a node:
/// which points are near something is found without looking at the others.           [James & Pai 2004]
/// In floats: places are good to 1e-6 of the size. Constant, and shared by bodies of one model.
class PointShell {
 public:
  /// basis: 3n x r, rows of the vertices.  chosen: of the vertices, those that matter most first.
  PointShell(const Matrix3X& vertices, const Eigen::Ref<const Matrix>& basis, const std::vector<int>& chosen);

  [[nodiscard]] Index size() const { return static_cast<Index>(vertices_.size()); }
  [[nodiscard]] Index rank() const { return rank_; }
  /// Of the surface that it was chosen from; points are numbered group by group.
  [[nodiscard]] int vertex(Index point) const { return vertices_[static_cast<std::size_t>(point)]; }

  /// How many were chosen before it: those with a small number stand for the surface without the others.
  [[nodiscard]] int turn(Index point) const { return turns_[static_cast<std::size_t>(point)]; }

  /// At rest, m.
  [[nodiscard]] Vector3 rest(Index point) const;
  /// Three floats for each coordinate, of four each: how the point moves with it, m per unit of q.
  [[nodiscard]] const float* columns(Index point) const;

  /// Coordinates as the loops below take them. Those beyond the ones given are 0.
  class Coordinates {
   public:
    void set(const VectorRef& q);

   private:
    friend class PointShell;
    std::vector<float> q_, sizes_;
  };

  /// Of groups of sixteen: X, then a column per coordinate, sixteen x, then y, then z of each. The last group
  /// repeats its last point where it is not full.
  [[nodiscard]] const std::shared_ptr<const std::vector<float>>& groups() const { return groups_; }

  [[nodiscard]] Vector3 position(Index point, const Coordinates& q) const;
  /// How the point moves with the coordinates, along three directions.  axes: their columns.  to: 3 x k,
  /// axes^T U_i of the first k coordinates.
  template <class Rows>
  void rows(Index point, const Matrix3& axes, Rows&& to) const;
  [[nodiscard]] Vector3 column(Index point, Index coordinate) const;  ///< of U_i
  /// The largest distance from the origin at rest, and the largest |U_i|: no point moves farther per |q|.
  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] double swing() const { return swing_; }

  /// Calls visit(point, x) for every point at which a function is at most `margin`.  distance(x): grows by
  /// no more than one goes, as distances do; in the axes of the domain. Cost: a call for some dozen balls
  /// where nothing is near. Returns how many calls it took.  points: so many are looked at, the first ones
  /// that were chosen. What is found in a group is visited after its last call, so that calls need not wait
  /// for each other.
  template <class Distance, class Visit>
  Index for_each_near(const Coordinates& q, double margin, const Distance& distance, const Visit& visit,
                      Index points = std::numeric_limits<int>::max()) const;

  struct Ball {
    Vector3 center = Vector3::Zero();
    double radius = 0.0;
  };
  /// Balls around some of the points each and around all of them together: some dozen at most.
  void cover(const Coordinates& q, std::vector<Ball>& balls) const;
  /// How their centres move with the coordinates, and how much farther than that their points go at most.
  void cover_ways(const Coordinates& way, std::vector<Ball>& ways) const;

 private:
  /// Up to sixteen balls in a packet of the same number.
  struct Node {
    int count = 0;
    /// Of each: a group of points, or where there are several the node of these, - 1 - node.
    std::array<int, lane_count> below{};
    std::array<int, lane_count> earliest{};  ///< turn of its points
  };
  /// Of so many points from the first one.
  struct Range {
    int first = 0, count = 0;
  };
  /// A place for which a function was asked, and by how much it is above the margin there, m.
  struct Asked {
    float place[3];
    float beyond;
  };
  int build(Range range, const Matrix3X& rest, std::vector<int>& order);
  void write_groups();
  template <class Distance, class Visit>
  Index visit_node(int node, const Coordinates& q, double margin, const Distance& distance,
                   const Visit& visit, Index points) const;
  template <class Distance, class Visit>
  Index visit_group(int group, const Coordinates& q, const Asked& asked, double margin,
                    const Distance& distance, const Visit& visit, Index points) const;
  [[nodiscard]] Index rank_of(const Coordinates& q) const {
    return std::min(rank_, static_cast<Index>(q.q_.size()));
  }
  [[nodiscard]] LanePlaces places(int group, const Coordinates& q) const;
  void read_cover(const BallPackets::Packet& packet, std::vector<Ball>& balls) const;

  Index rank_ = 0;
  double radius_ = 0.0, swing_ = 0.0;
  std::vector<int> vertices_, turns_;
  std::vector<Node> nodes_;
  BallPackets balls_;
  /// Of points: X, then a column per coordinate, of four numbers each.
  std::vector<float> points_;
  std::shared_ptr<const std::vector<float>> groups_;
};

template <class Distance, class Visit>
Index PointShell::for_each_near(const Coordinates& q, double margin, const Distance& distance,
                                const Visit& visit, Index points) const {
  return visit_node(0, q, margin, distance, visit, points);
}

template <class Distance, class Visit>
Index PointShell::visit_node(int n, const Coordinates& q, double margin, const Distance& distance,
                             const Visit& visit, Index points) const {
  const Node& node = nodes_[static_cast<std::size_t>(n)];
  const BallPackets::Packet balls = balls_.at(n, q.q_.data(), q.sizes_.data(), rank_of(q));
  std::array<double, lane_count> away;
  Index calls = 0;
  for (int i = 0; i < node.count; ++i) {
    const bool asked = node.earliest[static_cast<std::size_t>(i)] < points;
    const LanePlaces& c = balls.center;
    away[static_cast<std::size_t>(i)] = asked ? distance(Vector3(c.at[0][i], c.at[1][i], c.at[2][i]))
                                              : std::numeric_limits<double>::infinity();
    calls += asked ? 1 : 0;
  }
  for (int i = 0; i < node.count; ++i) {
    const double beyond = away[static_cast<std::size_t>(i)] - margin;
    if (!(beyond <= static_cast<double>(balls.radius[i]))) continue;
    const int below = node.below[static_cast<std::size_t>(i)];
    const LanePlaces& c = balls.center;
    calls += below >= 0
                 ? visit_group(below, q, {{c.at[0][i], c.at[1][i], c.at[2][i]}, static_cast<float>(beyond)},
                               margin, distance, visit, points)
                 : visit_node(-1 - below, q, margin, distance, visit, points);
  }
  return calls;
}

template <class Distance, class Visit>
Index PointShell::visit_group(int group, const Coordinates& q, const Asked& asked, double margin,
                              const Distance& distance, const Visit& visit, Index points) const {
  const LanePlaces x = places(group, q);
  const Index first = Index{group} * lane_count;
  const auto count = static_cast<int>(std::min<Index>(lane_count, size() - first));
  // What is nearer to a place than that is from the margin is on its side.
  Lanes squared{};
  for (int l = 0; l < 3; ++l) squared += (x.at[l] - asked.place[l]) * (x.at[l] - asked.place[l]);
  const std::uint32_t open = bits_of(squared > asked.beyond * asked.beyond);
  std::array<double, lane_count> away;
  Index calls = 0;
  const auto place = [&](int i) { return Vector3(x.at[0][i], x.at[1][i], x.at[2][i]); };
  for (int i = 0; i < count; ++i) {
    const bool unknown = (open >> i & 1) != 0 && turn(first + i) < points;
    away[static_cast<std::size_t>(i)] =
        unknown ? distance(place(i)) : margin + static_cast<double>(asked.beyond);
    calls += unknown ? 1 : 0;
  }
  for (int i = 0; i < count; ++i)
    if (away[static_cast<std::size_t>(i)] <= margin && turn(first + i) < points) visit(first + i, place(i));
  return calls;
}

template <class Rows>
void PointShell::rows(Index point, const Matrix3& axes, Rows&& to) const {
  const Eigen::Matrix3f turned = axes.cast<float>();
  const float* column = points_.data() + 4 * (rank_ + 1) * point + 4;
  for (Index k = 0; k < to.cols(); ++k, column += 4) {
    const Eigen::Vector3f u(column[0], column[1], column[2]);
    to.col(k) = (turned.transpose() * u).cast<double>();
  }
}

}  // namespace limber
