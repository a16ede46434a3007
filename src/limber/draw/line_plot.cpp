#include "limber/draw/line_plot.hpp"

#include "limber/base/error.hpp"
#include "limber/draw/plot_layout.hpp"
#include "limber/draw/svg_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace limber {
namespace {

using namespace plot_sizes;

constexpr double dot_radius = 2.8;
constexpr Index most_dots = 16;  ///< points of a curve that shows them

/// The palette of Okabe & Ito, without its yellow, which is too pale for lines on white.
constexpr std::array<std::string_view, 7> palette{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};

void check_curve(const LinePlot& plot, const Curve& curve, std::size_t number) {
  const auto name = [&] {
    return fmt::format("curve {} ('{}') of the plot", number, curve.name.substr(0, 60));
  };
  require(curve.x.size() == curve.y.size(), "{} has {} x and {} y, expected as many", name(), curve.x.size(),
          curve.y.size());
  require(curve.x.size() > 0, "{} has no points, expected at least one", name());
  for (Index i = 0; i < curve.x.size(); ++i) {
    const double x = curve.x(i);
    const double y = curve.y(i);
    require(std::abs(x) <= largest_plotted && std::abs(y) <= largest_plotted,
            "{} has the point ({}, {}), expected finite numbers up to {}", name(), x, y, largest_plotted);
    require((!plot.log_x || x >= 1e-300) && (!plot.log_y || y >= 1e-300),
            "{} has the point ({}, {}), expected positive numbers on a logarithmic axis", name(), x, y);
  }
}

void check_plot(const LinePlot& plot) {
  require(!plot.curves.empty(), "a plot without curves, expected at least one");
  require(plot.width >= 240 && plot.height >= 180 && plot.width <= 10000 && plot.height <= 10000,
          "a plot of {} x {} pixels, expected 240 x 180 to 10000 x 10000", plot.width, plot.height);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) check_curve(plot, plot.curves[i], i);
}

/// A label of an axis in the size that fits the room: down to three quarters, what is longer is cut.
std::pair<std::string, double> fitted(const std::string& label, double room) {
  const double size =
      plot_sizes::text * std::clamp(room / svg_text_width(label, plot_sizes::text), 0.75, 1.0);
  return {shortened_text(label, size, room), size};
}

/// Writes the document.
class PlotWriter {
 public:
  PlotWriter(const LinePlot& plot, const PlotLayout& layout) : plot_(plot), layout_(layout) {}

  std::string write();

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(svg_), text, std::forward<Args>(args)...);
  }
  void add_line(const Vector2& from, const Vector2& to) {
    add("<path d=\"M{} {}L{} {}\"/>\n", svg_number(from.x()), svg_number(from.y()), svg_number(to.x()),
        svg_number(to.y()));
  }
  void add_text(const Vector2& at, std::string_view anchor, double size, std::string_view text,
                std::string_view attributes = "") {
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", svg_number(at.x()),
        svg_number(at.y()), anchor, svg_number(size), attributes, svg_escaped(text));
  }
  void add_label(const Vector2& at, std::string_view anchor, const PlotLabel& label);
  void add_grid();
  void add_axes();
  void add_titles();
  void add_curve(std::size_t i);
  void add_legend();
  [[nodiscard]] static std::string_view color(std::size_t i) { return palette[i % palette.size()]; }
  [[nodiscard]] std::string dashes(std::size_t i) const;
  [[nodiscard]] bool has_dots(std::size_t i) const;

  const LinePlot& plot_;
  const PlotLayout& layout_;
  std::string svg_;
};

/// Curves of the same colour differ by their dashes.
std::string PlotWriter::dashes(std::size_t i) const {
  constexpr std::array<std::string_view, 6> solid{"", "2 3", "9 3 2 3", "1 5", "12 4", "6 2 2 2 2 2"};
  constexpr std::array<std::string_view, 6> dashed{"6 4", "4 6", "3 2", "10 6", "7 3 3 3", "2 6"};
  const std::size_t round = i / palette.size() % solid.size();
  const std::string_view pattern = plot_.curves[i].dashed ? dashed[round] : solid[round];
  return pattern.empty() ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", pattern);
}

bool PlotWriter::has_dots(std::size_t i) const {
  const Polyline& line = layout_.lines[i];
  const bool is_spot =
      std::ranges::all_of(line, [&](const Vector2& point) { return (point - line.front()).norm() < 1.0; });
  return is_spot || (!plot_.curves[i].dashed && plot_.curves[i].x.size() <= most_dots);
}

void PlotWriter::add_label(const Vector2& at, std::string_view anchor, const PlotLabel& label) {
  add("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}", svg_number(at.x()), svg_number(at.y()), anchor,
      label.text);
  if (!label.power.empty()) {
    add("<tspan dy=\"-4.5\" font-size=\"{}\">{}</tspan>", svg_number(power_text), label.power);
  }
  add("</text>\n");
}

void PlotWriter::add_grid() {
  const PlotBox& frame = layout_.frame;
  const auto vertical = [&](double value) {
    const double x = frame.low.x() + layout_.x_axis.position(value) * frame.size().x();
    add_line({x, frame.low.y()}, {x, frame.high.y()});
  };
  const auto horizontal = [&](double value) {
    const double y = frame.high.y() - layout_.y_axis.position(value) * frame.size().y();
    add_line({frame.low.x(), y}, {frame.high.x(), y});
  };
  add("<g fill=\"none\" stroke=\"#f0f0f0\" stroke-width=\"0.8\">\n");
  for (const double value : layout_.x_axis.minor) vertical(value);
  for (const double value : layout_.y_axis.minor) horizontal(value);
  add("</g>\n<g fill=\"none\" stroke=\"#dcdcdc\" stroke-width=\"0.8\">\n");
  for (const PlotTick& tick : layout_.x_axis.ticks) vertical(tick.value);
  for (const PlotTick& tick : layout_.y_axis.ticks) horizontal(tick.value);
  add("</g>\n");
  const ValueRange& y = layout_.y_axis.range;
  if (plot_.log_y || y.low >= 0.0 || y.high <= 0.0) return;
  add("<g fill=\"none\" stroke=\"#a0a0a0\" stroke-width=\"0.8\">\n");
  horizontal(0.0);
  add("</g>\n");
}

void PlotWriter::add_axes() {
  const PlotBox& frame = layout_.frame;
  const double left = frame.low.x();
  const double bottom = frame.high.y();
  add("<g fill=\"none\" stroke=\"#444\">\n");
  add("<path d=\"M{} {}V{}H{}\"/>\n", svg_number(left), svg_number(frame.low.y()), svg_number(bottom),
      svg_number(frame.high.x()));
  for (const PlotTick& tick : layout_.x_axis.ticks) {
    const Vector2 at = layout_.to_pixels(tick.value, layout_.y_axis.range.low);
    add_line(at, {at.x(), bottom + tick_length});
  }
  for (const PlotTick& tick : layout_.y_axis.ticks) {
    const Vector2 at = layout_.to_pixels(layout_.x_axis.range.low, tick.value);
    add_line({left - tick_length, at.y()}, at);
  }
  add("</g>\n<g font-size=\"{}\">\n", svg_number(tick_text));
  for (const PlotTick& tick : layout_.x_axis.ticks) {
    const Vector2 at = layout_.to_pixels(tick.value, layout_.y_axis.range.low);
    add_label({at.x(), bottom + tick_length + 14.0}, "middle", tick.label);
  }
  for (const PlotTick& tick : layout_.y_axis.ticks) {
    const Vector2 at = layout_.to_pixels(layout_.x_axis.range.low, tick.value);
    add_label({left - tick_length - 4.0, at.y() + 4.2}, "end", tick.label);
  }
  if (!layout_.x_axis.scale.text.empty()) {
    add_label({frame.high.x() + border, bottom + tick_length + 34.0}, "end", layout_.x_axis.scale);
  }
  if (!layout_.y_axis.scale.text.empty()) {
    add_label({left - tick_length - 4.0, frame.low.y() - 8.0}, "start", layout_.y_axis.scale);
  }
  add("</g>\n");
}

void PlotWriter::add_titles() {
  const PlotBox& frame = layout_.frame;
  const Vector2 middle = (frame.low + frame.high) / 2;
  for (std::size_t i = 0; i < layout_.title.size(); ++i) {
    add_text({plot_.width / 2.0, border + 14.0 + title_row * static_cast<double>(i)}, "middle", title_text,
             layout_.title[i], " font-weight=\"600\"");
  }
  if (!plot_.x_label.empty()) {
    const double room = 2 * std::min(middle.x(), plot_.width - middle.x()) - 2 * border;
    const auto [label, size] = fitted(plot_.x_label, room);
    add_text({middle.x(), plot_.height - border}, "middle", size, label);
  }
  if (plot_.y_label.empty()) return;
  const double room = 2 * std::min(middle.y(), plot_.height - middle.y()) - 2 * border;
  const auto [label, size] = fitted(plot_.y_label, room);
  const Vector2 at(border + 11.0, middle.y());
  add_text(at, "middle", size, label,
           fmt::format(" transform=\"rotate(-90 {} {})\"", svg_number(at.x()), svg_number(at.y())));
}

void PlotWriter::add_curve(std::size_t i) {
  const Polyline& line = layout_.lines[i];
  if (line.size() > 1) {
    add("<polyline stroke=\"{}\"{} points=\"", color(i), dashes(i));
    for (std::size_t p = 0; p < line.size(); ++p) {
      add("{}{},{}", p == 0 ? "" : " ", svg_number(line[p].x()), svg_number(line[p].y()));
    }
    add("\"/>\n");
  }
  if (!has_dots(i)) return;
  const Curve& curve = plot_.curves[i];
  add("<g fill=\"{}\" stroke=\"none\">\n", color(i));
  for (Index p = 0; p < std::min(curve.x.size(), most_dots); ++p) {
    const Vector2 at = layout_.to_pixels(curve.x(p), curve.y(p));
    add("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", svg_number(at.x()), svg_number(at.y()),
        svg_number(dot_radius));
  }
  add("</g>\n");
}

void PlotWriter::add_legend() {
  const PlotLegend& legend = layout_.legend;
  if (legend.entries.empty()) return;
  if (legend.place == PlotLegend::Place::inside) {
    const Vector2 size = legend.box.size();
    add("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#fff\" fill-opacity=\"0.9\" "
        "stroke=\"#ccc\" stroke-width=\"0.8\"/>\n",
        svg_number(legend.box.low.x()), svg_number(legend.box.low.y()), svg_number(size.x()),
        svg_number(size.y()));
  }
  for (const PlotLegend::Entry& entry : legend.entries) {
    const Vector2 end = entry.at + Vector2(sample_length, 0.0);
    add("<path fill=\"none\" stroke-width=\"1.8\" stroke=\"{}\"{} d=\"M{} {}H{}\"/>\n", color(entry.curve),
        dashes(entry.curve), svg_number(entry.at.x()), svg_number(entry.at.y()), svg_number(end.x()));
    if (has_dots(entry.curve)) {
      add("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n",
          svg_number(entry.at.x() + sample_length / 2), svg_number(entry.at.y()), svg_number(dot_radius),
          color(entry.curve));
    }
    add_text(end + Vector2(sample_gap, 0.35 * legend.size), "start", legend.size, entry.name);
  }
}

std::string PlotWriter::write() {
  add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', sans-serif\" fill=\"#222\">\n",
      plot_.width, plot_.height);
  if (!plot_.title.empty()) add("<title>{}</title>\n", svg_escaped(plot_.title));
  add("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", plot_.width, plot_.height);
  add_grid();
  add_axes();
  add_titles();
  add("<g fill=\"none\" stroke-width=\"1.8\" stroke-linejoin=\"round\">\n");
  for (std::size_t i = 0; i < plot_.curves.size(); ++i) add_curve(i);
  add("</g>\n");
  add_legend();
  add("</svg>\n");
  return std::move(svg_);
}

}  // namespace

std::string to_svg(const LinePlot& plot) {
  check_plot(plot);
  const PlotLayout layout = lay_out_plot(plot);
  return PlotWriter(plot, layout).write();
}

}  // namespace limber
