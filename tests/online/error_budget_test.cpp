#include "limber/online/error_budget.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace limber::error_budget_test {
namespace {

constexpr double omega = 5.0;                              // rad/s
constexpr double period = 2.0 * std::numbers::pi / omega;  // s
constexpr double largest = 0.2;                            // m

/// A body that swings between rest and the largest displacement, for two periods.
void watch_swing(ErrorBudget& budget) {
  const int samples = 64;
  for (int i = 0; i < 2 * samples; ++i) {
    const double phase = 2.0 * std::numbers::pi * i / samples;
    budget.watch(0.5 * largest * (1.0 - std::cos(phase)), 0.5 * largest * omega * std::abs(std::sin(phase)));
  }
}

ErrorBudget swinging(const OnlineSettings& settings, double alpha, double beta, double duration) {
  ErrorBudget budget(settings, alpha, beta, duration);
  watch_swing(budget);
  return budget;
}

TEST(ErrorBudget, MeasuresTheFrequencyOfASwing) {
  const ErrorBudget budget = swinging({}, 0.0, 0.0, 1.0);
  EXPECT_NEAR(budget.frequency(), omega, 1e-12);
  EXPECT_NEAR(budget.largest(), largest, 1e-15);
}

TEST(ErrorBudget, HasNothingToSpendBeforeAnythingMoved) {
  const ErrorBudget budget({}, 0.0, 0.0, 1.0);
  EXPECT_EQ(budget.frequency(), 0.0);
  EXPECT_EQ(budget.growth(), 1.0);
  EXPECT_EQ(budget.accepted(), 0.0);
  EXPECT_EQ(budget.discarded(), 0.0);
  EXPECT_EQ(budget.error(1.0), 0.0);
}

TEST(ErrorBudget, LetsAnErrorGrowWithTheWholeRunWithoutDamping) {
  EXPECT_NEAR(swinging({}, 0.0, 0.0, 7.0 * period).growth(), 1.0 + 7.0 * std::numbers::pi, 1e-12);
}

TEST(ErrorBudget, LetsAnErrorGrowForAsLongAsDampingRemembersIt) {
  // Rates (alpha + beta omega^2) / 2 of 2.5 and 1.25 a second.
  EXPECT_NEAR(swinging({}, 5.0, 0.0, 100.0).growth(), 1.0 + 0.5 * omega * 0.4, 1e-12);
  EXPECT_NEAR(swinging({}, 0.0, 0.1, 100.0).growth(), 1.0 + 0.5 * omega * 0.8, 1e-12);
  EXPECT_NEAR(swinging({}, 5.0, 0.0, 0.3).growth(), 1.0 + 0.5 * omega * 0.3, 1e-12)
      << "the run is over before";
}

TEST(ErrorBudget, AcceptsWhatGrowsToWhatTheUserAccepts) {
  OnlineSettings settings;
  settings.error = 0.04;
  const double expected = 0.04 * largest / (1.0 + 7.0 * std::numbers::pi);
  EXPECT_NEAR(swinging(settings, 0.0, 0.0, 7.0 * period).accepted(), expected, 1e-15);
  EXPECT_NEAR(swinging(settings, 0.0, 0.0, 7.0 * period).discarded(), 0.04 * expected, 1e-15);
}

TEST(ErrorBudget, AcceptsInProportionToTheThrottleAndDiscardsRegardlessOfIt) {
  OnlineSettings settings;
  const ErrorBudget plain = swinging(settings, 0.0, 0.0, 1.0);
  settings.throttle = 2.5;
  const ErrorBudget open = swinging(settings, 0.0, 0.0, 1.0);
  EXPECT_NEAR(open.accepted(), 2.5 * plain.accepted(), 1e-15);
  EXPECT_EQ(open.discarded(), plain.discarded());
  settings.throttle = 0.0;
  EXPECT_EQ(swinging(settings, 0.0, 0.0, 1.0).accepted(), 0.0);
}

TEST(ErrorBudget, LetsExpertsSetTheThresholds) {
  OnlineSettings settings;
  settings.throttle = 3.0;
  settings.error_threshold = 0.01;
  settings.discard_threshold = 0.002;
  const ErrorBudget budget = swinging(settings, 0.0, 0.0, 50.0 * period);
  EXPECT_NEAR(budget.accepted(), 3.0 * 0.01 * largest, 1e-15);
  EXPECT_NEAR(budget.discarded(), 0.002 * largest, 1e-15);
}

TEST(ErrorBudget, AddsUpAnErrorThatKeepsBeingMade) {
  ErrorBudget budget = swinging({}, 0.0, 0.0, 10.0);
  EXPECT_EQ(budget.error(0.0), 0.0);
  const double in_a_period = std::numbers::pi * 1e-3 / largest;
  const int steps = 50;
  for (int i = 0; i < 3 * steps; ++i) budget.spend(period / steps, 1e-3);
  EXPECT_NEAR(budget.error(0.0), 3.0 * in_a_period, 1e-12);
  EXPECT_NEAR(budget.error(5e-3), 3.0 * in_a_period + 5e-3 / largest, 1e-12);
  budget.spend_unseen(2.0 * period, 1e-3);
  EXPECT_NEAR(budget.error(0.0), 5.0 * in_a_period, 1e-12);
  for (int i = 0; i < 100; ++i) budget.spend(period, 0.0);
  EXPECT_NEAR(budget.error(0.0), 5.0 * in_a_period, 1e-12) << "nothing damps it";
}

TEST(ErrorBudget, OfARunThatSpendsAllThatIsAcceptedEndsAtTheAcceptedError) {
  OnlineSettings settings;
  ErrorBudget budget = swinging(settings, 0.0, 0.0, 4.0 * period);
  for (int i = 0; i < 400; ++i) budget.spend(0.01 * period, budget.accepted());
  EXPECT_NEAR(budget.error(budget.accepted()), settings.error, 1e-12);
}

TEST(ErrorBudget, ForgetsAtTheRateOfTheDamping) {
  ErrorBudget budget = swinging({}, 0.6, 0.02, 10.0);
  budget.spend(period, 1e-3);
  const double rate = 0.5 * (0.6 + 0.02 * omega * omega);
  budget.spend(0.7, 0.0);
  EXPECT_NEAR(budget.error(0.0), std::numbers::pi * 1e-3 / largest * std::exp(-0.7 * rate), 1e-12);
}

TEST(ErrorBudget, TakenBackGoesOnWithTheSameBits) {
  ErrorBudget budget = swinging({}, 0.1, 0.02, 10.0), other({}, 0.1, 0.02, 10.0);
  budget.spend(0.3, 1e-3);
  StateWriter out;
  budget.save(out);
  StateReader in(out.bytes(), "state");
  other.restore(in);
  in.finish();
  for (ErrorBudget* one : {&budget, &other}) {
    one->watch(0.3, 0.1);
    one->spend(0.2, 1e-4);
  }
  EXPECT_EQ(budget.error(1e-3), other.error(1e-3));
  EXPECT_EQ(budget.accepted(), other.accepted());
  EXPECT_EQ(budget.discarded(), other.discarded());
  EXPECT_EQ(budget.frequency(), other.frequency());
}

}  // namespace
}  // namespace limber::error_budget_test
