#include "limber/contact/point_shell.hpp"

#include "limber/base/error.hpp"
#include "limber/contact/follow.hpp"
#include "limber/mesh/farthest_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace limber {
namespace {

/// Of the longest side of a box around some of the points at rest.
Index longest_axis(const Matrix3X& rest, std::span<const int> points) {
  Vector3 low = rest.col(points.front()), high = low;
  for (const int i : points) {
    low = low.cwiseMin(rest.col(i));
    high = high.cwiseMax(rest.col(i));
  }
  Index axis = 0;
  (high - low).maxCoeff(&axis);
  return axis;
}

}  // namespace

ShellSample sample_shell(const Matrix3X& vertices, const Eigen::Matrix3Xi& triangles, Index count) {
  require(count > 0, "a shell of {} points, expected at least 1", count);
  std::vector<int> used(triangles.reshaped().begin(), triangles.reshaped().end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  require(!used.empty(), "a surface without triangles has no points that could touch anything");
  const FarthestPoints sample = farthest_points(vertices(Eigen::all, used), count);
  ShellSample shell{{}, sample.spacing};
  for (const int i : sample.chosen) shell.vertices.push_back(used[static_cast<std::size_t>(i)]);
  return shell;
}

void PointShell::Coordinates::set(const VectorRef& q) {
  q_.resize(static_cast<std::size_t>(q.size()));
  sizes_.resize(q_.size());
  for (std::size_t k = 0; k < q_.size(); ++k) {
    q_[k] = static_cast<float>(q(static_cast<Index>(k)));
    sizes_[k] = std::abs(q_[k]);
  }
}

PointShell::PointShell(const Matrix3X& vertices, const Eigen::Ref<const Matrix>& basis,
                       const std::vector<int>& chosen)
    : rank_(basis.cols()) {
  require(basis.rows() == 3 * vertices.cols(), "a basis of {} rows for {} vertices, expected 3 each",
          basis.rows(), vertices.cols());
  require(!chosen.empty(), "a shell without points touches nothing");
  const auto count = static_cast<Index>(chosen.size());
  Matrix3X rest(3, count);
  Matrix rows(3 * count, rank_);
  for (Index i = 0; i < count; ++i) {
    const Index v = chosen[static_cast<std::size_t>(i)];
    rest.col(i) = vertices.col(v);
    rows.middleRows<3>(3 * i) = basis.middleRows<3>(3 * v);
    radius_ = std::max(radius_, rest.col(i).norm());
    swing_ = std::max(swing_, rows.middleRows<3>(3 * i).norm());
  }
  std::vector<int> order(chosen.size());
  std::iota(order.begin(), order.end(), 0);
  balls_ = BallPackets(rest, rows);
  build({0, static_cast<int>(count)}, rest, order);
  balls_.finish();
  turns_ = order;
  for (const int i : order) {
    vertices_.push_back(chosen[static_cast<std::size_t>(i)]);
    for (int l = 0; l < 4; ++l) points_.push_back(l < 3 ? static_cast<float>(rest(l, i)) : 0.0F);
    for (Index k = 0; k < rank_; ++k)
      for (int l = 0; l < 4; ++l) points_.push_back(l < 3 ? static_cast<float>(rows(3 * i + l, k)) : 0.0F);
  }
  write_groups();
}

/// Halves the largest part until there are sixteen of them, or each is one group: at the multiple of the
/// group's size nearest to the middle, along the longest side of its box at rest.
int PointShell::build(Range range, const Matrix3X& rest, std::vector<int>& order) {
  const auto points_of = [&order](int first, int count) {
    return std::span<const int>(order).subspan(static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(count));
  };
  std::vector<Range> parts = {range};
  const auto smaller = [](const Range& a, const Range& b) { return a.count < b.count; };
  while (parts.size() < lane_count) {
    const auto largest = std::max_element(parts.begin(), parts.end(), smaller);
    const auto [first, count] = *largest;
    if (count <= lane_count) break;
    const int half = (count / 2 + lane_count - 1) / lane_count * lane_count;
    const auto begin = order.begin() + first;
    const Index axis = longest_axis(rest, points_of(first, count));
    std::nth_element(begin, begin + half, begin + count, [&](int a, int b) {
      return rest(axis, a) < rest(axis, b) || (rest(axis, a) == rest(axis, b) && a < b);
    });
    *largest = {first, half};
    parts.insert(largest + 1, {first + half, count - half});
  }
  const int made = balls_.add();
  nodes_.emplace_back().count = static_cast<int>(parts.size());
  for (int i = 0; i < static_cast<int>(parts.size()); ++i) {
    const auto [first, count] = parts[static_cast<std::size_t>(i)];
    const std::span<const int> points = points_of(first, count);
    balls_.put(made, i, points);
    nodes_[static_cast<std::size_t>(made)].earliest[static_cast<std::size_t>(i)] =
        *std::min_element(points.begin(), points.end());
    const int below = count <= lane_count ? first / lane_count : -1 - build({first, count}, rest, order);
    nodes_[static_cast<std::size_t>(made)].below[static_cast<std::size_t>(i)] = below;
  }
  return made;
}

void PointShell::write_groups() {
  const auto numbers = static_cast<std::size_t>(rank_ + 1);
  const Index groups = (size() + lane_count - 1) / lane_count;
  auto written =
      std::make_shared<std::vector<float>>(static_cast<std::size_t>(groups) * 3 * lane_count * numbers);
  for (Index i = 0; i < groups * lane_count; ++i) {
    const float* const from = columns(std::min(i, size() - 1)) - 4;
    float* const to = written->data() + static_cast<std::size_t>(i / lane_count) * 3 * lane_count * numbers +
                      i % lane_count;
    for (std::size_t k = 0; k < numbers; ++k)
      for (std::size_t l = 0; l < 3; ++l) to[(3 * k + l) * lane_count] = from[4 * k + l];
  }
  groups_ = std::move(written);
}

LanePlaces PointShell::places(int group, const Coordinates& q) const {
  constexpr std::size_t column = 3 * lane_count;
  const float* const numbers =
      groups_->data() + static_cast<std::size_t>(group) * column * static_cast<std::size_t>(rank_ + 1);
  return follow_lanes(numbers, numbers + column, q.q_.data(), rank_of(q));
}

const float* PointShell::columns(Index point) const {
  return points_.data() + static_cast<std::size_t>(point) * 4 * static_cast<std::size_t>(rank_ + 1) + 4;
}

Vector3 PointShell::rest(Index point) const {
  const float* const x = columns(point) - 4;
  return {x[0], x[1], x[2]};
}

Vector3 PointShell::position(Index point, const Coordinates& q) const {
  const std::size_t stride = 4 * static_cast<std::size_t>(rank_ + 1);
  const Index rank = std::min(rank_, static_cast<Index>(q.q_.size()));
  const Four x = follow(points_.data() + static_cast<std::size_t>(point) * stride, q.q_.data(), rank);
  return {x[0], x[1], x[2]};
}

void PointShell::cover(const Coordinates& q, std::vector<Ball>& balls) const {
  read_cover(balls_.at(0, q.q_.data(), q.sizes_.data(), rank_of(q)), balls);
}

void PointShell::cover_ways(const Coordinates& way, std::vector<Ball>& ways) const {
  read_cover(balls_.ways(0, way.q_.data(), way.sizes_.data(), rank_of(way)), ways);
}

/// Those of the first node.
void PointShell::read_cover(const BallPackets::Packet& packet, std::vector<Ball>& balls) const {
  balls.resize(static_cast<std::size_t>(nodes_.front().count));
  for (int i = 0; i < nodes_.front().count; ++i) {
    const LanePlaces& c = packet.center;
    balls[static_cast<std::size_t>(i)] = {{c.at[0][i], c.at[1][i], c.at[2][i]}, packet.radius[i]};
  }
}

Vector3 PointShell::column(Index point, Index coordinate) const {
  const float* const u = points_.data() + 4 * (rank_ + 1) * point + 4 * (coordinate + 1);
  return Eigen::Vector3f(u[0], u[1], u[2]).cast<double>();
}

}  // namespace limber
