#pragma once

#include "limber/base/executor.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/reduced/elasticity.hpp"

#include <cstdint>

namespace limber {

/// What poses need to know of a body in a subspace, whatever computes its elastic forces.
struct PoseSpace {
  Matrix basis;             ///< 3n x r, displacements of n vertices: evenly chosen ones of the body
  Matrix mass;              ///< r x r
  Matrix stiffness;         ///< r x r, K(0)
  Eigen::MatrixX3d weight;  ///< r x 3: the force of a uniform acceleration g is weight * g
  double size = 0.0;        ///< diagonal of the box around the body, m

  /// Natural directions: K(0) V = M V diag(omega^2), V^T M V = I. Set by prepare().
  Matrix directions;
  Vector omega;  ///< rad/s, > 0

  /// Fills directions and omega. Throws Error for a mass that is not positive definite and a body without
  /// stiffness.
  void prepare();
};

/// basis: dofs x r.  K(0) is that of the full model.
PoseSpace make_pose_space(const FullModel& model, const Eigen::Ref<const Matrix>& basis);

/// Largest displacement of these vertices in each pose, m.  poses: r x T.
Vector largest_displacements(const PoseSpace& space, const Eigen::Ref<const Matrix>& poses);

/// Shapes that the linear body takes under gravity of a random direction and a pull at a random vertex,
/// scaled so that their largest displacements spread over (0, amplitude] times the size of the body.  r x
/// count.
Matrix linear_poses(const PoseSpace& space, Index count, double amplitude, std::uint64_t seed);

/// An amplitude at which a body is deformed strongly, whatever its shape: linear_poses of it have |grad u| =
/// 0.5 in the median, rotation included, but no more than 0.25. Slender bodies reach the latter, compact ones
/// stay below.
double natural_amplitude(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                         const PoseSpace& space);

/// Poses along motions: from rest, under loads like those of linear_poses that begin at once; lightly damped;
/// for somewhat more than a period of the lowest mode. Each motion gives a few poses. Those that are not
/// finite, or beyond three times the amplitude (the forces may come from an unfinished training), are left
/// out, so that fewer than count may come back.  r x count. The same bits for any number of threads.
Matrix motion_poses(const PoseSpace& space, const Elasticity& elastic, Index count, double amplitude,
                    std::uint64_t seed, const Executor& executor = Executor(1));

/// Normal numbers along the natural directions, with means and deviations given: r x count. [Yang et al.
/// 2015, section 6.2] mean, deviation: r, in the coordinates of `directions`.
Matrix gaussian_poses(const PoseSpace& space, const VectorRef& mean, const VectorRef& deviation, Index count,
                      std::uint64_t seed);

/// Deviations proportional to 1 / omega (equal energy in each direction) for which the largest displacement
/// of a pose is `amplitude` times the size of the body in the mean (of squares).
Vector gaussian_deviation(const PoseSpace& space, double amplitude, std::uint64_t seed);

}  // namespace limber
