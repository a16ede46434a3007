#pragma once

#include "limber/linalg/types.hpp"
#include "limber/warp/pose.hpp"

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

/// Whether two boxes come within `margin` of each other while their parts go their ways: exactly so for boxes
/// and ways as they are, so it never misses parts that do.  between: from b's origin to a's, m.
[[gnu::always_inline]] inline bool may_meet(const SweptBox& a, const SweptBox& b,
                                            const SweptBox::Corner& between, float margin) {
  const SweptBox::Corner back = (a.least_way - b.most_way).min(0.0F),
                         forth = (a.most_way - b.least_way).max(0.0F);
  const SweptBox::Corner low = a.low + back + between - margin, high = a.high + forth + between + margin;
  return ((low <= b.high) && (high >= b.low)).all();
}

}  // namespace limber
