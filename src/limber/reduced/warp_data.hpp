#pragma once

#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// Pieces of a body, each small enough to turn as one: what gravity and inertia act on in modal warping.
/// There are as many as were asked for, however fine the mesh: their forces cost the same for any body.
/// Vertices that cannot move are in none.
struct Lumps {
  std::vector<int> region;  ///< k, whose material they are made of
  Vector volume;            ///< k, m^3
  Matrix3X center;          ///< 3 x k, at rest, m
  /// 3k x r: integral of U over each, m^4 per unit of q; the lumps of a region add up to its weight.
  Matrix moment;
  Matrix rotations;  ///< 3k x r: mean rotation vector of each, rad per unit of q

  [[nodiscard]] Index count() const { return volume.size(); }
};

/// What modal warping needs of a model beside its basis: how each place turns with q, to first order. The
/// rotation vector of a vertex is half the curl of the displacement there. [Choi & Ko 2005, section III]
struct WarpData {
  Eigen::MatrixXf surface_rotations;  ///< 3n x r, of the vertices of the surface, rad per unit of q
  Lumps lumps;
};

}  // namespace limber
