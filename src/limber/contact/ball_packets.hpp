#pragma once

#include "limber/contact/lanes.hpp"

#include <span>
#include <vector>

namespace limber {

/// Balls around sets of points x_i(q) = X_i + U_i q that follow the coordinates, sixteen at a time: the
/// points of a set are within the ball of centre c + sum q_k u_k and radius R + sum |q_k| r_k, with u_k the
/// centre of the smallest ball around their columns and r_k its radius.            [James & Pai 2004] O(r)
/// per packet, whatever its balls hold; some 100 ns at r = 30.
class BallPackets {
 public:
  struct Packet {
    LanePlaces center;
    Lanes radius;  ///< lanes without a ball: minus infinity
  };

  BallPackets() = default;
  /// rest: of all points, m.  rows: 3 for each of these, a column per coordinate.
  BallPackets(const Matrix3X& rest, const Eigen::Ref<const Matrix>& rows);

  /// A packet without balls; returns its number.
  int add();
  /// A ball around some of the points.
  void put(int packet, int lane, std::span<const int> points);
  /// What the balls were made of is no longer needed.
  void finish();

  [[nodiscard]] Index size() const { return static_cast<Index>(numbers_.size() / stride()); }
  /// q, sizes: of `rank` coordinates, and their absolute values; the others are 0.
  [[nodiscard]] Packet at(int packet, const float* q, const float* sizes, Index rank) const;
  /// How centres move with the coordinates, and how much farther than these the points of a ball go at most.
  [[nodiscard]] Packet ways(int packet, const float* v, const float* sizes, Index rank) const;

 private:
  [[nodiscard]] std::size_t stride() const { return 4 * lane_count * static_cast<std::size_t>(rank_ + 1); }
  static void add_columns(const float* columns, const float* q, const float* sizes, Index rank, Packet& to);

  Index rank_ = 0;
  Matrix3X rest_;
  Matrix rows_;
  /// Of packets: c and R, then u_k and r_k of each coordinate; sixteen x, y, z, radii of each.
  std::vector<float> numbers_;
};

}  // namespace limber
