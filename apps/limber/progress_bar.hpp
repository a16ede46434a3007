#pragma once

#include "limber/base/progress.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace limber::app {

/// How long work will still take, from how it went. Steps may differ a thousandfold in cost (full and reduced
/// ones), and what comes is more like what just was than like the start: the rate is an exponential average
/// over the last 20 s or so, but never less than that of all the work since the start, so that one slow step
/// does not make hours of minutes.
class RemainingTime {
 public:
  /// now: s, on any clock; fraction: of the work that is done. The first call is the start, whatever fraction
  /// it begins at; so is one whose fraction is lower than the last: another stage began.
  void update(double now, double fraction);

  /// s; nothing where there is too little to estimate from.
  [[nodiscard]] std::optional<double> seconds() const;

 private:
  bool started_ = false;
  double start_ = 0.0, start_fraction_ = 0.0;
  double last_ = 0.0, last_fraction_ = 0.0;
  double rate_ = 0.0;    ///< 1/s, sum of weighted rates
  double weight_ = 0.0;  ///< sum of their weights
};

/// "40 s", "3 min", "2 h 10 min", "3 days": rounded up, and no more exact than an estimate is.
std::string duration_text(double seconds);

/// Where progress is shown, and by which clock.
struct ProgressOutput {
  bool terminal = false;
  std::function<double()> seconds;  ///< since the start
  std::function<void(std::string_view)> write;
};

/// Standard error, by the time from now on.
ProgressOutput standard_progress_output();

/// Shows how far long work has come, and how long it will still take: a bar that is redrawn on a terminal,
/// else a plain line now and then. Short work shows nothing but the bar, and the bar goes when the work is
/// done.
class ProgressBar {
 public:
  explicit ProgressBar(ProgressOutput output = standard_progress_output());
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// fraction: 0 to 1. A run that continues an earlier one shows its first fraction before its first step, so
  /// that what was done before does not count as fast.
  void show(std::string_view stage, double fraction);

  /// For the library to call; valid as long as this object.
  Progress callback() {
    return [this](std::string_view stage, double fraction) { show(stage, fraction); };
  }

 private:
  [[nodiscard]] std::string line(std::string_view stage, double fraction) const;

  ProgressOutput output_;
  RemainingTime remaining_;
  bool drawn_ = false;
  double last_fraction_ = 0.0;
  double next_fraction_ = 0.1;  ///< of the next plain line
  double last_shown_ = 0.0;     ///< s since the start
};

}  // namespace limber::app
