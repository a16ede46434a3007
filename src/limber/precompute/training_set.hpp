#pragma once

#include "limber/base/progress.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// Poses with the forces that cubature shall reproduce.
struct TrainingSet {
  Matrix poses;     ///< r x T, reduced coordinates
  Matrix forces;    ///< r x T, U^T f(U q), N
  Vector energies;  ///< T, W(U q), J

  [[nodiscard]] Index size() const { return poses.cols(); }

  /// Adds the poses of another set after these. Throws Error where their ranks differ; an empty set takes
  /// any.
  void append(const TrainingSet& more);
};

/// Throws Error unless there are poses, of this rank, with finite forces other than zero and energies.
void check_training_set(const TrainingSet& training, Index rank);

/// Exact reduced forces by way of the full model: O(mesh) each, poses in parallel.
/// basis: dofs x r.  poses: r x T, T may be 0.
/// Poses whose force is zero (to rounding) or not finite are left out.
/// Throws Error for sizes that do not fit and coordinates that are not finite.
TrainingSet evaluate_poses(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                           const Eigen::Ref<const Matrix>& poses, const Progress& progress = {});

}  // namespace limber
