#include "limber/contact/refitted_boxes.hpp"

#include "limber/base/error.hpp"
#include "limber/contact/follow.hpp"

#include <algorithm>
#include <array>

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
    : size_(shell.size()), rank_(shell.rank()), numbers_(shell.groups()), rest_(3, shell.size()) {
  Matrix rows(3 * size_, rank_);
  for (Index i = 0; i < size_; ++i) {
    rest_.col(i) = shell.rest(i);
    for (Index k = 0; k < rank_; ++k) rows.block<3, 1>(3 * i, k) = shell.column(i, k);
  }
  balls_ = BallPackets(rest_, rows);
  for (Index g = 0; g < group_count(); ++g) {
    std::array<int, group_size> points;
    for (int i = 0; i < group_size; ++i) points[static_cast<std::size_t>(i)] = point(g, i);
    if (g % lane_count == 0) balls_.add();
    balls_.put(static_cast<int>(g / lane_count), static_cast<int>(g % lane_count), points);
  }
  balls_.finish();
}

RefittedBoxes::RefittedBoxes(std::shared_ptr<const ShellTree> tree) : tree_(std::move(tree)) {
  require(tree_ != nullptr, "boxes without points to refit them to");
  now_.reserve(tree_->rank());
  const auto groups = static_cast<std::size_t>(tree_->group_count());
  positions_.assign(3 * lane_count * groups, 0.0F);
  ways_.assign(3 * lane_count * groups, 0.0F);
  boxes_.resize(groups);
  fitted_.assign(groups, 0);
  around_.resize(static_cast<std::size_t>(tree_->balls_.size()));
  refit(Pose{}, Vector());
}

void RefittedBoxes::refit(const Pose& pose, const VectorRef& q) {
  now_.set(q, tree_->rank(), "shell");
  begin_refit(pose, false, {});
}

void RefittedBoxes::refit(const Pose& pose, const VectorRef& q, const VectorRef& v,
                          const SweptMotion& motion) {
  now_.set(q, v, motion.step, tree_->rank(), "shell");
  begin_refit(pose, true, motion);
}

void RefittedBoxes::begin_refit(const Pose& pose, bool moving, const SweptMotion& motion) {
  pose_ = pose;
  turn_ = pose_.rotation.toRotationMatrix().cast<float>();
  moving_ = moving;
  motion_ = motion;
  computed_ = 0;
  std::fill(fitted_.begin(), fitted_.end(), 0);
  for (std::size_t p = 0; p < around_.size(); ++p)
    bound_followed(tree_->balls_, static_cast<int>(p), now_, moving_, turn_, motion_, around_[p]);
}

void RefittedBoxes::fit(Index group) {
  ++computed_;
  const auto g = static_cast<std::size_t>(group);
  fitted_[g] = 1;
  const auto rank = static_cast<Index>(now_.q.size());
  constexpr std::size_t column = 3 * lane_count;
  const float* const numbers =
      tree_->numbers_->data() + g * column * static_cast<std::size_t>(tree_->rank() + 1);
  const LanePlaces x = turn_lanes(turn_, follow_lanes(numbers, numbers + column, now_.q.data(), rank));
  for (std::size_t l = 0; l < 3; ++l) store_lanes(positions_.data() + g * column + l * lane_count, x.at[l]);
  SweptBox& box = boxes_[g];
  bound_group(x, box.low, box.high);
  LanePlaces way{};
  if (moving_) {
    const Eigen::Vector3f shift = (motion_.step * motion_.velocity).cast<float>();
    const Eigen::Vector3f spin = (motion_.step * motion_.angular_velocity).cast<float>();
    way = turn_lanes(turn_, follow_lanes(nullptr, numbers + column, now_.ways.data(), rank));
    for (int l = 0; l < 3; ++l) {
      const int a = (l + 1) % 3, b = (l + 2) % 3;
      way.at[l] += shift(l) + spin(a) * x.at[b] - spin(b) * x.at[a];
    }
  }
  for (std::size_t l = 0; l < 3; ++l) store_lanes(ways_.data() + g * column + l * lane_count, way.at[l]);
  bound_group(way, box.least_way, box.most_way);
}

Vector3 RefittedBoxes::read(const std::vector<float>& numbers, Index point) const {
  const float* const at = numbers.data() + point / lane_count * 3 * lane_count + point % lane_count;
  return {at[0], at[lane_count], at[2 * lane_count]};
}

Vector3 RefittedBoxes::position(Index point) {
  if (fitted_[static_cast<std::size_t>(point / lane_count)] == 0) fit(point / lane_count);
  return pose_.position + read(positions_, point);
}

Vector3 RefittedBoxes::way(Index point) {
  if (fitted_[static_cast<std::size_t>(point / lane_count)] == 0) fit(point / lane_count);
  return read(ways_, point);
}

}  // namespace limber
