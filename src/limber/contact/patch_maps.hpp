#pragma once

#include "limber/contact/lanes.hpp"

#include <vector>

namespace limber {

/// What fits an affine map to how points move, by least squares.
struct AffineFit {
  AffineFit() = default;
  explicit AffineFit(const Matrix3X& rest);  ///< their places, m

  Vector3 mean = Vector3::Zero();     ///< of these, m
  Matrix3 inverse = Matrix3::Zero();  ///< of their second moment about it
};

/// Affine maps of sixteen patches, and how far their vertices are from these.
struct PatchLanes {
  LanePlaces place;     ///< t, m
  LanePlaces slope[3];  ///< columns of A
  Lanes slack;          ///< no e_v is longer, m
};

/// How patches of a mesh move:
///   x_v(q) = t + A (X_v - c) + e_v,  t = c + sum q_k u_k,  A = I + sum q_k G_k
/// for the vertices of a patch around c, with (u_k, G_k) fitted to column k of the basis by least squares.
/// What that leaves is much the same in all columns, as parts bend and twist in few ways: the e_v are sums of
/// four patterns w_j, and little more,
///   |e_v| <= sum_j |z_j| |w_j,v| + sum |q_k| e_k,  z_j = sum_k q_k z_jk.
/// Coordinates that bend a patch to and fro cancel in the z_j, which a bound for each of them cannot know: so
/// the slack is several times less. O(r) per patch, 25 ns at r = 30, whatever it holds.
class PatchMaps {
 public:
  PatchMaps() = default;
  explicit PatchMaps(Index rank) : rank_(rank) {}

  /// The next patch, around a centre.  rest: places of its vertices, m.  rows: 3 for each, a column per
  /// coordinate.
  void add(const Vector3& center, const Matrix3X& rest, const Matrix& rows);

  [[nodiscard]] std::size_t bytes() const { return sizeof(float) * (numbers_.size() + bounds_.size()); }
  /// How many sizes are asked for.
  [[nodiscard]] std::size_t bound_count() const { return (static_cast<std::size_t>(rank_) + 15) / 16 * 16; }
  /// Writes one of the sixteen.  q: of `rank` coordinates.  sizes: their absolute values, and zeros.
  void write(std::size_t patch, const float* q, const float* sizes, Index rank, int lane,
             PatchLanes& to) const;
  /// How it changes with the coordinates.
  void write_change(std::size_t patch, const float* v, const float* sizes, Index rank, int lane,
                    PatchLanes& to) const;

 private:
  static constexpr int pattern_count = 4;

  void put_columns(const Vector3& place, const Matrix3& slope, const Vector& factors);
  [[nodiscard]] const float* numbers_of(std::size_t patch) const {
    return numbers_.data() + patch * lane_count * static_cast<std::size_t>(rank_ + 1);
  }
  void write_sum(const float* first, std::size_t patch, const float* factors, const float* sizes, Index rank,
                 int lane, PatchLanes& to) const;

  Index rank_ = 0;
  /// Of patches: c and I, then u_k and G_k of each coordinate, columns of three numbers each and a z_jk.
  std::vector<float> numbers_;
  std::vector<float> bounds_;  ///< of patches: the largest |w_j,v| of each j, then e_k, and zeros
};

}  // namespace limber
