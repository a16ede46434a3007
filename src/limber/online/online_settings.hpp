#pragma once

#include "limber/linalg/types.hpp"
#include "limber/online/timeline.hpp"

#include <cstdint>
#include <optional>

namespace limber {

struct OnlineSettings {
  /// Error of displacements that the user accepts, as a share of the largest displacement of the run so far,
  /// both root mean squares over the mass. All thresholds follow from it.
  double error = 0.02;
  /// Multiplies what is accepted: above 1 more steps are skipped, with 0 none. [Kim & James 2009, section
  /// 4.3]
  double throttle = 1.0;
  Index max_rank = 30;  ///< r_max: with so many vectors the basis is down-dated to half of them

  // The parameters of the paper, for experts: in place of what follows from `error`.
  std::optional<double> error_threshold;    ///< tau_error
  std::optional<double> discard_threshold;  ///< tau_discard

  double cubature_error = 0.005;  ///< of reduced forces by key elements
  std::uint64_t seed = 1;
};

/// What a run with online model reduction did so far.
struct OnlineReport {
  Timeline timeline;
  Index rank = 0;          ///< of the basis at the end
  Index key_elements = 0;  ///< 0 where forces are exact polynomials
  Index basis_grown = 0;   ///< vectors added in all
  Index basis_shrunk = 0;  ///< down-dates
  Index full_steps = 0, reduced_steps = 0;
  double error = 0.0;  ///< estimate of the largest relative displacement error made so far
  double full_seconds = 0.0, reduced_seconds = 0.0, learning_seconds = 0.0;

  [[nodiscard]] double skipped_share() const {
    const Index steps = full_steps + reduced_steps;
    return steps > 0 ? static_cast<double>(reduced_steps) / static_cast<double>(steps) : 0.0;
  }
  /// How many times longer full steps alone would have taken, by the mean time of those that were. 1 where no
  /// full step or no time is known to compare with.
  [[nodiscard]] double speedup() const;
};

}  // namespace limber
