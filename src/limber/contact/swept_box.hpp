#pragma once

#include "limber/contact/ball_packets.hpp"
#include "limber/contact/follow.hpp"
#include "limber/warp/pose.hpp"

#include <limits>

namespace limber {

/// How the frame of a domain moves within a step, and how long that is.
struct SweptMotion {
  Vector3 velocity = Vector3::Zero();          ///< of its origin, m/s, in world axes
  Vector3 angular_velocity = Vector3::Zero();  ///< rad/s, in world axes
  double step = 0.0;                           ///< s
};

/// A box in world axes around parts of a body, from the origin of the body's frame, and a box of the ways
/// that they go within a step, as they move at its beginning: h v. Four numbers each, the last of them 0.
struct SweptBox {
  using Corner = Eigen::Array4f;

  Corner low = Corner::Zero(), high = Corner::Zero();            ///< m
  Corner least_way = Corner::Zero(), most_way = Corner::Zero();  ///< m

  void include(const SweptBox& other) {
    low = low.min(other.low);
    high = high.max(other.high);
    least_way = least_way.min(other.least_way);
    most_way = most_way.max(other.most_way);
  }
};

/// Sixteen of them. A corner at the end of the step is where its least way, or its largest, takes it.
struct SweptBoxes {
  Lanes low[3], high[3], least_way[3], most_way[3];
  Lanes low_end[3], high_end[3];

  /// No place is in any of them.
  void clear() {
    for (int l = 0; l < 3; ++l) {
      low[l] = Lanes{} + std::numeric_limits<float>::infinity();
      high[l] = -low[l];
      least_way[l] = most_way[l] = Lanes{};
    }
    set_ends();
  }
  /// Of the others, once these are set.
  void set_ends() {
    for (int l = 0; l < 3; ++l) {
      low_end[l] = low[l] + least_way[l];
      high_end[l] = high[l] + most_way[l];
    }
  }
  void set(int lane, const SweptBox& box) {
    for (int l = 0; l < 3; ++l) {
      low[l][lane] = box.low(l);
      high[l][lane] = box.high(l);
      least_way[l][lane] = box.least_way(l);
      most_way[l][lane] = box.most_way(l);
      low_end[l][lane] = box.low(l) + box.least_way(l);
      high_end[l][lane] = box.high(l) + box.most_way(l);
    }
  }
  [[nodiscard]] SweptBox at(int lane) const {
    SweptBox box;
    for (int l = 0; l < 3; ++l) {
      box.low(l) = low[l][lane];
      box.high(l) = high[l][lane];
      box.least_way(l) = least_way[l][lane];
      box.most_way(l) = most_way[l][lane];
    }
    return box;
  }
  /// Around all of them.
  [[nodiscard]] SweptBox bounds() const {
    SweptBox box;
    for (int l = 0; l < 3; ++l) {
      box.low(l) = least_of(low[l]);
      box.high(l) = -least_of(-high[l]);
      box.least_way(l) = least_of(least_way[l]);
      box.most_way(l) = -least_of(-most_way[l]);
    }
    return box;
  }
};

/// Boxes around balls of a domain and their ways.  ways: none where they rest.  turn: of the domain.
[[gnu::always_inline]] inline void bound_balls(const BallPackets::Packet& balls,
                                               const BallPackets::Packet* ways, const Eigen::Matrix3f& turn,
                                               const SweptMotion& motion, SweptBoxes& boxes) {
  const LanePlaces center = turn_lanes(turn, balls.center);
  for (int l = 0; l < 3; ++l) {
    boxes.low[l] = center.at[l] - balls.radius;
    boxes.high[l] = center.at[l] + balls.radius;
    boxes.least_way[l] = boxes.most_way[l] = Lanes{};
  }
  if (ways == nullptr) return boxes.set_ends();
  const Eigen::Vector3f shift = (motion.step * motion.velocity).cast<float>();
  const Eigen::Vector3f spin = (motion.step * motion.angular_velocity).cast<float>();
  const LanePlaces way = turn_lanes(turn, ways->center);
  // Of lanes without a ball nothing turns.
  const Lanes none{}, radius = balls.radius > none ? balls.radius : none;
  const Lanes spread = ways->radius + spin.norm() * radius;
  for (int l = 0; l < 3; ++l) {
    const int a = (l + 1) % 3, b = (l + 2) % 3;
    const Lanes middle = way.at[l] + (shift(l) + (spin(a) * center.at[b] - spin(b) * center.at[a]));
    boxes.least_way[l] = middle - spread;
    boxes.most_way[l] = middle + spread;
  }
  boxes.set_ends();
}

/// The same of a packet, which are of the domain's points.
inline void bound_followed(const BallPackets& balls, int packet, const FollowedCoordinates& now, bool moving,
                           const Eigen::Matrix3f& turn, const SweptMotion& motion, SweptBoxes& boxes) {
  const auto rank = static_cast<Index>(now.q.size());
  const BallPackets::Packet at = balls.at(packet, now.q.data(), now.sizes.data(), rank);
  if (!moving) return bound_balls(at, nullptr, turn, motion, boxes);
  const BallPackets::Packet ways = balls.ways(packet, now.ways.data(), now.way_sizes.data(), rank);
  bound_balls(at, &ways, turn, motion, boxes);
}

/// A bit for each of sixteen boxes that comes within `margin` of another one while their parts go their ways,
/// along each axis at the beginning or at the end of these: exactly so for boxes and ways as they are, so it
/// never misses parts that do.  between: from b's origin to a's, m.
[[gnu::always_inline]] inline std::uint32_t may_meet(const SweptBox& a, const SweptBoxes& b,
                                                     const SweptBox::Corner& between, float margin) {
  LaneMask meets = b.high[0] >= b.low[0];  // lanes without a box meet nothing, however wide the margin is
  for (int l = 0; l < 3; ++l) {
    const float low = a.low(l) + between(l) - margin, high = a.high(l) + between(l) + margin;
    const float low_end = low + a.least_way(l), high_end = high + a.most_way(l);
    meets &=
        ((low <= b.high[l]) | (low_end <= b.high_end[l])) & ((high >= b.low[l]) | (high_end >= b.low_end[l]));
  }
  return bits_of(meets);
}

}  // namespace limber
