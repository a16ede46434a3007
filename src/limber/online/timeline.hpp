#pragma once

#include "limber/linalg/types.hpp"

#include <cstdint>
#include <vector>

namespace limber {

/// What a step of online model reduction was. [Kim & James 2009, Figures 1, 3, 4]
enum class StepKind : std::uint8_t { full, reduced };

/// What happened to the basis in it.
enum class BasisChange : std::uint8_t {
  none,
  grown,   ///< by one vector or more
  shrunk,  ///< it was down-dated to half its rank first
};

struct TimelineStep {
  StepKind kind = StepKind::full;
  BasisChange change = BasisChange::none;
  Index rank = 0;        ///< after the step
  double error = 0.0;    ///< estimate of the relative displacement error at its end
  double seconds = 0.0;  ///< of computing; not part of what is reproducible
};

/// One entry per step.
using Timeline = std::vector<TimelineStep>;

/// Steps of one kind and rank that follow each other.
struct TimelineRun {
  StepKind kind = StepKind::full;
  BasisChange change = BasisChange::none;  ///< in the first step; in the others nothing changed
  Index rank = 0;
  Index steps = 0;
};

/// The same in short: as few runs as tell all but errors and seconds. Cost O(steps).
std::vector<TimelineRun> runs_of(const Timeline& timeline);

}  // namespace limber
