#include "limber/draw/plot_layout.hpp"

#include "limber/draw/svg_text.hpp"

#include <algorithm>
#include <array>

namespace limber {
namespace {

using namespace plot_sizes;
using Place = PlotLegend::Place;
using LegendEntry = PlotLegend::Entry;

double label_width(const PlotLabel& label) {
  return svg_text_width(label.text, tick_text) + svg_text_width(label.power, power_text);
}

double widest_label(const PlotAxis& axis) {
  double widest = 0.0;
  for (const PlotTick& tick : axis.ticks) widest = std::max(widest, label_width(tick.label));
  return widest;
}

/// Smallest and largest coordinate of all curves.
ValueRange range_of(const LinePlot& plot, Vector Curve::*coordinate) {
  ValueRange range{largest_plotted, -largest_plotted};
  for (const Curve& curve : plot.curves) {
    range.low = std::min(range.low, (curve.*coordinate).minCoeff());
    range.high = std::max(range.high, (curve.*coordinate).maxCoeff());
  }
  return range;
}

/// Places one thing after the other.
class PlotPlanner {
 public:
  explicit PlotPlanner(const LinePlot& plot) : plot_(plot) {}

  PlotLayout plan();

 private:
  void set_title();
  void list_legend();
  void place_frame();
  void place_x_axis();
  void place_lines();
  [[nodiscard]] bool is_free(const PlotBox& box) const;
  bool place_legend_inside();
  bool place_legend_above();
  void place_legend_right();
  [[nodiscard]] double entry_width(const LegendEntry& entry) const {
    return sample_length + sample_gap + svg_text_width(entry.name, out_.legend.size);
  }
  [[nodiscard]] double widest_entry() const {
    double widest = 0.0;
    for (const LegendEntry& entry : out_.legend.entries) widest = std::max(widest, entry_width(entry));
    return widest;
  }
  [[nodiscard]] double title_bottom() const {
    return border + title_row * static_cast<double>(out_.title.size());
  }

  PlotLegend& legend() { return out_.legend; }

  const LinePlot& plot_;
  PlotLayout out_;
};

PlotLayout PlotPlanner::plan() {
  set_title();
  list_legend();
  place_frame();
  place_lines();
  if (out_.legend.entries.empty() || place_legend_inside()) return std::move(out_);
  // Many short names read best in a column.
  const bool is_list = out_.legend.entries.size() > 6 && widest_entry() < 0.22 * plot_.width;
  if (is_list || !place_legend_above()) place_legend_right();
  place_frame();
  place_lines();
  return std::move(out_);
}

void PlotPlanner::set_title() {
  if (plot_.title.empty()) return;
  constexpr std::size_t most_lines = 3;
  constexpr double bold = 1.1;  // how much wider
  const double room = (plot_.width - 2 * border) / bold;
  out_.title = wrapped_text(plot_.title, title_text, room);
  if (out_.title.size() > most_lines) {
    out_.title.resize(most_lines);
    out_.title.back() += " \xe2\x80\xa6";
  }
  for (std::string& line : out_.title) line = shortened_text(line, title_text, room);
}

void PlotPlanner::list_legend() {
  for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
    if (!plot_.curves[i].name.empty()) legend().entries.push_back({i, plot_.curves[i].name});
  }
}

void PlotPlanner::place_frame() {
  PlotBox& frame = out_.frame;
  frame.low.y() = out_.title.empty() ? border : title_bottom() + 6.0;
  if (legend().place == Place::above) frame.low.y() = legend().box.high.y() + 8.0;
  frame.high.y() = plot_.height - border - 20.0 - (plot_.x_label.empty() ? 0.0 : 22.0);
  const int wanted = std::max(2, static_cast<int>(frame.size().y() / 55.0));
  out_.y_axis = make_axis(range_of(plot_, &Curve::y), plot_.log_y, 0.05, wanted);
  if (!out_.y_axis.scale.text.empty()) frame.low.y() += 18.0;

  const double labels = widest_label(out_.y_axis);
  frame.low.x() = border + (plot_.y_label.empty() ? 0.0 : 22.0) + labels + tick_length + 4.0;
  frame.high.x() = (legend().place == Place::right ? legend().box.low.x() : plot_.width) - border - 6.0;
  place_x_axis();
}

void PlotPlanner::place_x_axis() {
  PlotBox& frame = out_.frame;
  const ValueRange range = range_of(plot_, &Curve::x);
  // As many ticks as have room for their labels.
  for (int wanted = std::max(2, static_cast<int>(frame.size().x() / 85.0)); wanted >= 2; --wanted) {
    out_.x_axis = make_axis(range, plot_.log_x, 0.0, wanted);
    const double room = frame.size().x() / static_cast<double>(out_.x_axis.ticks.size());
    if (widest_label(out_.x_axis) + 18.0 <= room) break;
  }
  // The last label may reach beyond its tick.
  const PlotTick& last = out_.x_axis.ticks.back();
  const double end =
      frame.low.x() + out_.x_axis.position(last.value) * frame.size().x() + label_width(last.label) / 2;
  frame.high.x() -= std::max(0.0, end - (frame.high.x() + border));
}

void PlotPlanner::place_lines() {
  // A tenth of a pixel is less than the eye sees, also on a screen that shows the plot at twice its size.
  constexpr double tolerance = 0.1;
  out_.lines.clear();
  for (const Curve& curve : plot_.curves) {
    Polyline line;
    line.reserve(static_cast<std::size_t>(curve.x.size()));
    for (Index i = 0; i < curve.x.size(); ++i) line.push_back(out_.to_pixels(curve.x(i), curve.y(i)));
    out_.lines.push_back(simplify_polyline(line, tolerance));
  }
}

bool PlotPlanner::is_free(const PlotBox& box) const {
  return std::ranges::all_of(out_.lines, [&](const Polyline& line) {
    const bool starts_inside =
        (line.front().array() >= box.low.array()).all() && (line.front().array() <= box.high.array()).all();
    return !starts_inside && length_inside(line, box.low, box.high) == 0.0;
  });
}

/// In the first corner or at the first side that no curve comes near; false where there is none.
bool PlotPlanner::place_legend_inside() {
  constexpr double padding = 8.0;
  constexpr double distance = 12.0;  // from the axes
  constexpr double near = 6.0;
  const Vector2 size(widest_entry() + 2 * padding,
                     legend_row * static_cast<double>(legend().entries.size()) + padding);
  if ((size.array() > 0.6 * out_.frame.size().array()).any()) return false;
  const Vector2 room = out_.frame.size() - size - Vector2::Constant(2 * distance);
  const std::array<Vector2, 8> places{Vector2(1, 0),   Vector2(0, 0),   Vector2(1, 1),   Vector2(0, 1),
                                      Vector2(0.5, 0), Vector2(0.5, 1), Vector2(1, 0.5), Vector2(0, 0.5)};
  for (const Vector2& place : places) {
    const Vector2 low = out_.frame.low + Vector2::Constant(distance) + place.cwiseProduct(room);
    if (!is_free({low - Vector2::Constant(near), low + size + Vector2::Constant(near)})) continue;
    legend().place = Place::inside;
    legend().box = {low, low + size};
    Vector2 at = low + Vector2(padding, (padding + legend_row) / 2);
    for (LegendEntry& entry : legend().entries) {
      entry.at = at;
      at.y() += legend_row;
    }
    return true;
  }
  return false;
}

/// In rows under the title; false where these would take much of the height.
bool PlotPlanner::place_legend_above() {
  constexpr double gap = 22.0;
  const double left = out_.frame.low.x();
  const double right = plot_.width - border;
  const double top = title_bottom() + 4.0;
  Vector2 at(left, top + legend_row / 2);
  int rows = 1;
  const int most_rows = std::max(1, static_cast<int>(0.18 * plot_.height / legend_row));
  for (LegendEntry& entry : legend().entries) {
    const double width = entry_width(entry);
    if (at.x() > left && at.x() + width > right) {
      at = {left, at.y() + legend_row};
      ++rows;
    }
    if (rows > most_rows || at.x() + width > right) return false;
    entry.at = at;
    at.x() += width + gap;
  }
  legend().place = Place::above;
  legend().box = {Vector2(left, top), Vector2(right, at.y() + legend_row / 2)};
  return true;
}

/// In one column, which takes a third of the width at most; many entries are set in a smaller size.
void PlotPlanner::place_legend_right() {
  const double top = title_bottom() + 6.0;
  const double right = plot_.width - border;
  const double row =
      std::min(legend_row, (plot_.height - border - top) / static_cast<double>(legend().entries.size()));
  legend().size = std::min(text, 0.8 * row);
  const double widest = plot_.width / 3.0 - sample_length - sample_gap;
  for (LegendEntry& entry : legend().entries) entry.name = shortened_text(entry.name, legend().size, widest);
  Vector2 at(right - widest_entry(), top + row / 2);
  for (LegendEntry& entry : legend().entries) {
    entry.at = at;
    at.y() += row;
  }
  legend().place = Place::right;
  legend().box = {Vector2(at.x(), top), Vector2(right, at.y() - row / 2)};
}

}  // namespace

PlotLayout lay_out_plot(const LinePlot& plot) { return PlotPlanner(plot).plan(); }

}  // namespace limber
