#include "limber/base/detail_pace.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr int longest_wait = 32;

}  // namespace

DetailPace::DetailPace(const DetailPaceOptions& options) : options_(options) {
  require(std::isfinite(options.budget) && options.budget > 0.0,
          "a step may take {} s, expected a positive number", options.budget);
  require(options.levels > 0 && options.patience > 0 && options.calm > 0.0 && options.calm <= 1.0,
          "{} levels of detail, back after {} steps below {} of the budget; expected at least 1 each, and a "
          "share",
          options.levels, options.patience, options.calm);
}

bool DetailPace::add_step(double seconds) {
  if (!(seconds <= options_.budget)) return lower();
  const int patience = wait_ * options_.patience;
  calm_steps_ = seconds <= options_.calm * options_.budget ? calm_steps_ + 1 : 0;
  if (since_raised_ > 0 && ++since_raised_ > 4 * patience) {  // the level holds
    since_raised_ = 0;
    wait_ = 1;
  }
  if (level_ == 0 || calm_steps_ < patience) return false;
  --level_;
  ++raised_;
  calm_steps_ = 0;
  since_raised_ = 1;
  return true;
}

bool DetailPace::lower() {
  ++overruns_;
  calm_steps_ = 0;
  if (since_raised_ > 0) wait_ = std::min(2 * wait_, longest_wait);
  since_raised_ = 0;
  if (level_ + 1 == options_.levels) return false;
  ++level_;
  ++lowered_;
  return true;
}

}  // namespace limber
