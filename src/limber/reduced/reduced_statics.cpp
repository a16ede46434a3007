#include "limber/base/error.hpp"
#include "limber/linalg/lu.hpp"
#include "limber/reduced/reduced_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

constexpr double armijo =
    1e-4;  ///< share of the predicted decrease that a step must achieve; the usual value
constexpr int max_backtracks = 40;

/// A full step that leaves this share of the slope is good enough: near the solution Newton's iteration is at
/// its best.
constexpr double good_slope = 0.1;

/// An iteration that leaves more of the residual than this is a slow one: with the symmetric part of df/dq
/// alone, it is the skew part.
constexpr double slow_share = 0.25;

/// The potential P(q) = W(q) - f_ext . q along the line q + t direction, less its value at the start, and its
/// slope. Where the forces have no potential, the work of f - f_ext along the line takes its place, by the
/// trapezoidal rule: near a solution it falls where the residual does, in whatever units the coordinates are,
/// which cannot be said of the residual's norm.
class Line {
 public:
  struct Value {
    double potential, slope;
  };

  /// system: evaluated at q.
  Line(ReducedSystem& system, const Vector& f_ext, const Vector& q, const Vector& direction)
      : system_(system),
        f_ext_(f_ext),
        start_(q),
        direction_(direction),
        conservative_(system.equations().elastic.conservative()),
        energy_(system.elastic_energy()),
        slope_(slope()) {}

  [[nodiscard]] Value start() const { return {0.0, slope_}; }
  Value at(double t) {
    point_ = start_ + t * direction_;
    system_.evaluate_force(point_);
    const double end = slope();
    if (!conservative_) return {0.5 * t * (slope_ + end), end};
    return {system_.elastic_energy() - energy_ - t * f_ext_.dot(direction_), end};
  }
  [[nodiscard]] const Vector& point() const { return point_; }  ///< of the last value

 private:
  [[nodiscard]] double slope() const { return (system_.force() - f_ext_).dot(direction_); }

  ReducedSystem& system_;
  const Vector &f_ext_, &start_, &direction_;
  bool conservative_;
  double energy_, slope_;
  Vector point_;
};

/// Smallest positive t where the cubic  a + b t + c t^2 + d t^3, negative at 0, becomes positive; by
/// bisection. 0 where it does not up to the largest t that a search tries.
double first_rise(double a, double b, double c, double d) {
  const auto cubic = [&](double t) { return a + t * (b + t * (c + t * d)); };
  double low = 0.0, high = 1.0 / 1024.0;
  while (cubic(high) < 0.0) {
    low = high;
    high *= 2.0;
    if (high > 1e9) return 0.0;
  }
  if (!std::isfinite(cubic(high))) return 0.0;
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    (cubic(middle) < 0.0 ? low : high) = middle;
  }
  return low;
}

bool descends(double t, const Line::Value& value, const Line::Value& start, double noise) {
  return std::isfinite(value.potential) && value.potential <= armijo * t * start.slope + noise;
}

/// Where a potential of degree four along the line has its minimum, from what is known at t = 0 and 1; 0
/// where it has none. curvature: at 0.
double quartic_minimum(const Line::Value& start, double curvature, const Line::Value& full) {
  // slope(t) = a + b t + c t^2 + d t^3 with the slope and the potential at t = 1
  const double a = start.slope, b = curvature;
  const double rise = full.potential - a - 0.5 * b, gain = full.slope - a - b;
  const double d = 12.0 * (gain / 3.0 - rise), c = gain - d;
  return first_rise(a, b, c, d);
}

/// The next t to try after one where the potential has not fallen enough: the minimum of the cubic through
/// both values and slopes, but no less than a tenth of t and no more than half.
double shorten(double t, const Line::Value& start, const Line::Value& value) {
  const double low = 0.1 * t, high = 0.5 * t;
  if (!std::isfinite(value.potential) || !std::isfinite(value.slope)) return low;
  // potential(u t) = g0 u + b u^2 + c u^3 for u = 0 to 1
  const double g0 = t * start.slope, g1 = t * value.slope;
  const double b = 3.0 * value.potential - 2.0 * g0 - g1, c = g0 + g1 - 2.0 * value.potential;
  const double root = b + std::sqrt(std::max(b * b - 3.0 * c * g0, 0.0));
  return root > 0.0 ? std::clamp(-g0 * t / root, low, high) : high;
}

/// Moves q along the line to where the potential falls. That of a polynomial is of degree four along the
/// line, so that what is known at t = 0 and 1 tells where its minimum is: far from the solution this saves
/// many steps. curvature: direction . K direction.  Returns whether q moved.
bool line_search(Line& line, bool polynomial, double curvature, double noise, Vector& q) {
  const Line::Value start = line.start();
  double t = 1.0;
  Line::Value value = line.at(t);
  const bool near_minimum = std::abs(value.slope) <= good_slope * std::abs(start.slope);
  if (polynomial && !(near_minimum && descends(t, value, start, noise))) {
    const double minimum = quartic_minimum(start, curvature, value);
    if (minimum > 0.0 && descends(minimum, line.at(minimum), start, noise)) {
      q = line.point();
      return true;
    }
    value = line.at(t);
  }
  for (int k = 0; k < max_backtracks && !descends(t, value, start, noise); ++k) {
    t = shorten(t, start, value);
    value = line.at(t);
  }
  if (!descends(t, value, start, noise)) return false;
  q = line.point();
  return true;
}

/// Newton's step with df/dq itself, by differences of r forces. Returns whether it goes downhill.
bool exact_step(const ReducedSystem& system, const Vector& residual, Vector& step) {
  const Index r = residual.size();
  Matrix derivative(r, r);
  Vector column;
  for (Index j = 0; j < r; ++j) {
    system.multiply_force_derivative(Vector::Unit(r, j), column);
    derivative.col(j) = column;
  }
  step = solve_general(derivative, residual);
  return step.allFinite() && residual.dot(step) > 0.0;
}

/// The step that the system's solver gives.
SolveReport usual_step(ReducedSystem& system, const Vector& residual, Vector& step) {
  const SolveReport factored = system.factor(0.0, 0.0, 1.0, Vector::Zero(residual.size()));
  return factored.ok() ? system.solve(residual, step) : factored;
}

}  // namespace

SolveReport solve_static(ReducedSystem& system, const Vector& f_ext, Vector& q, double tolerance,
                         int max_iterations) {
  require(f_ext.size() == system.size() && q.size() == system.size(),
          "load has {} and displacement {} entries, the reduced equations need {}", f_ext.size(), q.size(),
          system.size());
  const Elasticity& elastic = system.equations().elastic;
  const bool polynomial = elastic.quartic() != nullptr;
  Vector residual, step, product;
  double scale = f_ext.norm(), before = std::numeric_limits<double>::infinity();
  bool slow = false;
  SolveReport report;
  for (;; ++report.iterations) {
    system.evaluate(q);
    residual = f_ext - system.force();
    const double size = residual.norm();
    if (!std::isfinite(size)) return {SolveStatus::not_finite, report.iterations, size};
    if (scale == 0.0) scale = size;
    report.residual = scale > 0.0 ? size / scale : 0.0;
    if (report.residual <= tolerance) return report;
    if (report.iterations > 0 && size <= system.force_rounding()) return report;
    if (report.iterations >= max_iterations) break;

    slow = slow || (!elastic.conservative() && size > slow_share * before);
    before = size;
    if (!slow || !exact_step(system, residual, step)) {
      const SolveReport solved = usual_step(system, residual, step);
      if (!solved.ok()) return {solved.status, report.iterations, report.residual};
    }
    // Near the solution the decrease drowns in the rounding of the energies themselves.
    const double noise =
        system.force_rounding() * step.norm() + (elastic.conservative() ? system.energy_rounding() : 0.0);
    double curvature = 0.0;
    if (polynomial) {
      system.multiply_stiffness(step, product);
      curvature = step.dot(product);
    }
    Line line(system, f_ext, q, step);
    if (!(line.start().slope < 0.0) || !line_search(line, polynomial, curvature, noise, q)) break;
  }
  report.status = SolveStatus::not_converged;
  return report;
}

}  // namespace limber
