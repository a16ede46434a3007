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
  /// Around all of them.  moving: not, if all ways are 0.
  [[nodiscard]] SweptBox bounds(bool moving) const {
    SweptBox box;
    for (int l = 0; l < 3; ++l) {
      box.low(l) = least_of(low[l]);
      box.high(l) = -least_of(-high[l]);
      if (!moving) continue;
      box.least_way(l) = least_of(least_way[l]);
      box.most_way(l) = -least_of(-most_way[l]);
    }
    return box;
  }
};

/// Sixteen balls, how their centres go within a step, and how much farther than that their parts go at most.
struct SweptBalls {
  LanePlaces center;
  Lanes radius;  ///< lanes without a ball: minus infinity
  LanePlaces way;
  Lanes spread;

  /// Around each of them and its ways.
  [[nodiscard]] [[gnu::always_inline]] SweptBoxes boxes() const {
    SweptBoxes boxes;
    for (int l = 0; l < 3; ++l) {
      boxes.low[l] = center.at[l] - radius;
      boxes.high[l] = center.at[l] + radius;
      boxes.least_way[l] = way.at[l] - spread;
      boxes.most_way[l] = way.at[l] + spread;
    }
    boxes.set_ends();
    return boxes;
  }
};

/// A box, or a ball, in the axes that such balls have: with a middle and how far it goes around that.
struct SweptMiddle {
  SweptBox::Corner center, half;  ///< half: 0 of a ball
  SweptBox::Corner way;
  float radius;  ///< 0 of a box
  float spread;
  bool moving;  ///< it, or what it is compared with

  static SweptMiddle of_box(const SweptBox& box, const SweptBox::Corner& between, bool moving) {
    const SweptBox::Corner spread = 0.5F * (box.most_way - box.least_way);
    return {.center = 0.5F * (box.low + box.high) + between,
            .half = 0.5F * (box.high - box.low),
            .way = 0.5F * (box.least_way + box.most_way),
            .radius = 0.0F,
            .spread = spread(0) + spread(1) + spread(2),
            .moving = moving};
  }
  /// The box is around a ball.
  static SweptMiddle of_ball(const SweptBox& box, const SweptBox::Corner& between, bool moving) {
    SweptMiddle ball = of_box(box, between, moving);
    ball.radius = ball.half(0);
    ball.half.setZero();
    return ball;
  }
};

/// A bit for each ball that comes within `margin`, along each axis, of a box or a ball while their parts go
/// their ways. Boxes around two balls meet twice as often as the balls do.
[[gnu::always_inline]] inline std::uint32_t balls_near(const SweptMiddle& a, const SweptBalls& b,
                                                       float margin) {
  constexpr float diagonal = 1.7321F, rounding = 1.00001F;
  Lanes reach = b.radius + (a.radius + diagonal * margin), squared{};
  for (int l = 0; l < 3; ++l) {
    const Lanes between = b.center.at[l] - a.center(l);
    const Lanes gap = (between < 0.0F ? -between : between) - a.half(l);
    squared += gap > 0.0F ? gap * gap : Lanes{};
  }
  if (a.moving) {
    reach += b.spread + a.spread;
    for (int l = 0; l < 3; ++l) {
      const Lanes beside = b.way.at[l] - a.way(l);
      reach += beside < 0.0F ? -beside : beside;
    }
  }
  return bits_of((reach >= 0.0F) & (squared <= reach * reach * rounding));
}

/// Boxes around balls of a domain and their ways.  swept: the balls themselves, if wanted.  ways: none where
/// they rest.  turn: of the domain.
[[gnu::always_inline]] inline void bound_balls(const BallPackets::Packet& balls,
                                               const BallPackets::Packet* ways, const Eigen::Matrix3f& turn,
                                               const SweptMotion& motion, SweptBoxes& boxes,
                                               SweptBalls* swept) {
  const LanePlaces center = turn_lanes(turn, balls.center);
  if (swept != nullptr) {
    swept->center = center;
    swept->radius = balls.radius;
    swept->way = LanePlaces{};
    swept->spread = Lanes{};
  }
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
    if (swept != nullptr) swept->way.at[l] = middle;
  }
  if (swept != nullptr) swept->spread = spread;
  boxes.set_ends();
}

/// The same of a packet, which are of the domain's points.
inline void bound_followed(const BallPackets& balls, int packet, const FollowedCoordinates& now, bool moving,
                           const Eigen::Matrix3f& turn, const SweptMotion& motion, SweptBoxes& boxes,
                           SweptBalls* swept = nullptr) {
  const auto rank = static_cast<Index>(now.q.size());
  const BallPackets::Packet at = balls.at(packet, now.q.data(), now.sizes.data(), rank);
  if (!moving) return bound_balls(at, nullptr, turn, motion, boxes, swept);
  const BallPackets::Packet ways = balls.ways(packet, now.ways.data(), now.way_sizes.data(), rank);
  bound_balls(at, &ways, turn, motion, boxes, swept);
}

/// A bit for each of sixteen boxes that comes within `margin` of another one while their parts go their ways,
/// along each axis at the beginning or at the end of these: exactly so for boxes and ways as they are, so it
/// never misses parts that do.  between: from b's origin to a's, m.  moving: not, if all ways are 0.
[[gnu::always_inline]] inline std::uint32_t may_meet(const SweptBox& a, const SweptBoxes& b,
                                                     const SweptBox::Corner& between, float margin,
                                                     bool moving = true) {
  LaneMask meets = b.high[0] >= b.low[0];  // lanes without a box meet nothing, however wide the margin is
  for (int l = 0; l < 3; ++l) {
    const float low = a.low(l) + between(l) - margin, high = a.high(l) + between(l) + margin;
    LaneMask below = low <= b.high[l], above = high >= b.low[l];
    if (moving) {
      below |= low + a.least_way(l) <= b.high_end[l];
      above |= high + a.most_way(l) >= b.low_end[l];
    }
    meets &= below & above;
  }
  return bits_of(meets);
}

}  // namespace limber
