#include "limber/scene/trajectory.hpp"

#include "tests/support/files.hpp"

#include <cmath>
#include <functional>
#include <numbers>

namespace limber::trajectory_test {
namespace {

constexpr double tau = 2.0 * std::numbers::pi;
constexpr double h = 1e-3;

Vector sampled(double seconds, const std::function<double(double)>& signal, double step = h) {
  Vector values(static_cast<Index>(std::lround(seconds / step)) + 1);
  for (Index i = 0; i < values.size(); ++i) values(i) = signal(static_cast<double>(i) * step);
  return values;
}

double frequency_of(double seconds, const std::function<double(double)>& signal) {
  return measure_oscillation(sampled(seconds, signal), h).frequency;
}

TEST(Oscillation, OfASineIsItsAmplitudeAndFrequency) {
  const Oscillation found =
      measure_oscillation(sampled(1.37, [](double t) { return 0.3 * std::sin(tau * 7.3 * t); }), h);
  EXPECT_NEAR(found.amplitude, 0.3, 1e-4);
  EXPECT_NEAR(found.frequency, 7.3, 7.3e-6);
}

TEST(Oscillation, DoesNotDependOnTheOffsetTheSignOrTheScale) {
  const Vector sine = sampled(1.0, [](double t) { return std::sin(tau * 5.2 * t + 0.4); });
  const double expected = measure_oscillation(sine, h).frequency;
  EXPECT_NEAR(expected, 5.2, 5.2e-6);
  EXPECT_NEAR(measure_oscillation(-sine.array() + 100.0, h).frequency, expected, 1e-9);
  EXPECT_NEAR(measure_oscillation(1e-200 * sine, h).frequency, expected, 1e-9);
  EXPECT_NEAR(measure_oscillation(1e307 * sine, h).frequency, expected, 1e-9);
}

TEST(Oscillation, MeasuresAmplitudeFromTheFirstValue) {
  const Oscillation found =
      measure_oscillation(sampled(2.0, [](double t) { return 5.0 + 0.1 * std::cos(tau * 3.0 * t); }), h);
  EXPECT_NEAR(found.amplitude, 0.2, 1e-5);
}

TEST(Oscillation, OfADampedSineIsTheDampedFrequency) {
  // 5 % of critical damping: a period later the amplitude is 27 % smaller. Several lengths of the record,
  // which cut the last period at different places.
  const double frequency = 4.0;
  for (const double seconds : {0.6, 0.83, 1.0, 1.27, 2.0, 5.0}) {
    const double found = frequency_of(seconds, [&](double t) {
      return std::exp(-0.05 * tau * frequency * t) * std::sin(tau * frequency * t);
    });
    EXPECT_NEAR(found, frequency, 0.003 * frequency) << seconds << " s";
  }
}

TEST(Oscillation, OfAShortDampedRippledRecordIsNearTheFrequency) {
  // Wherever the record ends between one and a half and three periods.
  for (double seconds = 1.5; seconds < 3.0; seconds += 0.025) {
    const double found = frequency_of(seconds, [](double t) {
      return std::exp(-0.1 * tau * t) * std::sin(tau * t) +
             0.03 * std::exp(-1.2 * t) * std::sin(tau * 6.3 * t);
    });
    EXPECT_NEAR(found, 1.0, 0.01) << seconds << " s";
  }
}

TEST(Oscillation, OfADampedSineAboutASagIsTheDampedFrequency) {
  // What a body does that is let go under gravity.
  const double found =
      frequency_of(2.1, [](double t) { return 3.0 - 3.0 * std::exp(-1.2 * t) * std::cos(tau * 3.7 * t); });
  EXPECT_NEAR(found, 3.7, 0.003 * 3.7);
}

TEST(Oscillation, LeavesSmallFastRipplesOut) {
  // Where the ripple is steeper than the sine, it crosses the centre several times on the way through.
  const double found = frequency_of(
      3.0, [](double t) { return std::sin(tau * 2.0 * t) + 0.045 * std::sin(tau * 61.0 * t + 1.0); });
  EXPECT_NEAR(found, 2.0, 2e-3);
}

TEST(Oscillation, CountsRipplesThatAreLargerThanATwentieth) {
  const double found = frequency_of(
      3.0, [](double t) { return 0.1 * std::sin(tau * 2.0 * t) + std::sin(tau * 61.0 * t + 1.0); });
  EXPECT_NEAR(found, 61.0, 0.1);
}

TEST(Oscillation, OfAConstantHasNoFrequency) {
  const Oscillation still = measure_oscillation(Vector::Constant(100, 0.1), h);
  EXPECT_EQ(still.amplitude, 0.0);
  EXPECT_EQ(still.frequency, 0.0);
  EXPECT_EQ(measure_oscillation(Vector::Zero(1), h).frequency, 0.0);
  Vector rounded = Vector::Ones(100);
  for (Index i = 0; i < 100; i += 2) rounded(i) = std::nextafter(1.0, 2.0);
  EXPECT_EQ(measure_oscillation(rounded, h).frequency, 0.0);
}

TEST(Oscillation, OfADriftHasNoFrequency) {
  EXPECT_EQ(frequency_of(1.0, [](double t) { return t * t; }), 0.0);
  EXPECT_EQ(frequency_of(1.0, [](double t) { return -std::exp(-3.0 * t); }), 0.0);
}

TEST(Oscillation, IsKnownFromOnePeriod) {
  EXPECT_NEAR(frequency_of(0.5, [](double t) { return std::sin(tau * 2.0 * t); }), 2.0, 2e-2);
  EXPECT_NEAR(frequency_of(0.5, [](double t) { return std::cos(tau * 2.0 * t); }), 2.0, 2e-3);
}

TEST(Oscillation, IsExactFromAPeriodAndAHalf) {
  EXPECT_NEAR(frequency_of(0.75, [](double t) { return 1.0 + std::sin(tau * 2.0 * t + 0.3); }), 2.0, 1e-4);
}

TEST(Oscillation, IsMeasuredAfterTheTimeAskedFor) {
  const Vector chirp = sampled(4.0, [](double t) { return std::sin(tau * (t < 2.0 ? 9.0 : 3.0) * t); });
  EXPECT_NEAR(measure_oscillation(chirp, h, 2.0).frequency, 3.0, 3e-4);
  EXPECT_EQ(measure_oscillation(chirp, h, 4.5).frequency, 0.0);
  EXPECT_NEAR(measure_oscillation(chirp, h, 4.5).amplitude, 1.0, 1e-4);
}

TEST(Oscillation, RefusesWhatIsNoRecord) {
  const Vector sine = sampled(1.0, [](double t) { return std::sin(t); });
  EXPECT_THROW(measure_oscillation(Vector(), h), Error);
  EXPECT_THROW(measure_oscillation(sine, 0.0), Error);
  EXPECT_THROW(measure_oscillation(sine, NAN), Error);
  EXPECT_THROW(measure_oscillation(sine, h, -1.0), Error);
  Vector bad = sine;
  bad(7) = INFINITY;
  EXPECT_THROW(measure_oscillation(bad, h), Error);
}

/// Two vertices that move along (1, 2, 2) / 3: the second as the signal, the first half as far.
std::vector<Matrix3X> motion(double seconds, const std::function<double(double)>& signal) {
  std::vector<Matrix3X> fields;
  for (const double value : sampled(seconds, signal)) {
    Matrix3X field(3, 2);
    field.col(1) = value / 3.0 * Vector3(1.0, 2.0, 2.0);
    field.col(0) = field.col(1) / 2.0;
    fields.push_back(field);
  }
  return fields;
}

double swing(double t) { return 0.2 * std::exp(-0.8 * t) * std::sin(tau * 4.0 * t); }

TEST(TrajectoryError, OfEqualMotionsIsNone) {
  const auto full = motion(2.0, swing);
  const TrajectoryError error = compare_trajectories(full, full, h, 1);
  EXPECT_EQ(error.relative_rms, 0.0);
  EXPECT_EQ(error.largest, 0.0);
  EXPECT_EQ(error.amplitude_ratio, 1.0);
  EXPECT_EQ(error.frequency_ratio, 1.0);
  EXPECT_NEAR(error.full.frequency, 4.0, 4e-3);
  EXPECT_NEAR(error.full.amplitude, 0.2 * std::exp(-0.8 / 16), 2e-4);
}

TEST(TrajectoryError, SeesTheSlowdownOfTheProbe) {
  const auto full = motion(2.0, swing);
  const auto slow =
      motion(2.0, [](double t) { return 0.2 * std::exp(-0.8 * t) * std::sin(tau * 0.95 * 4.0 * t); });
  const TrajectoryError error = compare_trajectories(full, slow, h, 1);
  EXPECT_NEAR(error.frequency_ratio, 0.95, 5e-4);
  EXPECT_NEAR(error.amplitude_ratio, 1.0, 5e-3);
  EXPECT_GT(error.relative_rms, 0.5);
}

TEST(TrajectoryError, OfAScaledMotionIsItsScale) {
  const auto full = motion(1.3, swing);
  const auto larger = motion(1.3, [](double t) { return 1.1 * swing(t); });
  const TrajectoryError error = compare_trajectories(full, larger, h, 0);
  EXPECT_NEAR(error.relative_rms, 0.1, 1e-12);
  EXPECT_NEAR(error.amplitude_ratio, 1.1, 1e-12);
  EXPECT_NEAR(error.frequency_ratio, 1.0, 1e-12);
  EXPECT_NEAR(error.full.amplitude, 0.1 * std::exp(-0.8 / 16), 1e-4)
      << "of the vertex that moves half as far";
}

TEST(TrajectoryError, NamesTheLargestDistanceWithItsTimeAndVertex) {
  const auto full = motion(1.0, swing);
  auto reduced = full;
  reduced[250].col(0) += Vector3(0.0, 3.0, 4.0);
  const TrajectoryError error = compare_trajectories(full, reduced, h, 1);
  EXPECT_NEAR(error.largest, 5.0, 1e-12);
  EXPECT_NEAR(error.worst_time, 0.25, 1e-12);
  EXPECT_EQ(error.worst_vertex, 0);
}

TEST(TrajectoryError, LooksAlongTheMainMotionOfTheProbe) {
  const auto full = motion(1.0, [](double t) { return 7.0 - swing(t); });
  auto reduced = full;
  for (Matrix3X& field : reduced)
    field.col(1) += Vector3(-2.0, 0.0, 1.0);  // across: the probe does not see it
  const TrajectoryError error = compare_trajectories(full, reduced, h, 1);
  EXPECT_LT((error.direction - Vector3(1.0, 2.0, 2.0) / 3.0).norm(), 1e-12) << error.direction.transpose();
  EXPECT_NEAR(error.amplitude_ratio, 1.0, 1e-12);
  EXPECT_GT(error.largest, 2.0);
}

TEST(TrajectoryError, IsDefinedForABodyAtRest) {
  const std::vector<Matrix3X> rest(5, Matrix3X::Zero(3, 2));
  const TrajectoryError none = compare_trajectories(rest, rest, h, 1);
  EXPECT_EQ(none.relative_rms, 0.0);
  EXPECT_EQ(none.direction, Vector3::Zero());
  EXPECT_EQ(none.amplitude_ratio, 0.0);
  EXPECT_EQ(none.frequency_ratio, 0.0);
  const std::vector<Matrix3X> moved(5, Matrix3X::Ones(3, 2));
  EXPECT_EQ(compare_trajectories(rest, moved, h, 1).relative_rms, INFINITY);
}

TEST(TrajectoryError, RefusesMotionsThatDoNotFitTogether) {
  const std::vector<Matrix3X> good(5, Matrix3X::Zero(3, 2));
  const auto error = [&](const std::vector<Matrix3X>& reduced, Index probe = 0) {
    return test::error_text([&] { compare_trajectories(good, reduced, h, probe); });
  };
  EXPECT_EQ(error(std::vector<Matrix3X>(4, Matrix3X::Zero(3, 2))),
            "the reduced trajectory has 4 times, the full one 5");
  EXPECT_EQ(error(std::vector<Matrix3X>(5, Matrix3X::Zero(3, 3))),
            "the trajectories have 2 (full) and 3 (reduced) vertices at time 0 (from 0), expected 2");
  EXPECT_EQ(error(good, 2), "the probe is vertex 2, expected 0 to 1");
  EXPECT_EQ(error(good, -1), "the probe is vertex -1, expected 0 to 1");
  std::vector<Matrix3X> bad = good;
  bad[3](1, 1) = NAN;
  EXPECT_EQ(error(bad), "the reduced trajectory holds numbers that are not finite at time 3 (from 0)");
  EXPECT_THROW(compare_trajectories({}, {}, h, 0), Error);
}

}  // namespace
}  // namespace limber::trajectory_test
