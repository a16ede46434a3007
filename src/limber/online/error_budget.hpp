#pragma once

#include "limber/linalg/state_stream.hpp"
#include "limber/online/online_settings.hpp"

namespace limber {

/// How large an error each reduced step of a motion may make, so that the error at the end stays what the
/// user accepts, and what error was made so far.
///
/// Errors are displacements e = (K + s M)^-1 R (residual_error.hpp), root mean squares over the mass. One
/// that keeps being made is that of a subspace which is a little too stiff, by e / A for a motion of
/// amplitude A: its frequency is then too high by half of that share, and it gets out of phase by omega t / 2
/// times that share, which is an error of (omega t / 2) e. So the error at time t is about
///
///   e + integral of (omega / 2) e dt,      forgotten at the rate (alpha + beta omega^2) / 2 of the damping,
///
/// and e may be the accepted error over 1 + omega T / 2, with T the time that the run lasts or remembers.
/// omega is measured: that of the motion so far.
class ErrorBudget {
 public:
  /// damping: alpha (1/s) and beta (s).  duration: of the run, s.
  ErrorBudget(const OnlineSettings& settings, double mass_damping, double stiffness_damping, double duration);

  /// A state of the motion.  displacement, velocity: root mean squares over the mass, m and m/s.
  void watch(double displacement, double velocity);

  [[nodiscard]] double largest() const { return largest_; }  ///< displacement so far, m
  [[nodiscard]] double frequency() const;                    ///< omega, rad/s; 0 before anything moved
  /// How much larger than an error that keeps being made the error at the end is.
  [[nodiscard]] double growth() const;

  /// Error that a reduced step may show, m.
  [[nodiscard]] double accepted() const;
  /// Vectors of the basis shorter than this are not worth a column, m.
  [[nodiscard]] double discarded() const;

  /// A step of h seconds with the error e (m); 0 for a full one.
  void spend(double h, double e);
  /// Steps of h seconds in all that were found out later to have had an error e (m) more than was thought.
  void spend_unseen(double h, double e);
  /// Error at present as a share of the largest displacement, with e made just now (m).
  [[nodiscard]] double error(double e) const { return largest_ > 0.0 ? (drift_ + e) / largest_ : 0.0; }

  void save(StateWriter& out) const;
  void restore(StateReader& in);

 private:
  [[nodiscard]] double decay() const;  ///< 1/s

  OnlineSettings settings_;
  double mass_damping_, stiffness_damping_, duration_;
  double largest_ = 0.0;
  double displacement_squares_ = 0.0, velocity_squares_ = 0.0;
  double drift_ = 0.0;  ///< m
};

}  // namespace limber
