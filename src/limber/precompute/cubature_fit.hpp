#pragma once

#include "limber/base/progress.hpp"
#include "limber/precompute/mode_gradients.hpp"
#include "limber/precompute/training_set.hpp"
#include "limber/reduced/cubature.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace limber {

// Weights of cubature points by non-negative least squares over training poses (linalg/nnls.hpp). Each pose's
// row is divided by the length of its force, so that errors are relative: e^2 = mean over poses of
// |f_cubature - f|^2 / |f|^2.
//
// The fits throw Error for a training set that does not fit the basis or has no poses, forces that are zero
// or not finite, and points that the mesh does not have. Results do not depend on the number of threads.

struct OptimizedFitOptions {
  double error = 0.01;      ///< e asked for
  Index max_points = 1000;  ///< stop with so many
  Index candidates = 1000;  ///< points that compete at a time, drawn at random
  std::uint64_t seed = 1;
  Progress progress{};
};

/// A step of a training curve.
struct FitStep {
  Index points = 0;
  double error = 0.0;
  double seconds = 0.0;  ///< since the start of the fit
};

struct CubatureFit {
  CubatureRule rule;           ///< training: error and poses are set
  double error = 0.0;          ///< e reached
  std::vector<FitStep> steps;  ///< errors on the way
};

/// One weight per point: greedily adds the point whose forces over all poses match the residual best, and
/// solves for the weights again, until the error is reached.                [An, Kim & James 2008]
/// start: points thought to be good, e.g. those of an earlier fit with fewer poses; they compete from the
/// first step on. Ends with a larger error where max_points are used or more candidates do not help.
/// optimized_fit.cpp says how.
CubatureFit fit_optimized_cubature(const ModeGradients& gradients, const TrainingSet& training,
                                   std::span<const QuadraturePoint> start = {},
                                   const OptimizedFitOptions& options = {});

/// A weight per point and coordinate on the points given: one small least-squares problem for each
/// coordinate, in parallel; and weights for the energy. Points that no coordinate needs are dropped.
/// [Yang et al. 2015, section 5]
CubatureFit fit_modal_cubature(const ModeGradients& gradients, const TrainingSet& training,
                               std::span<const QuadraturePoint> points);

/// Relative error of each pose: |f_cubature - f| / |f|, T.
Vector pose_errors(const CubatureRule& rule, std::span<const Material> materials,
                   const TrainingSet& training);

/// sqrt(mean of squares).
double root_mean_square(const VectorRef& values);

}  // namespace limber
