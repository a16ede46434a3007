#include "limber/contact/ball_packets.hpp"

#include <algorithm>
#include <limits>

namespace limber {

BallPackets::BallPackets(const Matrix3X& rest, const Eigen::Ref<const Matrix>& rows)
    : rank_(rows.cols()), rest_(rest), rows_(rows) {}

int BallPackets::add() {
  const auto packet = static_cast<int>(size());
  numbers_.resize(numbers_.size() + stride(), 0.0F);
  float* const radii = numbers_.data() + static_cast<std::size_t>(packet) * stride() + 3 * lane_count;
  std::fill(radii, radii + lane_count, -std::numeric_limits<float>::infinity());
  return packet;
}

void BallPackets::put(int packet, int lane, std::span<const int> points) {
  constexpr double rounding = 1e-6;  // of floats, in sums of some dozen numbers
  float* to = numbers_.data() + static_cast<std::size_t>(packet) * stride() + lane;
  // Of a column at the points: their mean, and how far they are from it at most.
  const auto put_column = [&](const auto& column) {
    Vector3 mean = Vector3::Zero();
    for (const int i : points) mean += column(i);
    mean /= static_cast<double>(points.size());
    double farthest = 0.0;
    for (const int i : points) farthest = std::max(farthest, (column(i) - mean).norm());
    for (int l = 0; l < 3; ++l, to += lane_count) *to = static_cast<float>(mean(l));
    *to = static_cast<float>(farthest + rounding * (farthest + mean.norm()));
    to += lane_count;
  };
  put_column([&](int i) { return Vector3(rest_.col(i)); });
  for (Index k = 0; k < rank_; ++k) put_column([&](int i) { return Vector3(rows_.block<3, 1>(3 * i, k)); });
}

void BallPackets::finish() {
  rest_.resize(3, 0);
  rows_.resize(0, 0);
}

inline void BallPackets::add_columns(const float* columns, const float* q, const float* sizes, Index rank,
                                     Packet& to) {
  for (Index k = 0; k < rank; ++k, columns += 4 * lane_count) {
    for (int l = 0; l < 3; ++l) to.center.at[l] += load_lanes(columns + l * lane_count) * q[k];
    to.radius += load_lanes(columns + 3 * lane_count) * sizes[k];
  }
}

BallPackets::Packet BallPackets::at(int packet, const float* q, const float* sizes, Index rank) const {
  const float* const numbers = numbers_.data() + static_cast<std::size_t>(packet) * stride();
  Packet balls;
  for (int l = 0; l < 3; ++l) balls.center.at[l] = load_lanes(numbers + l * lane_count);
  balls.radius = load_lanes(numbers + 3 * lane_count);
  add_columns(numbers + 4 * lane_count, q, sizes, rank, balls);
  return balls;
}

BallPackets::Packet BallPackets::ways(int packet, const float* v, const float* sizes, Index rank) const {
  Packet balls{};
  add_columns(numbers_.data() + static_cast<std::size_t>(packet) * stride() + 4 * lane_count, v, sizes, rank,
              balls);
  return balls;
}

}  // namespace limber
