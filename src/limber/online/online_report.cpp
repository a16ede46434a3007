#include "limber/online/online_settings.hpp"

namespace limber {

std::vector<TimelineRun> runs_of(const Timeline& timeline) {
  std::vector<TimelineRun> runs;
  for (const TimelineStep& step : timeline) {
    const bool goes_on = !runs.empty() && step.change == BasisChange::none && runs.back().kind == step.kind &&
                         runs.back().rank == step.rank;
    if (!goes_on) runs.push_back({step.kind, step.change, step.rank, 0});
    ++runs.back().steps;
  }
  return runs;
}

double OnlineReport::speedup() const {
  const double seconds = full_seconds + reduced_seconds + learning_seconds;
  if (full_steps <= 0 || !(full_seconds > 0.0) || !(seconds > 0.0)) return 1.0;
  const double mean = full_seconds / static_cast<double>(full_steps);
  return static_cast<double>(full_steps + reduced_steps) * mean / seconds;
}

}  // namespace limber
