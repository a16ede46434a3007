#include "limber/contact/point_shell.hpp"

#include "limber/base/error.hpp"
#include "limber/contact/follow.hpp"
#include "limber/mesh/farthest_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace limber {
namespace {

constexpr int points_per_leaf = 8;

/// Balls of a cover hold that share of the points at most.
constexpr int cover_share = 16;

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
  build(0, static_cast<int>(count), rest, rows, order);
  find_cover();
  turns_ = order;
  for (const int i : order) {
    vertices_.push_back(chosen[static_cast<std::size_t>(i)]);
    for (int l = 0; l < 4; ++l) points_.push_back(l < 3 ? static_cast<float>(rest(l, i)) : 0.0F);
    for (Index k = 0; k < rank_; ++k)
      for (int l = 0; l < 4; ++l) points_.push_back(l < 3 ? static_cast<float>(rows(3 * i + l, k)) : 0.0F);
  }
}

/// Halves at the middle of the longest side of their box at rest.
void PointShell::build(int first, int count, const Matrix3X& rest, const Matrix& rows,
                       std::vector<int>& order) {
  const std::size_t node = nodes_.size();
  nodes_.push_back({first, count, count <= points_per_leaf, 0, 0.0F,
                    *std::min_element(order.begin() + first, order.begin() + first + count)});
  add_ball(first, count, rest, rows, order);
  if (!nodes_[node].leaf) {
    Vector3 low = rest.col(order[static_cast<std::size_t>(first)]), high = low;
    for (int i = first; i < first + count; ++i) {
      low = low.cwiseMin(rest.col(order[static_cast<std::size_t>(i)]));
      high = high.cwiseMax(rest.col(order[static_cast<std::size_t>(i)]));
    }
    Index axis = 0;
    (high - low).maxCoeff(&axis);
    const int half = count / 2;
    std::nth_element(order.begin() + first, order.begin() + first + half, order.begin() + first + count,
                     [&](int a, int b) {
                       return rest(axis, a) < rest(axis, b) || (rest(axis, a) == rest(axis, b) && a < b);
                     });
    build(first, half, rest, rows, order);
    build(first + half, count - half, rest, rows, order);
  }
  nodes_[node].next = static_cast<int>(nodes_.size());
}

void PointShell::add_ball(int first, int count, const Matrix3X& rest, const Matrix& rows,
                          const std::vector<int>& order) {
  const auto put = [&](const Vector3& x, double last) {
    for (const double number : x) balls_.push_back(static_cast<float>(number));
    balls_.push_back(static_cast<float>(last));
  };
  // Of the columns at the points: their mean, and how far they are from it at most.
  const auto gather = [&](const auto& column) {
    Vector3 mean = Vector3::Zero();
    for (int i = first; i < first + count; ++i) mean += column(order[static_cast<std::size_t>(i)]);
    mean /= count;
    double farthest = 0.0;
    for (int i = first; i < first + count; ++i)
      farthest = std::max(farthest, (column(order[static_cast<std::size_t>(i)]) - mean).norm());
    return std::pair(mean, farthest);
  };
  const auto [center, radius] = gather([&](int i) { return Vector3(rest.col(i)); });
  constexpr double rounding = 1e-6;  // of floats, in sums of some dozen numbers
  nodes_.back().radius = static_cast<float>(radius + rounding * (radius + center.norm()));
  put(center, 0.0);
  for (Index k = 0; k < rank_; ++k) {
    const auto [mean, farthest] = gather([&](int i) { return Vector3(rows.block<3, 1>(3 * i, k)); });
    put(mean, farthest + rounding * (farthest + mean.norm()));
  }
}

void PointShell::find_cover() {
  for (std::size_t n = 0; n < nodes_.size();) {
    const Node& node = nodes_[n];
    const bool small = node.leaf || Index{node.count} * cover_share <= Index{nodes_.front().count};
    if (small) cover_.push_back(n);
    n = small ? static_cast<std::size_t>(node.next) : n + 1;
  }
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

PointShell::Ball PointShell::ball(std::size_t node, const Coordinates& q) const {
  const std::size_t stride = 4 * static_cast<std::size_t>(rank_ + 1);
  const float* const numbers = balls_.data() + node * stride;
  const Index rank = std::min(rank_, static_cast<Index>(q.q_.size()));
  const Four x = follow(numbers, q.q_.data(), rank);
  float radius = nodes_[node].radius;
  for (Index k = 0; k < rank; ++k) radius += q.sizes_[static_cast<std::size_t>(k)] * numbers[4 * (k + 1) + 3];
  return {{x[0], x[1], x[2]}, radius};
}

PointShell::Ball PointShell::cover(Index i, const Coordinates& q) const {
  return ball(cover_[static_cast<std::size_t>(i)], q);
}

PointShell::Ball PointShell::cover_way(Index i, const Coordinates& way) const {
  const std::size_t node = cover_[static_cast<std::size_t>(i)];
  const float* const numbers = balls_.data() + node * 4 * static_cast<std::size_t>(rank_ + 1);
  const Ball moved = ball(node, way);
  return {moved.center - Vector3(numbers[0], numbers[1], numbers[2]),
          moved.radius - static_cast<double>(nodes_[node].radius)};
}

Vector3 PointShell::column(Index point, Index coordinate) const {
  const float* const u = points_.data() + 4 * (rank_ + 1) * point + 4 * (coordinate + 1);
  return Eigen::Vector3f(u[0], u[1], u[2]).cast<double>();
}

}  // namespace limber
