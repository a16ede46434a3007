#pragma once

#include "limber/body/body.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/warp/warp_distortion.hpp"

#include <vector>

namespace limber {

/// How far linear modes carried a body, or a domain of one in its own frame: they neither turn nor bend, and
/// beyond small displacements a body grows where it should bend.
struct LinearReach {
  Index domain = -1;          ///< -1: of other methods, or nothing moved
  double displacement = 0.0;  ///< largest of a vertex of the surface, m
  double share = 0.0;         ///< that as a share of the size of the domain
  double rotation = 0.0;      ///< largest of a vertex, rad, where the model knows rotations; else 0
};

/// What linear modes turn by 0.52 rad, 30 degrees, is sqrt(1 + 0.52^2), 1.13 times as long as it should be,
/// and a beam whose end they carry sideways by a third of its length 1.05 to 1.08 times.
inline constexpr double largest_linear_rotation = 0.52;  ///< rad
inline constexpr double largest_linear_share = 1.0 / 3.0;

/// How far a body, or a domain of one in its own frame, was carried in shapes that its forces were trained
/// for up to some displacement (cubature).
struct TrainedReach {
  Index domain = -1;          ///< -1: of other methods and exact forces, or nothing moved
  double displacement = 0.0;  ///< largest of a vertex of the surface, m
  double share = 0.0;         ///< that as a share of the size of the domain
  double trained = 0.0;       ///< share up to which training went
};

/// Beyond that multiple of what they were trained to, forces are guesses: training goes to the amplitude in
/// its strongest poses, and a little beyond is interpolated well.
inline constexpr double largest_trained_share = 1.5;

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
  /// Of the shape of the run that linear modes carried farthest; nothing for other methods.
  [[nodiscard]] LinearReach largest_reach(const Body& body) const;

  /// Of the shape of the run that went farthest beyond what forces were trained for; nothing for other
  /// methods.
  [[nodiscard]] TrainedReach largest_trained_reach(const Body& body) const;

  /// Largest displacement of a vertex of the surface in the shape of the run that went farthest, m: of held
  /// bodies of one domain by the methods reduced and linear; 0 of others.
  [[nodiscard]] double largest_displacement(const Body& body) const;

  void save(StateWriter& out) const;
  /// Throws Error for what was noted of another body.
  void restore(StateReader& in, const Body& body);

 private:
  void look_for_shapes(const Body& body);
  void look_for_displacement(const Body& body);
  void look_for_gaps(const Body& body);

  InterfaceGap gap_;
  /// Of each part, r: how bad a unit of each of its coordinates is. None: of methods that take any shape.
  std::vector<Vector> badness_;
  Vector worst_q_;            ///< coordinates of the domain that was worst
  std::int64_t domain_ = -1;  ///< which that is
  double worst_ = 0.0;        ///< sum of the squares of its badness times these
  Vector unit_displacement_;  ///< r, largest of a vertex by a unit of each coordinate, m; none: not noted
  Vector farthest_q_;         ///< coordinates of the shape that went farthest
  double farthest_ = 0.0;     ///< sum of the squares of their largest displacements, m^2
};

}  // namespace limber
