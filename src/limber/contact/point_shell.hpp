#pragma once

#include "limber/linalg/types.hpp"

#include <cstddef>
#include <limits>
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

/// Points x_i(q) = X_i + U_i q of a reduced body, in the axes of its domain, in a tree of balls that follow
/// the coordinates: which of them are near something is found without looking at the others.
///                                                                                  [James & Pai 2004]
/// The points of a node are within the ball of centre c + sum q_k u_k and radius R + sum |q_k| r_k, with
/// u_k the mean of their columns and r_k how far these are from it at most. O(r) per ball, whatever it
/// holds. In floats: places are good to 1e-6 of the size. Constant, and shared by bodies of one model.
class PointShell {
 public:
  /// basis: 3n x r, rows of the vertices.  chosen: of the vertices, those that matter most first.
  PointShell(const Matrix3X& vertices, const Eigen::Ref<const Matrix>& basis, const std::vector<int>& chosen);

  [[nodiscard]] Index size() const { return static_cast<Index>(vertices_.size()); }
  [[nodiscard]] Index rank() const { return rank_; }
  /// Of the surface that it was chosen from; points are numbered as leaves have them.
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
  /// that were chosen.
  template <class Distance, class Visit>
  Index for_each_near(const Coordinates& q, double margin, const Distance& distance, const Visit& visit,
                      Index points = std::numeric_limits<int>::max()) const;

  struct Ball {
    Vector3 center = Vector3::Zero();
    double radius = 0.0;
  };
  /// Balls around some of the points each and around all of them together: some dozen.
  [[nodiscard]] Index cover_count() const { return static_cast<Index>(cover_.size()); }
  [[nodiscard]] Ball cover(Index i, const Coordinates& q) const;
  /// How its centre moves with the coordinates, and how much farther than that its points go at most.
  [[nodiscard]] Ball cover_way(Index i, const Coordinates& way) const;

 private:
  struct Node {
    int first = 0, count = 0;  ///< points of it
    bool leaf = true;
    int next = 0;         ///< node after its subtree
    float radius = 0.0F;  ///< at rest, m
    int earliest = 0;     ///< turn of its points
  };
  void build(int first, int count, const Matrix3X& rest, const Matrix& rows, std::vector<int>& order);
  void add_ball(int first, int count, const Matrix3X& rest, const Matrix& rows,
                const std::vector<int>& order);
  void find_cover();
  [[nodiscard]] Ball ball(std::size_t node, const Coordinates& q) const;

  Index rank_ = 0;
  double radius_ = 0.0, swing_ = 0.0;
  std::vector<int> vertices_, turns_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> cover_;  ///< nodes
  // Of points and of nodes: X or c, then a column per coordinate, of four numbers each; the last one of a
  // node is r_k.
  std::vector<float> points_, balls_;
};

template <class Distance, class Visit>
Index PointShell::for_each_near(const Coordinates& q, double margin, const Distance& distance,
                                const Visit& visit, Index points) const {
  Index calls = 0;
  // Children follow their parent, so that a subtree is left by going on behind it.
  for (std::size_t n = 0; n < nodes_.size();) {
    const Node& node = nodes_[n];
    if (node.earliest >= points) {
      n = static_cast<std::size_t>(node.next);
      continue;
    }
    const Ball around = ball(n, q);
    ++calls;
    const bool near = distance(around.center) - around.radius <= margin;
    if (near && node.leaf) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        if (turns_[static_cast<std::size_t>(i)] >= points) continue;
        const Vector3 x = position(i, q);
        ++calls;
        if (distance(x) <= margin) visit(Index{i}, x);
      }
    }
    n = near ? n + 1 : static_cast<std::size_t>(node.next);
  }
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
