#include "limber/base/error.hpp"
#include "limber/reduced/reduced_dynamics.hpp"

#include <cmath>
#include <limits>

namespace limber {
namespace {

constexpr double armijo =
    1e-4;  ///< share of the predicted decrease that a step must achieve; the usual value
constexpr int max_backtracks = 40;

/// A full step that leaves this share of the slope is good enough: near the solution Newton's iteration is at its best.
constexpr double good_slope = 0.1;

/// The potential P(q) = W(q) - f_ext . q and its gradient along the line q + t direction.
class Line {
 public:
  Line(ReducedSystem& system, const Vector& f_ext, const Vector& q, const Vector& direction)
      : system_(system), f_ext_(f_ext), start_(q), direction_(direction) {}

  struct Value {
    double potential, slope;
  };
  Value at(double t) {
    point_ = start_ + t * direction_;
    system_.evaluate_force(point_);
    return {system_.elastic_energy() - f_ext_.dot(point_), (system_.force() - f_ext_).dot(direction_)};
  }
  [[nodiscard]] const Vector& point() const { return point_; }  ///< of the last value

 private:
  ReducedSystem& system_;
  const Vector &f_ext_, &start_, &direction_;
  Vector point_;
};

/// Smallest positive t where the cubic  a + b t + c t^2 + d t^3, negative at 0, becomes positive; by bisection. 0 where it
/// does not up to the largest t that a search tries.
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

/// Moves q along `direction` to where the potential falls. It is a polynomial of degree four along the line, so that what is
/// known at t = 0 and 1 tells where its minimum is: far from the solution this saves many steps.
/// curvature: direction . K direction.  Returns whether q moved.
bool line_search(Line& line, Line::Value start, double curvature, double noise, Vector& q) {
  const auto descends = [&](double t, Line::Value value) {
    return std::isfinite(value.potential) &&
           value.potential <= start.potential + armijo * t * start.slope + noise;
  };
  const Line::Value full = line.at(1.0);
  const bool full_descends = descends(1.0, full);
  if (full_descends && std::abs(full.slope) <= good_slope * std::abs(start.slope)) {
    q = line.point();
    return true;
  }
  // slope(t) = a + b t + c t^2 + d t^3 with the slope and the potential at t = 1
  const double a = start.slope, b = curvature;
  const double rise = full.potential - start.potential - a - 0.5 * b, gain = full.slope - a - b;
  const double d = 12.0 * (gain / 3.0 - rise), c = gain - d;
  double t = first_rise(a, b, c, d);
  if (t > 0.0 && descends(t, line.at(t))) {
    q = line.point();
    return true;
  }
  t = 1.0;
  for (int k = 0; k < max_backtracks; ++k, t *= 0.5) {
    if (descends(t, line.at(t))) {
      q = line.point();
      return true;
    }
  }
  return false;
}

}  // namespace

SolveReport solve_static(ReducedSystem& system, const Vector& f_ext, Vector& q, double tolerance,
                         int max_iterations) {
  require(f_ext.size() == system.size() && q.size() == system.size(),
          "load has {} and displacement {} entries, the reduced equations need {}", f_ext.size(), q.size(),
          system.size());
  const Vector at_rest = Vector::Zero(q.size());
  Vector residual, step;
  double scale = f_ext.norm();
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

    SolveReport solved = system.factor(0.0, 0.0, 1.0, at_rest);
    if (solved.ok()) solved = system.solve(residual, step);
    if (!solved.ok()) return {solved.status, report.iterations, report.residual};
    const double work = f_ext.dot(q), energy = system.elastic_energy();
    // Near the solution the decrease drowns in the rounding of the energies themselves.
    const double noise = 16.0 * std::numeric_limits<double>::epsilon() * (std::abs(energy) + std::abs(work)) +
                         system.force_rounding() * step.norm();
    const double curvature = step.dot(system.stiffness() * step);
    Line line(system, f_ext, q, step);
    if (!line_search(line, {energy - work, -residual.dot(step)}, curvature, noise, q)) break;
  }
  report.status = SolveStatus::not_converged;
  return report;
}

}  // namespace limber
