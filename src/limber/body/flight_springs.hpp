#pragma once

#include "limber/body/lump_inertia.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/warp/site_springs.hpp"

#include <vector>

namespace limber {

/// A shape of a body in flight, and where it is.
struct FlightPlace {
  const Vector& q;  ///< amplitudes of its modes
  Matrix3 axes;     ///< of the frame, in the world
  Vector3 center;   ///< of mass, in the world, m
  Vector3 middle;   ///< the same in the frame, m
};

/// Where it would go on to without springs.
struct FreeWay {
  Vector3 turn;   ///< of the frame, in its axes, rad
  Vector3 moved;  ///< of the centre of mass, in the world, m
};

/// How it gives way to a force on one of its points, within h seconds.
struct FlightYield {
  double h;            ///< s
  double mass;         ///< kg
  Matrix3 inverse;     ///< I^-1, in the axes of the frame
  const Vector& gain;  ///< D: of the amplitudes, per unit of each modal force
};

/// What all springs do together, in the axes of the frame.
struct SpringPull {
  Vector3 force = Vector3::Zero();   ///< N
  Vector3 torque = Vector3::Zero();  ///< about the centre of mass, N m
  double share = 1.0;                ///< s: of the way of a step at which they are taken to pull
};

/// Springs that pull at a body in flight, taken implicitly. Within h seconds a force F on a point x moves it
/// by
///
///   G F,     G = J D J^T + s h^2 ([x]^T I^-1 [x] + 1/m),     J = dx/dq where momentum stays as it is,
///
/// by its modes, and with the frame. A spring pulls with k (target - x) at the share s of the way. Half way
/// conserves the energy of a swing, all of it damps; s is near one half where springs are soft, and near 1
/// where they are far stiffer than what they pull at, so that these hold still. With x0 where a point was and
/// x* where it would go without springs,
///
///   (1/(k s) + G) F = x0 + (target - x0)/s - x*,
///
/// 3 n equations for n springs, linearised about the last iterate. Springs that would drag their points too
/// far at once pull towards targets that are nearer, in proportion. Allocates nothing once it is made.
class FlightSprings {
 public:
  FlightSprings() = default;
  /// Targets are in the world. Throws Error for numbers that cannot be.
  FlightSprings(const std::vector<SiteSpring>& springs, Index modes);

  [[nodiscard]] bool empty() const { return springs_.empty(); }
  void set_target(Index spring, const Vector3& target) {
    springs_[static_cast<std::size_t>(spring)].target = target;
  }
  [[nodiscard]] double energy(const FlightPlace& at) const;  ///< J
  /// Size of the rounding error in that: places are rounded, and stiff springs feel it.
  [[nodiscard]] double energy_rounding(const FlightPlace& at) const;

  /// Before the iteration for the end of a step, which begins here.  reach: how far they may drag a point, m.
  void begin(const FlightPlace& start, const LumpInertia& lumps, double reach);
  /// An iteration. at: the last iterate.  q: where the amplitudes would be without springs; with them on
  /// return. Returns whether forces were found.
  bool pull(const FlightPlace& at, const FreeWay& way, const FlightYield& yield, Vector& q,
            SpringPull& result);

 private:
  void look(const FlightPlace& at, const Matrix3& inverse);
  void predict(const FlightPlace& at, const FreeWay& way, const Vector& q);
  void choose_share(const FlightYield& yield);
  void fill_system(const FlightYield& yield);
  void solve(const Matrix3& axes);
  void come_nearer(const FlightPlace& at, const FreeWay& way);

  std::vector<SiteSpring> springs_;
  double reach_ = 0.0;
  double share_ = 1.0;      ///< s
  bool aimed_ = false;      ///< whether s and aims_ are known
  Matrix3X drift_, swirl_;  ///< 3 x m, of LumpInertia::rows() at the start
  Matrix3X start_arms_;     ///< 3 x n, from the centre of mass, in the axes of the frame
  Matrix3X start_places_;   ///< 3 x n, x0, in the world
  Matrix3X aims_;           ///< 3 x n, x0 + (target - x0)/s or nearer, in the world
  // Of an iteration, in the axes of the frame.
  Matrix3X arms_;             ///< 3 x n, x from the centre of mass
  Matrix3X places_;           ///< 3 x n, x*
  Matrix rows_, gained_;      ///< 3n x m, J and J D
  Matrix system_;             ///< 3n x 3n
  Vector forces_, residual_;  ///< 3n, F and the right-hand side
  Vector difference_;         ///< m
  Cholesky factor_;
};

}  // namespace limber
