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
  visited_ = 0;
  moving_ = points.moving_ || solid.moving_;
  near_.clear();
  queries_.clear();
  open_.clear();
  wanted_.assign(solid.boxes_.size(), 0);
  between_ = points.pose().position - solid.pose().position;
  for (int l = 0; l < 3; ++l) shift_(l) = static_cast<float>(between_(l));
  // Floats that far from each other do not know where they are to more digits.
  margin_ = static_cast<float>(margin) + 1e-6F * shift_.abs().maxCoeff();
  for (std::size_t p = 0; p < points.around_.size(); ++p) {
    std::uint32_t near = may_meet(solid.whole_, points.around_[p], -shift_, margin_, moving_);
    for (; near != 0; near &= near - 1)
      list_packets(points, static_cast<Index>(p) * lane_count + std::countr_zero(near), solid, own);
  }
  for (std::size_t p = 0; p < wanted_.size(); ++p)
    if (wanted_[p] != 0) solid.fit_missing(p, wanted_[p]);
  std::size_t group = points.boxes_.size();
  for (const Near& pair : near_) {
    if (pair.group != group) last_.fill(-1);
    group = pair.group;
    find_pairs(points, pair, solid, own);
  }
  ask_all(solid);
  tell(touches);
}

/// Where points of a group are if they are in the box of a patch, or come into it, for each of a packet.
struct TouchFinder::Bounds {
  float low[3][lane_count], high[3][lane_count];
};

inline void TouchFinder::bound_points(const SweptBox& around, const SweptBoxes& boxes, Bounds& bounds) const {
  const Lanes none{};
  for (int l = 0; l < 3; ++l) {
    const Lanes back = around.least_way(l) - boxes.most_way[l],
                forth = around.most_way(l) - boxes.least_way[l];
    store_lanes(bounds.low[l], boxes.low[l] - shift_(l) - (forth > none ? forth : none) - margin_);
    store_lanes(bounds.high[l], boxes.high[l] - shift_(l) - (back < none ? back : none) + margin_);
  }
}

/// Whether the ball around a group is near that of a patch: whether the group is worth its own box.
bool TouchFinder::ball_is_near(const RefittedBoxes& points, std::size_t group,
                               const DeformedSolid& solid) const {
  const SweptBox ball = points.around_[group / lane_count].at(static_cast<int>(group % lane_count));
  const SweptMiddle middle = SweptMiddle::of_ball(ball, shift_, moving_);
  for (std::size_t sixteen = 0; sixteen < solid.packets_.size(); ++sixteen) {
    std::uint32_t packets = solid.near_packets(sixteen, ball, shift_, margin_, moving_);
    for (; packets != 0; packets &= packets - 1) {
      const std::size_t packet = sixteen * lane_count + static_cast<std::size_t>(std::countr_zero(packets));
      if (solid.near_balls(packet, ball, middle, shift_, margin_) != 0) return true;
    }
  }
  return false;
}

/// Packets of patches that may be near a group, and which of these have to be computed to know.
void TouchFinder::list_packets(RefittedBoxes& points, Index group, const DeformedSolid& solid,
                               const OwnPatches* own) {
  const auto g = static_cast<std::size_t>(group);
  if (!ball_is_near(points, g, solid)) return;  // if it has its box, too: whatever was asked before
  const SweptBox& box = points.box(group);
  const SweptMiddle middle = SweptMiddle::of_box(box, shift_, moving_);
  for (std::size_t sixteen = 0; sixteen < solid.packets_.size(); ++sixteen) {
    std::uint32_t packets = solid.near_packets(sixteen, box, shift_, margin_, moving_);
    for (; packets != 0; packets &= packets - 1) {
      const std::size_t packet = sixteen * lane_count + static_cast<std::size_t>(std::countr_zero(packets));
      std::uint32_t near = solid.near_patches(packet, box, middle, shift_, margin_);
      if (own != nullptr) near &= ~std::uint32_t{own->of_group_[g * own->packets_ + packet]};
      if (near == 0) continue;
      wanted_[packet] |= near & ~solid.fitted_[packet];
      near_.push_back({g, packet, near});
    }
  }
}

/// Points that may touch the patches of a packet, patch by patch.  One list after the other: the processor
/// cannot foresee what is near, and would wait at each.
void TouchFinder::find_pairs(const RefittedBoxes& points, const Near& pair, const DeformedSolid& solid,
                             const OwnPatches* own) {
  const std::size_t g = pair.group;
  std::uint32_t near =
      pair.patches & may_meet(points.boxes_[g], solid.boxes_[pair.packet], shift_, margin_, moving_);
  visited_ += std::popcount(near);
  if (near == 0) return;
  std::array<Asked, lane_count> asked;
  std::size_t count = 0;
  Bounds bounds;
  bound_points(points.boxes_[g], solid.boxes_[pair.packet], bounds);
  const float* const at = points.positions_.data() + g * 3 * lane_count;
  const LanePlaces x{load_lanes(at), load_lanes(at + lane_count), load_lanes(at + 2 * lane_count)};
  for (; near != 0; near &= near - 1) {
    const int lane = std::countr_zero(near);
    const std::size_t slot = pair.packet * lane_count + static_cast<std::size_t>(lane);
    LaneMask in = LaneMask{} == 0;
    for (int l = 0; l < 3; ++l) in &= (x.at[l] >= bounds.low[l][lane]) & (x.at[l] <= bounds.high[l][lane]);
    std::uint32_t open = bits_of(in);
    if (own != nullptr) open &= ~std::uint32_t{own->lanes_[g * own->packets_ * lane_count + slot]};
    asked[count] = {slot, open};
    count += open != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < count; ++i) list_queries(points, g, asked[i].points, solid, asked[i].slot, own);
}

/// Queries for some of a group, a bit for each.
void TouchFinder::list_queries(const RefittedBoxes& points, std::size_t g, std::uint32_t open,
                               const DeformedSolid& solid, std::size_t slot, const OwnPatches* own) {
  constexpr std::size_t column = 3 * lane_count;
  const float* const at = points.positions_.data() + g * column;
  const float* const ways = points.ways_.data() + g * column;
  const SweptBox box = solid.boxes_[slot / lane_count].at(static_cast<int>(slot % lane_count));
  LanePlaces guesses;
  open &= in_patch(points, g, solid, slot, box, guesses);
  for (; open != 0; open &= open - 1) {
    const int i = std::countr_zero(open);
    const std::size_t point = g * lane_count + static_cast<std::size_t>(i);
    if (static_cast<Index>(point) >= points.tree().size()) break;
    const auto number = static_cast<int>(queries_.size());
    Query& query = queries_.emplace_back();
    query.point = static_cast<int>(point);
    int& last = last_[static_cast<std::size_t>(i)];
    if (last < 0) {
      query.first = number;
      open_.push_back(number);
    } else {
      Query& before = queries_[static_cast<std::size_t>(last)];
      query.first = before.first;
      before.next = number;
    }
    last = number;
    Eigen::Array3f closing;
    for (int l = 0; l < 3; ++l) {
      const float way = ways[l * lane_count + i];
      closing(l) = std::max(std::abs(way - box.least_way(l)), std::abs(way - box.most_way(l)));
    }
    const Vector3 x =
        solid.rotation_.transpose() * (between_ + Vector3(at[i], at[lane_count + i], at[2 * lane_count + i]));
    query.asked.x = x.cast<float>();
    query.asked.guess = {guesses.at[0][i], guesses.at[1][i], guesses.at[2][i]};
    query.asked.reach = margin_ + closing.matrix().norm();
    query.asked.slot = static_cast<int>(slot);
    if (own != nullptr) query.asked.own = own->of_point_.data() + point * own->words_;
  }
}

/// Batches of them, each point's one after the other, until one holds the point.
void TouchFinder::ask_all(DeformedSolid& solid) {
  if (answers_.size() < queries_.size()) answers_.resize(queries_.size());
  const auto query = [&](int number) -> Query& { return queries_[static_cast<std::size_t>(number)]; };
  const auto answer = [&](int number) -> SolidTouch& { return answers_[static_cast<std::size_t>(number)]; };
  while (!open_.empty()) {
    std::array<DeformedSolid::Query*, DeformedSolid::query_batch> batch;
    for (std::size_t done = 0; done < open_.size(); done += batch.size()) {
      const std::size_t count = std::min(batch.size(), open_.size() - done);
      for (std::size_t i = 0; i < count; ++i) {
        batch[i] = &query(open_[done + i]).asked;
        batch[i]->touch = &answer(open_[done + i]);
      }
      solid.ask({batch.data(), count});
    }
    std::size_t left = 0;
    for (const int number : open_) {
      Query& asked = query(number);
      int& nearest = query(asked.first).nearest;
      if (asked.asked.found && (nearest < 0 || nearer(answer(number), answer(nearest)))) {
        asked.tells = nearest < 0;
        nearest = number;
      }
      open_[left] = asked.next;
      left += asked.next >= 0 && (nearest < 0 || !answer(nearest).inside) ? 1 : 0;
    }
    open_.resize(left);
  }
}

void TouchFinder::tell(std::vector<Touch>& touches) {
  for (const Query& query : queries_) {
    if (!query.tells) continue;
    const int nearest = queries_[static_cast<std::size_t>(query.first)].nearest;
    const auto n = static_cast<std::size_t>(nearest);
    touches.push_back({query.point, static_cast<double>(queries_[n].asked.reach), answers_[n]});
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
