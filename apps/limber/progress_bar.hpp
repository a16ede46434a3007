#pragma once

#include "limber/base/progress.hpp"
#include "limber/base/timer.hpp"

#include <string_view>

namespace limber::app {

/// Shows how far long work has come, on standard error: a bar that is redrawn on a terminal, else a plain
/// line now and then. Short work shows nothing but the bar, and the bar goes when the work is done.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// fraction: 0 to 1.
  void show(std::string_view stage, double fraction);

  /// For the library to call; valid as long as this object.
  Progress callback() {
    return [this](std::string_view stage, double fraction) { show(stage, fraction); };
  }

 private:
  bool terminal_;
  bool drawn_ = false;
  double next_fraction_ = 0.1;  ///< of the next plain line
  double last_shown_ = 0.0;     ///< s since the start
  Timer timer_;
};

}  // namespace limber::app
