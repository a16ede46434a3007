#include "apps/limber/report_figures.hpp"
#include "limber/base/file.hpp"
#include "limber/draw/line_plot.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace limber::app {
namespace {

constexpr double least_angle = 1e-6;            ///< degrees: rounding, and a logarithm has to end somewhere
constexpr double least_singular_value = 1e-16;  ///< share of the largest; below is rounding

/// A curve of the points that a plot with logarithmic axes can show.
class CurveBuilder {
 public:
  explicit CurveBuilder(std::string name, bool dashed = false) : name_(std::move(name)), dashed_(dashed) {}

  void add(double x, double y) {
    constexpr double least = 1e-300;
    if (!(x >= least && y >= least && std::isfinite(x) && std::isfinite(y))) return;
    x_.push_back(x);
    y_.push_back(y);
  }
  /// Adds it to the plot, unless it is empty.
  void finish(LinePlot& plot) const {
    if (x_.empty()) return;
    const auto count = static_cast<Index>(x_.size());
    plot.curves.push_back({name_, Vector::Map(x_.data(), count), Vector::Map(y_.data(), count), dashed_});
  }

 private:
  std::string name_;
  bool dashed_;
  std::vector<double> x_, y_;
};

/// A value per number from 1 on.
void add_numbered(LinePlot& plot, std::string name, const Vector& values, bool dashed = false) {
  CurveBuilder curve(std::move(name), dashed);
  for (Index i = 0; i < values.size(); ++i) curve.add(static_cast<double>(i + 1), values(i));
  curve.finish(plot);
}

/// From one side of all curves so far to the other.
void add_level(LinePlot& plot, std::string name, double level) {
  if (!(level > 0.0)) return;
  double low = plot.curves.front().x(0), high = low;
  for (const Curve& curve : plot.curves) {
    low = std::min(low, curve.x.minCoeff());
    high = std::max(high, curve.x.maxCoeff());
  }
  plot.curves.push_back({std::move(name), Eigen::Vector2d(low, high), Eigen::Vector2d(level, level), true});
}

/// Sizes at which texts are legible on a telephone and three plots fit beside each other on a desk.
LinePlot make_plot(std::string x_label, std::string y_label) {
  return {.x_label = std::move(x_label), .y_label = std::move(y_label), .width = 400, .height = 290};
}

std::optional<Figure> write_plot(const std::filesystem::path& folder, const LinePlot& plot, std::string file,
                                 std::string caption, std::string alternative) {
  write_file(folder / file, to_svg(plot));
  return Figure{std::move(file), std::move(alternative), std::move(caption), plot.width, plot.height};
}

}  // namespace

std::optional<Figure> plot_frequencies(const std::filesystem::path& folder, const ReducedModel& reduced,
                                       const ReduceReport& report) {
  const Vector& linear = report.frequencies_hz;
  const Index known = std::max(linear.size(), report.check ? report.check->frequencies_hz.size() : 0);
  const Vector found = natural_frequencies(make_equations(reduced));
  const Index shown = known > 0 ? std::min(known, found.size()) : found.size();
  LinePlot plot = make_plot("mode", "frequency (Hz)");
  add_numbered(plot, "reduced model", found.head(shown));
  add_numbered(plot, "linear modes", linear);
  if (report.check) add_numbered(plot, "true modes", report.check->frequencies_hz, true);
  if (plot.curves.empty()) return std::nullopt;
  std::string alternative =
      fmt::format("Natural frequencies of the reduced model: {:.4g} to {:.4g} Hz for its first {}", found(0),
                  found(shown - 1), shown);
  if (linear.size() > 0) {
    alternative += fmt::format("; linear modes: {:.4g} to {:.4g} Hz", linear(0), linear(linear.size() - 1));
  }
  return write_plot(folder, plot, "frequencies.svg", "Natural frequencies", std::move(alternative));
}

std::optional<Figure> plot_angles(const std::filesystem::path& folder, const ReduceReport& report) {
  if (!report.check || report.check->angles.size() == 0) return std::nullopt;
  const Vector degrees = report.check->angles * (180.0 / std::numbers::pi);
  LinePlot plot = make_plot("true mode", "angle (degrees)");
  plot.log_y = true;
  add_numbered(plot, "", degrees.cwiseMax(least_angle));
  if (plot.curves.empty()) return std::nullopt;
  return write_plot(folder, plot, "angles.svg", "Angles to the true modes",
                    fmt::format("Angles between {} true modes and the basis, {:.3g} degrees at most",
                                degrees.size(), degrees.maxCoeff()));
}

std::optional<Figure> plot_singular_values(const std::filesystem::path& folder, const ReducedModel& reduced,
                                           const ReduceReport& report) {
  const Vector& values = report.singular_values;
  if (values.size() == 0 || !(values(0) > 0.0)) return std::nullopt;
  LinePlot plot = make_plot("number", "share of the largest");
  plot.log_y = true;
  CurveBuilder curve("singular values");
  double least = 1.0;
  for (Index i = 0; i < values.size() && values(i) > least_singular_value * values(0); ++i) {
    least = values(i) / values(0);
    curve.add(static_cast<double>(i + 1), least);
  }
  curve.finish(plot);
  const auto rank = static_cast<double>(reduced.rank);
  plot.curves.push_back(
      {fmt::format("rank {}", reduced.rank), Eigen::Vector2d(rank, rank), Eigen::Vector2d(least, 1.0), true});
  return write_plot(
      folder, plot, "singular_values.svg", "Singular values of the samples",
      fmt::format("Singular values of the samples, falling to {:.2g} of the largest; the basis keeps {}",
                  least, reduced.rank));
}

std::optional<Figure> plot_training_curve(const std::filesystem::path& folder, const ReducedModel& reduced,
                                          const ReduceReport& report) {
  if (!report.cubature) return std::nullopt;
  LinePlot plot = make_plot("points", "error of the force");
  plot.log_x = plot.log_y = true;
  CurveBuilder curve("training error");
  for (const FitStep& step : report.cubature->curve) curve.add(static_cast<double>(step.points), step.error);
  curve.finish(plot);
  if (plot.curves.empty()) return std::nullopt;
  if (reduced.cubature) add_level(plot, "asked for", reduced.cubature->training.error_asked_for);
  const Curve& drawn = plot.curves.front();
  const Index last = drawn.x.size() - 1;
  return write_plot(
      folder, plot, "training_curve.svg", "Error over points, last fit",
      fmt::format("Training error over the number of points: {:.2g} at {:.0f}, {:.2g} at {:.0f}", drawn.y(0),
                  drawn.x(0), drawn.y(last), drawn.x(last)));
}

std::optional<Figure> plot_training_rounds(const std::filesystem::path& folder, const ReducedModel& reduced,
                                           const ReduceReport& report) {
  if (!report.cubature || report.cubature->rounds.size() < 2) return std::nullopt;  // a point is no curve
  LinePlot plot = make_plot("training poses", "error of the force");
  plot.log_y = true;
  CurveBuilder training("known poses"), held_out("new poses");
  for (const TrainingRound& round : report.cubature->rounds) {
    training.add(static_cast<double>(round.poses), round.training_error);
    held_out.add(static_cast<double>(round.poses), round.held_out_error);
  }
  training.finish(plot);
  held_out.finish(plot);
  if (plot.curves.empty()) return std::nullopt;
  if (reduced.cubature) add_level(plot, "asked for", reduced.cubature->training.error_asked_for);
  const TrainingRound& last = report.cubature->rounds.back();
  return write_plot(
      folder, plot, "training_rounds.svg", "Rounds of training",
      fmt::format("Errors over {} rounds of training; after the last one, with {} poses, {:.2g} on known and "
                  "{:.2g} on new poses",
                  report.cubature->rounds.size(), last.poses, last.training_error, last.held_out_error));
}

}  // namespace limber::app
