#include "limber/contact/touch_finder.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr int lanes_of_group = ShellTree::group_size;

using TouchLanes = float __attribute__((vector_size(4 * lanes_of_group)));
using TouchMask = int __attribute__((vector_size(4 * lanes_of_group)));

/// All bits of the lanes whose number is between two bounds.
[[gnu::always_inline]] inline TouchMask between_bounds(const float* numbers, float low, float high) {
  TouchLanes x;
  __builtin_memcpy(&x, numbers, sizeof x);
  return (x >= low) & (x <= high);
}

}  // namespace

OwnPatches::OwnPatches(const ShellTree& shell, const RestSolid& solid) {
  const auto patches = static_cast<int>(solid.patch_count());
  words_ = (static_cast<std::size_t>(patches) + 63) / 64;
  of_point_.assign(words_ * static_cast<std::size_t>(shell.size()), 0);
  for (Index i = 0; i < shell.size(); ++i) {
    const int home = solid.patch_of(solid.locate(shell.rest(i)));
    for (int p = 0; p < patches; ++p)
      if (solid.adjacent(home, p))
        of_point_[static_cast<std::size_t>(i) * words_ + static_cast<std::size_t>(p) / 64] |= std::uint64_t{1}
                                                                                              << (p % 64);
  }
  of_group_.assign(words_ * static_cast<std::size_t>(shell.group_count()), ~std::uint64_t{0});
  for (Index g = 0; g < shell.group_count(); ++g)
    for (int i = 0; i < ShellTree::group_size; ++i)
      for (std::size_t w = 0; w < words_; ++w)
        of_group_[static_cast<std::size_t>(g) * words_ + w] &=
            of_point_[static_cast<std::size_t>(shell.point(g, i)) * words_ + w];
}

void TouchFinder::between(const RefittedBoxes& points, DeformedSolid& solid, double margin,
                          std::vector<Touch>& touches) {
  find(points, solid, nullptr, margin, touches);
}

void TouchFinder::within(const RefittedBoxes& points, DeformedSolid& solid, const OwnPatches& own,
                         double margin, std::vector<Touch>& touches) {
  find(points, solid, &own, margin, touches);
}

void TouchFinder::find(const RefittedBoxes& points, DeformedSolid& solid, const OwnPatches* own,
                       double margin, std::vector<Touch>& touches) {
  const std::vector<ShellTree::Node>& groups = points.tree().nodes_;
  const std::vector<RestSolid::Node>& patches = solid.rest_->nodes_;
  if (touch_of_.size() < points.tree().points_.size()) touch_of_.assign(points.tree().points_.size(), -1);
  visited_ = 0;
  between_ = points.pose().position - solid.pose().position;
  const SweptBox::Corner shift{static_cast<float>(between_.x()), static_cast<float>(between_.y()),
                               static_cast<float>(between_.z()), 0.0F};
  // Floats that far from each other do not know where they are to more digits.
  const float wide = static_cast<float>(margin) + 1e-6F * shift.abs().maxCoeff();
  pending_.clear();
  // Only pairs that meet are kept.
  const auto put = [&](int a, int b) {
    if (may_meet(points.boxes_[static_cast<std::size_t>(a)], solid.boxes_[static_cast<std::size_t>(b)], shift,
                 wide))
      pending_.emplace_back(a, b);
  };
  put(0, 0);
  while (!pending_.empty()) {
    const auto [a, b] = pending_.back();
    pending_.pop_back();
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const bool group = groups[i].group >= 0, patch = patches[j].patch >= 0;
    if (group && patch) {
      if (own == nullptr || !own->bit(own->of_group_, groups[i].group, patches[j].patch))
        look_at(points, i, solid, j, own, wide, touches);
    } else if (group || (!patch && patches[j].next - b > groups[i].next - a)) {
      put(a, patches[j + 1].next);
      put(a, b + 1);
    } else {
      put(groups[i + 1].next, b);
      put(a + 1, b);
    }
  }
  for (const int slot : found_) touch_of_[static_cast<std::size_t>(slot)] = -1;
  found_.clear();
}

void TouchFinder::look_at(const RefittedBoxes& points, std::size_t leaf, DeformedSolid& solid,
                          std::size_t node, const OwnPatches* own, float margin,
                          std::vector<Touch>& touches) {
  ++visited_;
  const SweptBox &around = points.boxes_[leaf], &box = solid.boxes_[node];
  const int group = points.tree().nodes_[leaf].group;
  const int patch = solid.rest_->nodes_[node].patch;
  constexpr std::size_t column = 3 * lanes_of_group;
  const float* const at = points.positions_.data() + static_cast<std::size_t>(group) * column;
  const float* const ways = points.ways_.data() + static_cast<std::size_t>(group) * column;
  TouchMask near{};
  near = near == 0;
  for (int l = 0; l < 3; ++l) {
    const auto shift = static_cast<float>(between_(l));
    const float back = std::min(around.least_way(l) - box.most_way(l), 0.0F);
    const float forth = std::max(around.most_way(l) - box.least_way(l), 0.0F);
    near &= between_bounds(at + l * lanes_of_group, box.low(l) - shift - forth - margin,
                           box.high(l) - shift - back + margin);
  }
  std::uint64_t halves[lanes_of_group / 2];
  __builtin_memcpy(halves, &near, sizeof near);
  std::uint64_t any = 0;
  for (const std::uint64_t half : halves) any |= half;
  if (any == 0) return;
  for (int i = 0; i < lanes_of_group; ++i) {
    if ((halves[i / 2] >> (32 * (i % 2)) & 1) == 0) continue;
    const auto slot = static_cast<std::size_t>(group * lanes_of_group + i);
    if (static_cast<Index>(slot) >= points.tree().size()) break;
    const int point = points.tree().points_[slot];
    if (own != nullptr && own->bit(own->of_point_, point, patch)) continue;
    const int known = touch_of_[slot];
    if (known >= 0 && touches[static_cast<std::size_t>(known)].solid.inside) continue;
    Eigen::Array3f closing;
    for (int l = 0; l < 3; ++l) {
      const float way = ways[l * lanes_of_group + i];
      closing(l) = std::max(std::abs(way - box.least_way(l)), std::abs(way - box.most_way(l)));
    }
    const float reach = margin + closing.matrix().norm();
    const Vector3 x = solid.rotation_.transpose() *
                      (between_ + Vector3(at[i], at[lanes_of_group + i], at[2 * lanes_of_group + i]));
    Touch touch;
    const std::uint64_t* const homes =
        own != nullptr ? own->of_point_.data() + static_cast<std::size_t>(point) * own->words_ : nullptr;
    if (!solid.touch_patch(patch, x.cast<float>(), reach, homes, touch.solid)) continue;
    touch.point = point;
    touch.reach = static_cast<double>(reach);
    if (known < 0) {
      touch_of_[slot] = static_cast<int>(touches.size());
      found_.push_back(static_cast<int>(slot));
      touches.push_back(touch);
    } else if (nearer(touch.solid, touches[static_cast<std::size_t>(known)].solid)) {
      touches[static_cast<std::size_t>(known)] = touch;
    }
  }
}

}  // namespace limber
