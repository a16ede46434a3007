#pragma once

#include "limber/base/timer.hpp"
#include "limber/online/online_basis.hpp"
#include "limber/online/online_forces.hpp"
#include "limber/online/online_settings.hpp"

#include <deque>

namespace limber {

/// What a run has learned so far, dynamic or quasistatic: the basis, the forces in it, and the story of how
/// it came about.
class OnlineSubspace {
 public:
  /// Keeps a reference to the model.
  OnlineSubspace(FullModel& model, OnlineForces::Kind kind, const OnlineSettings& settings);

  [[nodiscard]] const OnlineBasis& basis() const { return basis_; }
  [[nodiscard]] OnlineForces& forces() { return forces_; }
  [[nodiscard]] const OnlineForces& forces() const { return forces_; }
  [[nodiscard]] Index rank() const { return basis_.rank(); }
  [[nodiscard]] bool full() const { return basis_.rank() >= settings_.max_rank; }
  [[nodiscard]] const OnlineReport& report() const { return report_; }

  /// Adds what a vector has beyond the basis where that is longer than `smallest` (m). The forces follow with
  /// the next follow(). Returns whether the basis grew.
  bool grow(Vector x, double smallest);
  /// Makes the forces those of the basis as it is now.
  void follow();
  /// Where the basis is full: keeps the half of it that recent states moved in most. Returns whether it did.
  bool shrink_if_full();

  /// A recent state, which decides what is kept.
  void remember(Vector q);

  /// Begins a step, and ends one that was accepted.  error: estimate at its end, relative.
  void begin_step();
  void end_step(StepKind kind, double error);
  /// Adds the time that it lives to that spent on learning.
  [[nodiscard]] ScopedTimer learning_timer() { return ScopedTimer(report_.learning_seconds); }

  /// Where the story stood, and back to there: for a step that is taken back.
  void remember_report() { remembered_steps_ = report_.timeline.size(); }
  void go_back_in_report();

  void save(StateWriter& out) const;
  void restore(StateReader& in);

 private:
  void save_report(StateWriter& out) const;
  void restore_report(StateReader& in);

  OnlineSettings settings_;
  OnlineBasis basis_;
  OnlineForces forces_;
  std::deque<Vector> history_;
  OnlineReport report_;
  // At the beginning of the step:
  Timer timer_;
  double learned_before_ = 0.0;
  Index grown_before_ = 0, shrunk_before_ = 0;
  std::size_t remembered_steps_ = 0;
};

}  // namespace limber
