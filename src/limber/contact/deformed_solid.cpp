#include "limber/contact/deformed_solid.hpp"

#include "limber/base/error.hpp"
#include "limber/contact/follow.hpp"
#include "limber/contact/lanes.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Of floats, in sums of some dozen numbers.
constexpr float map_rounding = 1e-6F;

[[gnu::always_inline]] inline Lanes size_of_lanes(const Lanes& x) { return x < 0.0F ? -x : x; }

[[gnu::always_inline]] inline Lanes sum_of_sizes(const LanePlaces& x) {
  return size_of_lanes(x.at[0]) + size_of_lanes(x.at[1]) + size_of_lanes(x.at[2]);
}

[[gnu::always_inline]] inline Lanes dot_lanes(const LanePlaces& a, const LanePlaces& b) {
  return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

[[gnu::always_inline]] inline LanePlaces cross_lanes(const LanePlaces& a, const LanePlaces& b) {
  LanePlaces c;
  for (int l = 0; l < 3; ++l) {
    const int i = (l + 1) % 3, j = (l + 2) % 3;
    c.at[l] = a.at[i] * b.at[j] - a.at[j] * b.at[i];
  }
  return c;
}

/// How far the places of boxes go from their middles, along each axis, where linear maps take them.
[[gnu::always_inline]] inline LanePlaces reach_of_boxes(const LanePlaces slope[3], const LanePlaces& half) {
  LanePlaces reach;
  for (int l = 0; l < 3; ++l)
    reach.at[l] = size_of_lanes(slope[0].at[l]) * half.at[0] + size_of_lanes(slope[1].at[l]) * half.at[1] +
                  size_of_lanes(slope[2].at[l]) * half.at[2];
  return reach;
}

SweptBox::Corner corner_of(const Eigen::Vector3f& x) { return {x.x(), x.y(), x.z(), 0.0F}; }

}  // namespace

DeformedSolid::DeformedSolid(std::shared_ptr<const RestSolid> rest)
    : DeformedSolid(std::move(rest), PieceField{}) {}

DeformedSolid::DeformedSolid(std::shared_ptr<const RestSolid> rest, PieceField field)
    : rest_(std::move(rest)), piece_(std::move(field)) {
  require(rest_ != nullptr, "a deformed solid without a solid at rest");
  require(rest_->has_field() != (piece_.whole != nullptr),
          "a solid with {} of distances, expected one: its own, or that of the whole",
          rest_->has_field() ? "two fields" : "no field");
  now_.reserve(rest_->rank());
  sizes_.resize(rest_->maps_.bound_count());
  way_sizes_.resize(rest_->maps_.bound_count());
  repeated_.resize(4 * static_cast<std::size_t>(rest_->rank()));
  const auto packets = static_cast<std::size_t>(rest_->balls_.size());
  motions_.resize(packets);
  fitted_.assign(packets, 0);
  for (std::size_t left = rest_->patches_.size(); all_.size() < packets; left -= lane_count)
    all_.push_back(left < lane_count ? (1U << left) - 1 : (1U << lane_count) - 1);
  boxes_.resize(packets);
  balls_.resize(packets);
  packets_.resize((packets + lane_count - 1) / lane_count);
  positions_.resize(4 * static_cast<std::size_t>(rest_->vertex_count()));
  time_of_.assign(static_cast<std::size_t>(rest_->vertex_count()), 0);
  refit(Pose{}, Vector());
}

SurfaceDistance DeformedSolid::rest_distance(const Vector3& X) const {
  if (!piece_.whole) return rest_->field().distance(X);
  const SurfaceDistance found =
      piece_.whole->distance(piece_.position + piece_.rotation * (piece_.scale * X));
  return {found.distance / piece_.scale, piece_.rotation.transpose() * found.normal};
}

double DeformedSolid::rest_distance_alone(const Vector3& X) const {
  if (!piece_.whole) return rest_->field().distance_alone(X);
  return piece_.whole->distance_alone(piece_.position + piece_.rotation * (piece_.scale * X)) / piece_.scale;
}

double DeformedSolid::cell() const {
  return piece_.whole ? piece_.whole->cell() / piece_.scale : rest_->field().cell();
}

void DeformedSolid::refit(const Pose& pose, const VectorRef& q) {
  now_.set(q, rest_->rank(), "solid");
  begin_refit(pose, false, {});
}

void DeformedSolid::refit(const Pose& pose, const VectorRef& q, const VectorRef& v,
                          const SweptMotion& motion) {
  now_.set(q, v, motion.step, rest_->rank(), "solid");
  begin_refit(pose, true, motion);
}

void DeformedSolid::refit_vertices(const Pose& pose, const Matrix3X& places) {
  require(places.cols() == rest_->vertex_count() && !rest_->fits_.empty(),
          "{} places for a solid of {} vertices that {}", places.cols(), rest_->vertex_count(),
          rest_->fits_.empty() ? "coordinates move" : "move by themselves");
  begin_refit(pose, false, {});
  for (Index v = 0; v < places.cols(); ++v)
    for (Index l = 0; l < 3; ++l)
      positions_[static_cast<std::size_t>(4 * v + l)] = static_cast<float>(places(l, v));
  std::fill(time_of_.begin(), time_of_.end(), time_);
  computed_ = places.cols();
  for (std::size_t p = 0; p < motions_.size(); ++p) {
    fitted_[p] = all_[p];
    PatchLanes maps{};
    for (std::uint32_t left = all_[p]; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      fit_vertices(static_cast<std::size_t>(rest_->order_[p * lane_count + static_cast<std::size_t>(lane)]),
                   lane, maps);
    }
    LaneMask all;
    set_lanes(all_[p], all);
    set_motions(p, maps, all);
    const Lanes infinite = Lanes{} + std::numeric_limits<float>::infinity();
    balls_[p].radius = all ? infinite : -infinite;  // nothing is known of them
  }
  computed_patches_ = rest_->patch_count();
  join_packets();
}

void DeformedSolid::fit_vertices(std::size_t patch, int lane, PatchLanes& maps) const {
  const RestSolid::PatchFit& fit = rest_->fits_[patch];
  const auto rest = [&](int v) {
    return Eigen::Map<const Eigen::Vector3f>(rest_->rest_of(v)).cast<double>().eval();
  };
  const auto moved = [&](int v) {
    return (Eigen::Map<const Eigen::Vector3f>(&positions_[4 * static_cast<std::size_t>(v)]).cast<double>() -
            rest(v))
        .eval();
  };
  Vector3 middle = Vector3::Zero();
  Matrix3 products = Matrix3::Zero();
  for (const int v : fit.vertices) {
    const Vector3 u = moved(v);
    middle += u / static_cast<double>(fit.vertices.size());
    products += u * (rest(v) - fit.affine.mean).transpose();
  }
  const Matrix3 slope = products * fit.affine.inverse;
  double left = 0.0;
  for (const int v : fit.vertices)
    left = std::max(left, (moved(v) - middle - slope * (rest(v) - fit.affine.mean)).norm());
  const Vector3 center = rest_->patches_[patch].center.cast<double>();
  const Vector3 place = center + middle + slope * (center - fit.affine.mean);
  for (int l = 0; l < 3; ++l) {
    maps.place.at[l][lane] = static_cast<float>(place(l));
    for (int i = 0; i < 3; ++i)
      maps.slope[i].at[l][lane] = static_cast<float>((l == i ? 1.0 : 0.0) + slope(l, i));
  }
  maps.slack[lane] = static_cast<float>(left);
}

void DeformedSolid::begin_refit(const Pose& pose, bool moving, const SweptMotion& motion) {
  ++time_;
  computed_ = computed_patches_ = 0;
  pose_ = pose;
  rotation_ = pose_.rotation.toRotationMatrix();
  moving_ = moving;
  motion_ = motion;
  std::copy(now_.sizes.begin(), now_.sizes.end(), sizes_.begin());
  std::fill(sizes_.begin() + static_cast<std::ptrdiff_t>(now_.q.size()), sizes_.end(), 0.0F);
  std::copy(now_.way_sizes.begin(), now_.way_sizes.end(), way_sizes_.begin());
  std::fill(way_sizes_.begin() + static_cast<std::ptrdiff_t>(now_.q.size()), way_sizes_.end(), 0.0F);
  for (std::size_t k = 0; k < now_.q.size(); ++k)
    std::fill_n(repeated_.begin() + static_cast<std::ptrdiff_t>(4 * k), 4, now_.q[k]);
  const Eigen::Matrix3f turn = rotation_.cast<float>();
  for (std::size_t p = 0; p < boxes_.size(); ++p) {
    fitted_[p] = 0;
    bound_followed(rest_->balls_, static_cast<int>(p), now_, moving_, turn, motion_, boxes_[p], &balls_[p]);
  }
  join_packets();
}

void DeformedSolid::join_packets() {
  for (SweptBoxes& sixteen : packets_) sixteen.clear();
  for (std::size_t p = 0; p < boxes_.size(); ++p)
    packets_[p / lane_count].set(static_cast<int>(p % lane_count), boxes_[p].bounds(moving_));
  whole_ = packets_.front().bounds(moving_);
  for (const SweptBoxes& sixteen : packets_) whole_.include(sixteen.bounds(moving_));
}

void DeformedSolid::fit_missing(std::size_t packet, std::uint32_t missing) {
  fitted_[packet] |= missing;
  computed_patches_ += std::popcount(missing);
  const auto rank = static_cast<Index>(now_.q.size());
  LaneMask of;
  set_lanes(missing, of);
  PatchLanes maps{}, change{};
  for (std::uint32_t left = missing; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::size_t slot = packet * lane_count + static_cast<std::size_t>(lane);
    rest_->maps_.write(slot, now_.q.data(), sizes_.data(), rank, lane, maps);
    if (moving_) rest_->maps_.write_change(slot, now_.ways.data(), way_sizes_.data(), rank, lane, change);
  }
  set_motions(packet, maps, of);
  if (moving_) set_ways(packet, maps, change, of);
}

/// What patches are asked for, and boxes around them, at rest within the step.  of: those that are meant.
void DeformedSolid::set_motions(std::size_t packet, const PatchLanes& maps, const LaneMask& of) {
  const Eigen::Matrix3f turn = rotation_.cast<float>();
  const LanePlaces& half = rest_->halves_[packet];
  const auto set = [&of](Lanes & to, const Lanes& x) __attribute__((always_inline)) { to = of ? x : to; };
  Motions& now = motions_[packet];
  SweptBoxes& boxes = boxes_[packet];
  const Lanes none{}, slack = maps.slack + map_rounding * (sum_of_sizes(maps.place) + sum_of_sizes(half));
  const LanePlaces world = turn_lanes(turn, maps.place);
  LanePlaces slope[3];
  for (int i = 0; i < 3; ++i) slope[i] = turn_lanes(turn, maps.slope[i]);
  const LanePlaces reach = reach_of_boxes(slope, half);
  set(now.slack, slack);
  for (int l = 0; l < 3; ++l) {
    set(now.world.at[l], world.at[l]);
    set(boxes.low[l], world.at[l] - (reach.at[l] + slack));
    set(boxes.high[l], world.at[l] + (reach.at[l] + slack));
    set(boxes.least_way[l], none);
    set(boxes.most_way[l], none);
  }
  boxes.set_ends();
  LanePlaces back[3];
  for (int k = 0; k < 3; ++k) back[k] = cross_lanes(slope[(k + 1) % 3], slope[(k + 2) % 3]);
  const Lanes volume = dot_lanes(slope[0], back[0]);
  // Squeezed to nothing or turned over: there is no guess, and nothing is excluded.
  constexpr float least_volume = 1e-3F;
  const Lanes infinite = none + std::numeric_limits<float>::infinity();
  const LaneMask known = volume > least_volume;
  for (LanePlaces& row : back)
    for (Lanes& numbers : row.at) numbers = known ? numbers / volume : none;
  Lanes rows[3], beside[3];
  for (int k = 0; k < 3; ++k) {
    rows[k] = known ? dot_lanes(back[k], back[k]) : infinite;
    beside[k] = size_of_lanes(dot_lanes(back[k], back[(k + 1) % 3]));
  }
  // The square of a matrix's norm is no more than the largest sum of sizes in a row of B B^T.
  Lanes stretch = none;
  for (int k = 0; k < 3; ++k) {
    const Lanes sum = rows[k] + beside[k] + beside[(k + 2) % 3];
    stretch = sum > stretch ? sum : stretch;
    set(now.rows.at[k], rows[k]);
    for (int l = 0; l < 3; ++l) set(now.back[k].at[l], back[k].at[l]);
  }
  set(now.stretch, stretch);
}

/// The ways of their boxes.  change: of the maps within the step.
void DeformedSolid::set_ways(std::size_t packet, const PatchLanes& maps, PatchLanes& change,
                             const LaneMask& of) {
  const Eigen::Matrix3f turn = rotation_.cast<float>();
  const Eigen::Vector3f shift = (motion_.step * motion_.velocity).cast<float>();
  const Eigen::Vector3f spin = (motion_.step * motion_.angular_velocity).cast<float>();
  LanePlaces spins;
  for (int l = 0; l < 3; ++l) spins.at[l] = Lanes{} + spin(l);
  const LanePlaces way = turn_lanes(turn, change.place), spun = cross_lanes(spins, motions_[packet].world);
  for (int i = 0; i < 3; ++i) {
    change.slope[i] = turn_lanes(turn, change.slope[i]);
    const LanePlaces along = cross_lanes(spins, turn_lanes(turn, maps.slope[i]));
    for (int l = 0; l < 3; ++l) change.slope[i].at[l] += along.at[l];
  }
  const LanePlaces reach = reach_of_boxes(change.slope, rest_->halves_[packet]);
  SweptBoxes& boxes = boxes_[packet];
  for (int l = 0; l < 3; ++l) {
    const Lanes middle = way.at[l] + (shift(l) + spun.at[l]);
    const Lanes spread = reach.at[l] + (change.slack + spin.norm() * motions_[packet].slack);
    boxes.least_way[l] = of ? middle - spread : boxes.least_way[l];
    boxes.most_way[l] = of ? middle + spread : boxes.most_way[l];
  }
  boxes.set_ends();
}

SweptBox DeformedSolid::box(int patch) {
  const auto slot = static_cast<std::size_t>(rest_->slots_[static_cast<std::size_t>(patch)]);
  const std::uint32_t bit = 1U << (slot % lane_count);
  if ((fitted_[slot / lane_count] & bit) == 0) fit_missing(slot / lane_count, bit);
  return boxes_[slot / lane_count].at(static_cast<int>(slot % lane_count));
}

bool DeformedSolid::touch(const Vector3& x, double reach, SolidTouch& touch) {
  const auto within = static_cast<float>(reach);
  SweptBox at;
  const Eigen::Vector3f at_place = (rotation_ * x).cast<float>();
  at.low = at.high = corner_of(at_place);
  const SweptBox::Corner origin = SweptBox::Corner::Zero();
  const SweptMiddle middle = SweptMiddle::of_box(at, origin, moving_);
  SolidTouch found;
  Query query{.x = x.cast<float>(), .reach = within, .touch = &found};
  Query* const asked = &query;
  bool any = false;
  for (std::size_t sixteen = 0; sixteen < packets_.size(); ++sixteen) {
    for (std::uint32_t packets = near_packets(sixteen, at, origin, within, moving_); packets != 0;
         packets &= packets - 1) {
      const std::size_t packet = sixteen * lane_count + static_cast<std::size_t>(std::countr_zero(packets));
      std::uint32_t near = near_patches(packet, at, middle, origin, within);
      if (const std::uint32_t missing = near & ~fitted_[packet]; missing != 0) {
        fit_missing(packet, missing);
        near &= may_meet(at, boxes_[packet], origin, within, moving_);
      }
      for (; near != 0; near &= near - 1) {
        const auto slot = packet * lane_count + static_cast<std::size_t>(std::countr_zero(near));
        if (!may_hold(slot, at_place, within, query.guess)) continue;
        query.slot = static_cast<int>(slot);
        ask({&asked, 1});
        if (!query.found || (any && !nearer(found, touch))) continue;
        touch = found;
        any = true;
        if (touch.inside) return true;
      }
    }
  }
  return any;
}

/// Whether the box of a patch at rest may hold a place of the world, by how it moves.  guess: where it is at
/// rest.
bool DeformedSolid::may_hold(std::size_t slot, const Eigen::Vector3f& x, float reach,
                             Eigen::Vector3f& guess) const {
  const Motions& motions = motions_[slot / lane_count];
  const auto lane = static_cast<int>(slot % lane_count);
  const RestSolid::Patch& home = rest_->patches_[static_cast<std::size_t>(rest_->order_[slot])];
  const float off = motions.slack[lane] + reach;
  guess.setZero();
  for (int k = 0; k < 3; ++k) {
    for (int l = 0; l < 3; ++l) guess(k) += motions.back[k].at[l][lane] * (x(l) - motions.world.at[l][lane]);
    const float beyond = std::abs(guess(k)) - home.half(k);
    if (beyond > 0.0F && beyond * beyond > motions.rows.at[k][lane] * (off * off)) return false;
  }
  guess += home.center;
  return true;
}

}  // namespace limber
