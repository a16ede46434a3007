#include "limber/contact/refitted_boxes.hpp"

#include "limber/base/error.hpp"
#include "limber/contact/follow.hpp"

#include <algorithm>
#include <numeric>

namespace limber {
namespace {

[[gnu::always_inline]] inline void bound_group(const LanePlaces& x, SweptBox::Corner& low,
                                               SweptBox::Corner& high) {
  low.setZero();
  high.setZero();
  for (int l = 0; l < 3; ++l) {
    float numbers[lane_count];
    store_lanes(numbers, x.at[l]);
    Four lows = load_four(numbers), highs = lows;
    for (int i = 4; i < lane_count; i += 4) {
      const Four more = load_four(numbers + i);
      lows = more < lows ? more : lows;
      highs = more > highs ? more : highs;
    }
    const float least = std::min(std::min(lows[0], lows[1]), std::min(lows[2], lows[3]));
    const float most = std::max(std::max(highs[0], highs[1]), std::max(highs[2], highs[3]));
    low(l) = least;
    high(l) = most;
  }
}

}  // namespace

ShellTree::ShellTree(const PointShell& shell)
    : size_(shell.size()), rank_(shell.rank()), rest_(3, shell.size()) {
  for (Index i = 0; i < size_; ++i) rest_.col(i) = shell.rest(i);
  std::vector<int> order(static_cast<std::size_t>(size_));
  std::iota(order.begin(), order.end(), 0);
  build(0, static_cast<int>(size_), order);
  points_ = order;
  points_.resize((order.size() + group_size - 1) / group_size * group_size, order.back());
  slots_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    slots_[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  const std::size_t column = 3 * group_size;
  numbers_.assign(points_.size() / group_size * column * static_cast<std::size_t>(rank_ + 1), 0.0F);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const float* const from = shell.columns(points_[i]) - 4;
    float* const to =
        numbers_.data() + i / group_size * column * static_cast<std::size_t>(rank_ + 1) + i % group_size;
    for (std::size_t k = 0; k <= static_cast<std::size_t>(rank_); ++k)
      for (std::size_t l = 0; l < 3; ++l) to[k * column + l * group_size] = from[4 * k + l];
  }
}

/// At the multiple of the group's size nearest to the middle, along the longest side of their box at rest.
void ShellTree::build(int first, int count, std::vector<int>& order) {
  const std::size_t node = nodes_.size();
  nodes_.push_back({});
  if (count <= group_size) {
    nodes_[node].group = first / group_size;
  } else {
    Vector3 low = rest_.col(order[static_cast<std::size_t>(first)]), high = low;
    for (int i = first; i < first + count; ++i) {
      low = low.cwiseMin(rest_.col(order[static_cast<std::size_t>(i)]));
      high = high.cwiseMax(rest_.col(order[static_cast<std::size_t>(i)]));
    }
    Index axis = 0;
    (high - low).maxCoeff(&axis);
    const int half = (count / 2 + group_size - 1) / group_size * group_size;
    std::nth_element(order.begin() + first, order.begin() + first + half, order.begin() + first + count,
                     [&](int a, int b) {
                       return rest_(axis, a) < rest_(axis, b) || (rest_(axis, a) == rest_(axis, b) && a < b);
                     });
    build(first, half, order);
    build(first + half, count - half, order);
  }
  nodes_[node].next = static_cast<int>(nodes_.size());
}

RefittedBoxes::RefittedBoxes(std::shared_ptr<const ShellTree> tree) : tree_(std::move(tree)) {
  require(tree_ != nullptr, "boxes without points to refit them to");
  now_.reserve(tree_->rank());
  positions_.assign(3 * tree_->points_.size(), 0.0F);
  ways_.assign(3 * tree_->points_.size(), 0.0F);
  boxes_.resize(tree_->nodes_.size());
  refit(Pose{}, Vector());
}

void RefittedBoxes::refit(const Pose& pose, const VectorRef& q) {
  now_.set(q, tree_->rank(), "shell");
  pose_ = pose;
  refit_groups(false, {});
}

void RefittedBoxes::refit(const Pose& pose, const VectorRef& q, const VectorRef& v,
                          const SweptMotion& motion) {
  now_.set(q, v, motion.step, tree_->rank(), "shell");
  pose_ = pose;
  refit_groups(true, motion);
}

void RefittedBoxes::refit_groups(bool moving, const SweptMotion& motion) {
  const Eigen::Matrix3f turn = pose_.rotation.toRotationMatrix().cast<float>();
  const Eigen::Vector3f shift = (motion.step * motion.velocity).cast<float>();
  const Eigen::Vector3f spin = (motion.step * motion.angular_velocity).cast<float>();
  const auto rank = static_cast<Index>(now_.q.size());
  constexpr std::size_t column = 3 * lane_count;
  const std::size_t stride = column * static_cast<std::size_t>(tree_->rank() + 1);
  for (std::size_t n = boxes_.size(); n-- > 0;) {
    const ShellTree::Node& node = tree_->nodes_[n];
    SweptBox& box = boxes_[n];
    if (node.group < 0) {
      box = boxes_[n + 1];
      box.include(boxes_[static_cast<std::size_t>(tree_->nodes_[n + 1].next)]);
      continue;
    }
    const auto g = static_cast<std::size_t>(node.group);
    const float* const numbers = tree_->numbers_.data() + g * stride;
    const LanePlaces x = turn_lanes(turn, follow_lanes(numbers, numbers + column, now_.q.data(), rank));
    for (std::size_t l = 0; l < 3; ++l)
      store_lanes(positions_.data() + g * column + l * lane_count, x.at[l]);
    bound_group(x, box.low, box.high);
    LanePlaces way{};
    if (moving) {
      way = turn_lanes(turn, follow_lanes(nullptr, numbers + column, now_.ways.data(), rank));
      for (int l = 0; l < 3; ++l) {
        const int a = (l + 1) % 3, b = (l + 2) % 3;
        way.at[l] += shift(l) + spin(a) * x.at[b] - spin(b) * x.at[a];
      }
    }
    for (std::size_t l = 0; l < 3; ++l) store_lanes(ways_.data() + g * column + l * lane_count, way.at[l]);
    bound_group(way, box.least_way, box.most_way);
  }
}

Vector3 RefittedBoxes::read(const std::vector<float>& numbers, Index point) const {
  const auto slot = static_cast<std::size_t>(tree_->slots_[static_cast<std::size_t>(point)]);
  const float* const at = numbers.data() + slot / lane_count * 3 * lane_count + slot % lane_count;
  return {at[0], at[lane_count], at[2 * lane_count]};
}

Vector3 RefittedBoxes::position(Index point) const { return pose_.position + read(positions_, point); }
Vector3 RefittedBoxes::way(Index point) const { return read(ways_, point); }

}  // namespace limber
