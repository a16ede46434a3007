#include "limber/scene/trajectory.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {
namespace {

/// Where a signal passes its centre; times in samples.
struct Crossings {
  std::vector<double> rising, falling;

  [[nodiscard]] bool has_period() const { return rising.size() > 1 || falling.size() > 1; }
};

/// The signal is above once it exceeds centre + band, below once it falls short of centre - band, and keeps
/// its side in between.
Crossings find_crossings(const VectorRef& values, double centre, double band) {
  Crossings crossings;
  int side = 0;  // unknown until the band is left for the first time
  double sum = 0.0;
  int count = 0;
  for (Index i = 0; i < values.size(); ++i) {
    const double value = values(i) - centre;
    const double previous = i > 0 ? values(i - 1) - centre : value;
    if ((previous < 0.0) != (value < 0.0)) {
      sum += static_cast<double>(i) - value / (value - previous);
      ++count;
    }
    if (std::abs(value) <= band) continue;
    const int now = value > 0.0 ? 1 : -1;
    if (now == -side) (now > 0 ? crossings.rising : crossings.falling).push_back(sum / count);
    side = now;
    sum = 0.0;
    count = 0;
  }
  return crossings;
}

/// Mean of the values between the first and the last of these crossings.
double mean_between(const VectorRef& values, const std::vector<double>& times) {
  const auto begin = static_cast<Index>(std::ceil(times.front()));
  const auto end = static_cast<Index>(std::ceil(times.back()));
  return values.segment(begin, end - begin).mean();
}

/// Calls visit(times) for each direction in which there are whole periods.
template <class Visit>
void for_each_direction(const Crossings& crossings, const Visit& visit) {
  if (crossings.rising.size() > 1) visit(crossings.rising);
  if (crossings.falling.size() > 1) visit(crossings.falling);
}

/// Crossings of the mean over whole periods; of the mean of all values where there is no whole period.
Crossings find_periods(const VectorRef& values, double band) {
  Crossings crossings = find_crossings(values, values.mean(), band);
  // The first repetition takes off what a started period adds to the mean; the others settle which crossings
  // count.
  for (int repetition = 0; repetition < 3 && crossings.has_period(); ++repetition) {
    double sum = 0.0;
    int directions = 0;
    for_each_direction(crossings, [&](const std::vector<double>& times) {
      sum += mean_between(values, times);
      ++directions;
    });
    Crossings next = find_crossings(values, sum / directions, band);
    if (!next.has_period()) break;  // the record is so short that a better centre loses its last crossing
    crossings = std::move(next);
  }
  return crossings;
}

/// Half a period in samples, of a record that shows less than a whole one; 0 where there is none.
double half_period(const VectorRef& values, double centre, double band) {
  const Crossings crossings = find_crossings(values, centre, band);
  if (!crossings.rising.empty() && !crossings.falling.empty()) {
    return std::abs(crossings.rising.front() - crossings.falling.front());
  }
  Index high = 0;
  Index low = 0;
  values.maxCoeff(&high);
  values.minCoeff(&low);
  const auto inside = [&](Index i) { return i > 0 && i + 1 < values.size(); };
  if (crossings.rising.size() + crossings.falling.size() != 1 || !inside(high) || !inside(low)) return 0.0;
  return std::abs(static_cast<double>(high - low));
}

/// In samples; 0 where there is none.
double find_period(const VectorRef& values) {
  const double high = values.maxCoeff();
  const double low = values.minCoeff();
  const double half_range = high / 2 - low / 2;  // does not overflow
  // What rounding makes of a constant is no vibration: a few hundred units in the last place.
  if (!(half_range > 1e-13 * std::max(std::abs(high), std::abs(low)))) return 0.0;
  const Vector scaled = (values.array() - (low + half_range)) / half_range;  // from -1 to 1
  const double band = 1.0 / 20;
  const Crossings crossings = find_periods(scaled, band);
  if (!crossings.has_period()) return 2 * half_period(scaled, 0.0, band);
  double sum = 0.0;
  int directions = 0;
  for_each_direction(crossings, [&](const std::vector<double>& times) {
    sum += (times.back() - times.front()) / static_cast<double>(times.size() - 1);
    ++directions;
  });
  return sum / directions;
}

double ratio(double reduced, double full) { return full > 0.0 ? reduced / full : 0.0; }

void check_motions(const std::vector<Matrix3X>& full, const std::vector<Matrix3X>& reduced, Index probe) {
  require(!full.empty(), "the trajectories have no times, expected at least one");
  require(full.size() == reduced.size(), "the reduced trajectory has {} times, the full one {}",
          reduced.size(), full.size());
  const Index vertices = full.front().cols();
  require(probe >= 0 && probe < vertices, "the probe is vertex {}, expected 0 to {}", probe, vertices - 1);
  for (std::size_t i = 0; i < full.size(); ++i) {
    require(full[i].cols() == vertices && reduced[i].cols() == vertices,
            "the trajectories have {} (full) and {} (reduced) vertices at time {} (from 0), expected {}",
            full[i].cols(), reduced[i].cols(), i, vertices);
    require(full[i].allFinite() && reduced[i].allFinite(),
            "the {} trajectory holds numbers that are not finite at time {} (from 0)",
            full[i].allFinite() ? "reduced" : "full", i);
  }
}

/// Fills in everything about all vertices.
void compare_fields(const std::vector<Matrix3X>& full, const std::vector<Matrix3X>& reduced, double h,
                    TrajectoryError& error) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < full.size(); ++i) {
    const Vector distances = (reduced[i] - full[i]).colwise().norm();
    difference += distances.squaredNorm();
    size += full[i].squaredNorm();
    Index vertex = 0;
    const double worst = distances.maxCoeff(&vertex);
    if (worst <= error.largest) continue;
    error.largest = worst;
    error.worst_time = static_cast<double>(i) * h;
    error.worst_vertex = vertex;
  }
  error.relative_rms = difference == 0.0 ? 0.0
                       : size == 0.0     ? std::numeric_limits<double>::infinity()
                                         : std::sqrt(difference / size);
}

Vector3 main_direction(const std::vector<Matrix3X>& motion, Index probe) {
  Matrix3X path(3, static_cast<Index>(motion.size()));
  for (std::size_t i = 0; i < motion.size(); ++i) path.col(static_cast<Index>(i)) = motion[i].col(probe);
  path.colwise() -= path.rowwise().mean().eval();
  const double size = path.cwiseAbs().maxCoeff();
  if (size == 0.0) return Vector3::Zero();
  path /= size;  // squares of tiny displacements would underflow
  const Vector3 direction = symmetric_eigen3(path * path.transpose()).vectors.col(2);
  Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  return direction(largest) < 0.0 ? -direction : direction;
}

}  // namespace

Oscillation measure_oscillation(const VectorRef& values, double h, double from) {
  require(values.size() > 0, "an oscillation of no values, expected at least one");
  require(values.allFinite(), "an oscillation of values that are not all finite");
  require(std::isfinite(h) && h > 0.0, "the time between values is {}, expected more than 0", h);
  require(std::isfinite(from) && from >= 0.0,
          "the oscillation is to be measured from {} s, expected at least 0", from);
  Oscillation oscillation;
  oscillation.amplitude = (values.array() - values(0)).abs().maxCoeff();
  // A time that is a multiple of h up to rounding means that sample.
  const double first = std::ceil(from / h - 1e-6);
  if (first >= static_cast<double>(values.size())) return oscillation;
  const double period = find_period(values.tail(values.size() - static_cast<Index>(first)));
  if (period > 0.0) oscillation.frequency = 1.0 / (period * h);
  return oscillation;
}

Vector probe_signal(const std::vector<Matrix3X>& motion, Index probe, const Vector3& direction) {
  Vector signal(static_cast<Index>(motion.size()));
  for (std::size_t i = 0; i < motion.size(); ++i) {
    require(probe >= 0 && probe < motion[i].cols(), "the probe is vertex {}, expected 0 to {}", probe,
            motion[i].cols() - 1);
    signal(static_cast<Index>(i)) = direction.dot(motion[i].col(probe));
  }
  return signal;
}

TrajectoryError compare_trajectories(const std::vector<Matrix3X>& full, const std::vector<Matrix3X>& reduced,
                                     double h, Index probe, double from) {
  check_motions(full, reduced, probe);
  TrajectoryError error;
  compare_fields(full, reduced, h, error);
  error.direction = main_direction(full, probe);
  error.full = measure_oscillation(probe_signal(full, probe, error.direction), h, from);
  error.reduced = measure_oscillation(probe_signal(reduced, probe, error.direction), h, from);
  error.amplitude_ratio = ratio(error.reduced.amplitude, error.full.amplitude);
  error.frequency_ratio = ratio(error.reduced.frequency, error.full.frequency);
  return error;
}

}  // namespace limber
