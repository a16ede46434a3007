#pragma once

#include "limber/base/progress.hpp"
#include "limber/precompute/cubature_fit.hpp"
#include "limber/precompute/poses.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace limber {

enum class CubatureKind {
  /// One weight per point, points chosen greedily: fewest operations at run time, symmetric, conserves
  /// energy.
  optimized,
  modal,  ///< a weight per point and coordinate, points evenly spread: trained many times faster
};

/// Where training poses come from.
enum class PoseSource {
  motion,  ///< motions of the body under random pulls and gravity, simulated with the cubature trained so far
  /// Normal numbers, wider for softer directions, centred again on the worst poses [Yang et al. 2015,
  /// Algorithm 1]
  gaussian,
  given,  ///< those handed in, no others
};

struct CubatureSettings {
  CubatureKind kind = CubatureKind::optimized;
  double error = 0.01;  ///< asked for: relative error of the force, root mean square over poses
  PoseSource source = PoseSource::motion;
  Matrix given;  ///< r x T, training poses in any case, e.g. from snapshots
  double amplitude =
      0.0;  ///< largest displacement of the poses as a share of the body's size; 0: natural_amplitude()
  Index points =
      0;  ///< modal: so many points and no more; optimized: at most so many. 0: as many as the error needs
  Index max_poses = 3000;
  std::uint64_t seed = 1;
};

/// One round of training: some poses more, weights solved again.
struct TrainingRound {
  Index poses = 0, points = 0;
  double training_error = 0.0;
  double held_out_error = 0.0;  ///< of this round's new poses before they were learned from
  double seconds = 0.0;         ///< since the start
};

struct CubatureResult {
  CubatureRule rule;
  std::vector<TrainingRound> rounds;
  std::vector<FitStep> curve;  ///< of the last fit
  double pose_seconds = 0.0;   ///< simulating motions and evaluating the full model
  double fit_seconds = 0.0;    ///< least squares
  bool reached = false;        ///< the error asked for, on poses not trained with
};

/// Trains cubature for a basis (dofs x r) until it is as good on new poses as asked for, or no longer gets
/// better. [Yang et al. 2015, section 6; An, Kim & James 2008]
CubatureResult train_cubature(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                              const CubatureSettings& settings, const Progress& progress = {});

}  // namespace limber
