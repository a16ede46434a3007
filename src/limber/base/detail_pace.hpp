#pragma once

namespace limber {

struct DetailPaceOptions {
  double budget = 1e-3;  ///< s, of a step
  int levels = 5;        ///< of detail: 0 has all of it, the last one least
  double calm = 0.5;     ///< share of the budget below which a step is calm
  int patience = 250;    ///< calm steps in a row after which a level of detail comes back
};

/// How much detail a loop that has to keep time can afford, from how long its steps take. A step over the
/// budget costs a level of detail at once; one comes back after a while of calm steps. Where that proves too
/// much soon, the next try waits twice as long, up to 32 times, so that the loop does not hunt between two
/// levels. It knows no clock: the same times give the same levels.
class DetailPace {
 public:
  /// Throws Error for a budget, a share or counts that are not positive.
  explicit DetailPace(const DetailPaceOptions& options = {});

  /// Returns whether the level is another one from now on.
  bool add_step(double seconds);

  [[nodiscard]] int level() const { return level_; }
  [[nodiscard]] int overruns() const { return overruns_; }  ///< so far
  [[nodiscard]] int lowered() const { return lowered_; }    ///< how often detail was taken away
  [[nodiscard]] int raised() const { return raised_; }      ///< and came back

 private:
  bool lower();

  DetailPaceOptions options_;
  int level_ = 0;
  int calm_steps_ = 0;    ///< in a row
  int since_raised_ = 0;  ///< steps; 0: not raised since detail was last taken away
  int wait_ = 1;          ///< times the patience
  int overruns_ = 0, lowered_ = 0, raised_ = 0;
};

}  // namespace limber
