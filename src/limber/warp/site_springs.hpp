#pragma once

#include "limber/linalg/cholesky.hpp"
#include "limber/warp/warped_equations.hpp"

#include <vector>

namespace limber {

/// What pulls a vertex towards a point.
struct SiteSpring {
  WarpSite site;
  Vector3 target = Vector3::Zero();  ///< m, in the axes of the frame
  double stiffness = 0.0;            ///< N/m, positive
};

/// Springs that pull at a warped body, taken implicitly: a step of its oscillators leads to
///
///   q = q* + D J^T F,     F = k (target - x(q)),     J = dx/dq,
///
/// with the amplitudes q* that it has without them and D the diagonal of what a unit of each modal force
/// adds. Newton's iteration on F, linear in as many unknowns as the springs have, 3 n: (1/k + J D J^T) F =
/// target - x - J (q* - q). As stiff as one likes, at any length of the step. Cost O(n^2 m + n^3) per
/// iteration; allocates nothing after the first.
class SiteSprings {
 public:
  SiteSprings() = default;
  /// Throws Error for sites of another number of modes and numbers that cannot be.
  SiteSprings(const std::vector<SiteSpring>& springs, Index modes);

  [[nodiscard]] bool empty() const { return springs_.empty(); }
  void set_target(Index spring, const Vector3& target) {
    springs_[static_cast<std::size_t>(spring)].target = target;
  }
  /// q: q* on entry, with the springs on return. start: where the iteration begins. gain: D. warp: whether
  /// vertices turn. Returns the number of iterations; 0 where numbers leave the range of double.
  int pull(const Vector& start, const Vector& gain, bool warp, Vector& q);

 private:
  void look(const Vector& q, bool warp);

  std::vector<SiteSpring> springs_;
  // Memory of a step.
  Matrix rows_;     ///< 3n x m, J
  Matrix gained_;   ///< 3n x m, J D
  Matrix system_;   ///< 3n x 3n
  Vector places_;   ///< 3n, x
  Vector forces_;   ///< 3n, F
  Vector present_;  ///< m, where the iteration is
  Vector last_;     ///< m, where it was before
  Cholesky factor_;
};

}  // namespace limber
