#include "limber/contact/touch_finder.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace limber {

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
  packets_ = static_cast<std::size_t>(solid.balls_.size());
  const auto groups = static_cast<std::size_t>(shell.group_count());
  lanes_.assign(groups * packets_ * lane_count, 0);
  of_group_.assign(groups * packets_, 0);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t slot = 0; slot < solid.order_.size(); ++slot) {
      std::uint32_t lanes = 0;
      for (int i = 0; i < lane_count; ++i)
        lanes |= contains(shell.point(static_cast<Index>(g), i), solid.order_[slot]) ? 1U << i : 0U;
      lanes_[g * packets_ * lane_count + slot] = static_cast<std::uint16_t>(lanes);
      if (lanes + 1 == 1U << lane_count)
        of_group_[g * packets_ + slot / lane_count] = static_cast<std::uint16_t>(
            of_group_[g * packets_ + slot / lane_count] | 1U << (slot % lane_count));
    }
  }
}

void TouchFinder::between(RefittedBoxes& points, DeformedSolid& solid, double margin,
                          std::vector<Touch>& touches) {
  find(points, solid, nullptr, margin, touches);
}

void TouchFinder::within(RefittedBoxes& points, DeformedSolid& solid, const OwnPatches& own, double margin,
                         std::vector<Touch>& touches) {
  find(points, solid, &own, margin, touches);
}

void TouchFinder::find(RefittedBoxes& points, DeformedSolid& solid, const OwnPatches* own, double margin,
                       std::vector<Touch>& touches) {
  const std::size_t slots = points.boxes_.size() * lane_count;
  if (touch_of_.size() < slots) touch_of_.assign(slots, -1);
  const std::size_t patches = solid.boxes_.size() * lane_count;
  if (asked_.size() < patches) {
    near_slots_.resize(patches);
    asked_.resize(patches);
  }
  visited_ = 0;
  between_ = points.pose().position - solid.pose().position;
  for (int l = 0; l < 3; ++l) shift_(l) = static_cast<float>(between_(l));
  // Floats that far from each other do not know where they are to more digits.
  margin_ = static_cast<float>(margin) + 1e-6F * shift_.abs().maxCoeff();
  for (std::size_t p = 0; p < points.around_.size(); ++p) {
    std::uint32_t near = may_meet(solid.whole_, points.around_[p], -shift_, margin_);
    for (; near != 0; near &= near - 1)
      find_group(points, static_cast<Index>(p) * lane_count + std::countr_zero(near), solid, own, touches);
  }
  for (const int slot : found_) touch_of_[static_cast<std::size_t>(slot)] = -1;
  found_.clear();
}

/// Points of the group that are in the box of a patch, or come into it, a bit for each.
inline std::uint32_t TouchFinder::in_box(const RefittedBoxes& points, std::size_t group,
                                         const DeformedSolid& solid, std::size_t slot) const {
  const SweptBox& around = points.boxes_[group];
  const SweptBoxes& boxes = solid.boxes_[slot / lane_count];
  const std::size_t lane = slot % lane_count;
  const float* const at = points.positions_.data() + group * 3 * lane_count;
  LaneMask near = LaneMask{} == 0;
  for (int l = 0; l < 3; ++l) {
    const float back = std::min(around.least_way(l) - boxes.most_way[l][lane], 0.0F);
    const float forth = std::max(around.most_way(l) - boxes.least_way[l][lane], 0.0F);
    const Lanes x = load_lanes(at + l * lane_count);
    near &= (x >= boxes.low[l][lane] - shift_(l) - forth - margin_) &
            (x <= boxes.high[l][lane] - shift_(l) - back + margin_);
  }
  return bits_of(near);
}

/// Whether the ball around a group is near a patch, or near its ball where it was not computed: whether the
/// group is worth its own box.
bool TouchFinder::ball_is_near(const RefittedBoxes& points, std::size_t group,
                               const DeformedSolid& solid) const {
  const SweptBox ball = points.around_[group / lane_count].at(static_cast<int>(group % lane_count));
  for (std::size_t sixteen = 0; sixteen < solid.packets_.size(); ++sixteen) {
    std::uint32_t packets = solid.near_packets(sixteen, ball, shift_, margin_);
    for (; packets != 0; packets &= packets - 1) {
      const std::size_t packet = sixteen * lane_count + static_cast<std::size_t>(std::countr_zero(packets));
      if (may_meet(ball, solid.boxes_[packet], shift_, margin_) != 0) return true;
    }
  }
  return false;
}

/// Patches whose boxes are near that of a group; returns how many.
std::size_t TouchFinder::list_patches(const SweptBox& box, std::size_t group, DeformedSolid& solid,
                                      const OwnPatches* own) {
  std::size_t count = 0;
  for (std::size_t sixteen = 0; sixteen < solid.packets_.size(); ++sixteen) {
    std::uint32_t packets = solid.near_packets(sixteen, box, shift_, margin_);
    for (; packets != 0; packets &= packets - 1) {
      const std::size_t packet = sixteen * lane_count + static_cast<std::size_t>(std::countr_zero(packets));
      std::uint32_t near = solid.near_patches(packet, box, shift_, margin_);
      if (own != nullptr) near &= ~std::uint32_t{own->of_group_[group * own->packets_ + packet]};
      for (; near != 0; near &= near - 1)
        near_slots_[count++] = packet * lane_count + static_cast<std::size_t>(std::countr_zero(near));
    }
  }
  return count;
}

/// One list after the other: the processor cannot foresee what is near, and would wait at each.
void TouchFinder::find_group(RefittedBoxes& points, Index group, DeformedSolid& solid, const OwnPatches* own,
                             std::vector<Touch>& touches) {
  const auto g = static_cast<std::size_t>(group);
  if (points.fitted_[g] == 0 && !ball_is_near(points, g, solid)) return;
  const std::size_t near = list_patches(points.box(group), g, solid, own);
  visited_ += static_cast<Index>(near);
  std::size_t count = 0;
  for (std::size_t i = 0; i < near; ++i) {
    const std::size_t slot = near_slots_[i];
    std::uint32_t open = in_box(points, g, solid, slot);
    if (own != nullptr) open &= ~std::uint32_t{own->lanes_[g * own->packets_ * lane_count + slot]};
    asked_[count] = {slot, open};
    count += open != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < count; ++i)
    ask_points(points, g, asked_[i].points, solid, asked_[i].slot, own, touches);
}

/// Asks for some of a group, a bit for each.
void TouchFinder::ask_points(const RefittedBoxes& points, std::size_t g, std::uint32_t open,
                             DeformedSolid& solid, std::size_t slot, const OwnPatches* own,
                             std::vector<Touch>& touches) {
  constexpr std::size_t column = 3 * lane_count;
  const float* const at = points.positions_.data() + g * column;
  const float* const ways = points.ways_.data() + g * column;
  const SweptBox box = solid.boxes_[slot / lane_count].at(static_cast<int>(slot % lane_count));
  LanePlaces guesses;
  open &= in_patch(points, g, solid, slot, box, guesses);
  for (; open != 0; open &= open - 1) {
    const int i = std::countr_zero(open);
    const std::size_t place = g * lane_count + static_cast<std::size_t>(i);
    if (static_cast<Index>(place) >= points.tree().size()) break;
    const auto point = static_cast<int>(place);
    const int known = touch_of_[place];
    if (known >= 0 && touches[static_cast<std::size_t>(known)].solid.inside) continue;
    Eigen::Array3f closing;
    for (int l = 0; l < 3; ++l) {
      const float way = ways[l * lane_count + i];
      closing(l) = std::max(std::abs(way - box.least_way(l)), std::abs(way - box.most_way(l)));
    }
    const float reach = margin_ + closing.matrix().norm();
    const Vector3 x =
        solid.rotation_.transpose() * (between_ + Vector3(at[i], at[lane_count + i], at[2 * lane_count + i]));
    const Eigen::Vector3f guess(guesses.at[0][i], guesses.at[1][i], guesses.at[2][i]);
    Touch touch;
    const std::uint64_t* const homes =
        own != nullptr ? own->of_point_.data() + static_cast<std::size_t>(point) * own->words_ : nullptr;
    if (!solid.touch_patch(slot, x.cast<float>(), guess, reach, homes, touch.solid)) continue;
    touch.point = point;
    touch.reach = static_cast<double>(reach);
    if (known < 0) {
      touch_of_[place] = static_cast<int>(touches.size());
      found_.push_back(static_cast<int>(place));
      touches.push_back(touch);
    } else if (nearer(touch.solid, touches[static_cast<std::size_t>(known)].solid)) {
      touches[static_cast<std::size_t>(known)] = touch;
    }
  }
}

/// Points whose places may be in the box of the patch at rest, by how it moves: what its box in the world
/// holds beside it where it is turned.  guesses: where they are at rest.
std::uint32_t TouchFinder::in_patch(const RefittedBoxes& points, std::size_t group,
                                    const DeformedSolid& solid, std::size_t slot, const SweptBox& box,
                                    LanePlaces& guesses) const {
  const DeformedSolid::Motions& motions = solid.motions_[slot / lane_count];
  const std::size_t lane = slot % lane_count;
  const RestSolid::Patch& home = solid.rest_->patches_[static_cast<std::size_t>(solid.rest_->order_[slot])];
  const float* const at = points.positions_.data() + group * 3 * lane_count;
  const float* const ways = points.ways_.data() + group * 3 * lane_count;
  LanePlaces x;
  Lanes closing{};  // no less than its length
  float far = 0.0F;
  for (int l = 0; l < 3; ++l) {
    const float world = motions.world.at[l][lane];
    far += std::abs(world) + std::abs(shift_(l));
    x.at[l] = load_lanes(at + l * lane_count) + (shift_(l) - world);
    const Lanes way = load_lanes(ways + l * lane_count);
    const Lanes up = way - box.least_way(l), down = box.most_way(l) - way;
    closing += up > down ? up : down;
  }
  // Twice the digits that the places have.
  const Lanes off = closing + (motions.slack[lane] + margin_ + 2e-6F * far), squared = off * off;
  LaneMask out{};
  for (int k = 0; k < 3; ++k) {
    Lanes& guess = guesses.at[k];
    guess = motions.back[k].at[0][lane] * x.at[0] + motions.back[k].at[1][lane] * x.at[1] +
            motions.back[k].at[2][lane] * x.at[2];
    const Lanes beyond = (guess < 0.0F ? -guess : guess) - home.half(k);
    out |= (beyond > 0.0F) & (beyond * beyond > motions.rows.at[k][lane] * squared);
    guess += home.center(k);
  }
  return ~bits_of(out);
}

}  // namespace limber
