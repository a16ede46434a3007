#pragma once

#include "limber/body/body.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/warp/warp_distortion.hpp"

namespace limber {

/// What is noted of a body while it moves, for whoever wants to know how far its method can be trusted.
class BodyWatch {
 public:
  explicit BodyWatch(const Body& body);

  /// After a step.  step: its number, from 1.
  void note(const Body& body, int step);

  /// The largest gap between domains, as a share of its interface, of the first steps and then of every
  /// eighth: it costs as much as a step of a small tree.
  [[nodiscard]] const InterfaceGap& largest_gap() const { return gap_; }
  /// Of the shape of the run in which warped modes turned the body farthest; nothing for other methods.
  [[nodiscard]] WarpDistortion largest_distortion(const Body& body) const;

  void save(StateWriter& out) const;
  /// Throws Error for what was noted of another body.
  void restore(StateReader& in, const Body& body);

 private:
  void look_for_turns(const Vector& q);
  void look_for_gaps(const Body& body);

  InterfaceGap gap_;
  Vector turns_;            ///< r, the largest of a lump per unit of each coordinate, rad; none: not warped
  Vector most_turned_;      ///< r', coordinates at which the body was turned farthest
  double most_turn_ = 0.0;  ///< sum of the squares of turns_ times these
};

}  // namespace limber
