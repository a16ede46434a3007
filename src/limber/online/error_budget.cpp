#include "limber/online/error_budget.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr double discarded_share =
    0.04;  ///< of the accepted error: what is left out adds up over the columns

}  // namespace

ErrorBudget::ErrorBudget(const OnlineSettings& settings, double mass_damping, double stiffness_damping,
                         double duration)
    : settings_(settings),
      mass_damping_(mass_damping),
      stiffness_damping_(stiffness_damping),
      duration_(duration) {}

void ErrorBudget::watch(double displacement, double velocity) {
  largest_ = std::max(largest_, displacement);
  displacement_squares_ += displacement * displacement;
  velocity_squares_ += velocity * velocity;
}

double ErrorBudget::frequency() const {
  // A body that swings between rest and twice its mean displacement has |u'|^2 / |u|^2 = omega^2 / 3.
  return displacement_squares_ > 0.0 ? std::sqrt(3.0 * velocity_squares_ / displacement_squares_) : 0.0;
}

double ErrorBudget::decay() const {
  const double omega = frequency();
  return 0.5 * (mass_damping_ + stiffness_damping_ * omega * omega);
}

double ErrorBudget::growth() const {
  const double memory = decay() * duration_ > 1.0 ? 1.0 / decay() : duration_;
  return 1.0 + 0.5 * frequency() * memory;
}

double ErrorBudget::accepted() const {
  if (settings_.error_threshold) return settings_.throttle * *settings_.error_threshold * largest_;
  return settings_.throttle * settings_.error * largest_ / growth();
}

double ErrorBudget::discarded() const {
  if (settings_.discard_threshold) return *settings_.discard_threshold * largest_;
  return discarded_share * settings_.error * largest_ / growth();
}

void ErrorBudget::spend(double h, double e) {
  drift_ *= std::exp(-decay() * h);
  spend_unseen(h, e);
}

void ErrorBudget::spend_unseen(double h, double e) { drift_ += 0.5 * frequency() * h * e; }

void ErrorBudget::save(StateWriter& out) const {
  out.write(largest_);
  out.write(displacement_squares_);
  out.write(velocity_squares_);
  out.write(drift_);
}

void ErrorBudget::restore(StateReader& in) {
  in.read(largest_);
  in.read(displacement_squares_);
  in.read(velocity_squares_);
  in.read(drift_);
}

}  // namespace limber
