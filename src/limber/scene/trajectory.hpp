#pragma once

#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

// How a motion computed in a subspace differs from the full one.

/// A vibration as it shows in one quantity over time.
struct Oscillation {
  double amplitude = 0.0;  ///< largest distance from the first value
  double frequency = 0.0;  ///< Hz, of the dominant vibration about the mean; 0 where there is none
};

/// values: at times 0, h, 2h, ... (s).  Cost: linear in their number.
///
/// The frequency is that of the slowest vibration that stands out after the time `from` (s), from the times
/// at which the values cross a centre:
/// - A crossing counts only if the values come from more than a twentieth of half their range on one side and
///   go as far on the other, so that smaller ripples and the end of a decay do not count. Its time is
///   interpolated linearly; where ripples cross the centre several times on the way, it is the mean of these
///   times.
/// - The period is the mean time between crossings in the same direction, averaged over both directions: a
///   centre that is off by c delays the rising crossings of a damped vibration as much as it advances the
///   falling ones, to first order in c.
/// - The centre is the mean over whole periods, found by repetition from the mean of all values.
/// Less is known from a short record. Without two crossings in one direction, half a period lies between one
/// each way (the centre is then that of the range); with one crossing in all, it lies between the largest and
/// the smallest value, provided that neither is at an end of the record. Otherwise, e.g. for a constant or a
/// drift, the frequency is 0. Measured on damped sines (up to 10 % of critical) with a ripple of 3 %: within
/// 0.4 % from two periods on, 10 % from one.
///
/// Throws Error for no values, values that are not finite, h <= 0 and from < 0.
Oscillation measure_oscillation(const VectorRef& values, double h, double from = 0.0);

/// Differences of a reduced motion v from the full one u, and the vibration of one vertex, the probe, in
/// both.
struct TrajectoryError {
  double relative_rms =
      0.0;  ///< |v - u| / |u|, both summed over all vertices and times; infinite where only u rests
  double largest = 0.0;     ///< largest distance of one vertex at one time, m
  double worst_time = 0.0;  ///< when that is, s
  Index worst_vertex = 0;   ///< and where

  Vector3 direction =
      Vector3::Zero();           ///< of the probe's main motion, a unit vector; zero where u rests there
  Oscillation full, reduced;     ///< of the probe along `direction`, m
  double amplitude_ratio = 0.0;  ///< of the reduced to the full; 0 where the full one is 0
  double frequency_ratio = 0.0;  ///< the same
};

/// Compares displacement fields of the same vertices at the times 0, h, 2h, ...      [compare Barbic & James
/// 2005, section 7] full, reduced: one 3 x n field for each time, m.  probe: a vertex.  from: as for
/// measure_oscillation, e.g. the end of an impulse.  Cost: linear in all numbers.
///
/// The probe's main direction is the first principal direction of its full motion about its mean; its largest
/// component is positive. Throws Error for different numbers of times or vertices, no times and numbers that
/// are not finite.
TrajectoryError compare_trajectories(const std::vector<Matrix3X>& full, const std::vector<Matrix3X>& reduced,
                                     double h, Index probe, double from = 0.0);

/// The displacement of one vertex along a direction at each time, for plots.
Vector probe_signal(const std::vector<Matrix3X>& motion, Index probe, const Vector3& direction);

}  // namespace limber
