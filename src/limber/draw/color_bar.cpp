#include "limber/draw/color_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// Sizes in thousandths of the picture's height.
constexpr double bar_width = 22.0;
constexpr double bar_length = 560.0;
constexpr double label_height = 17.0;
constexpr double label_gap = 14.0;
constexpr double title_gap = 26.0;
constexpr double bar_border = 44.0;  ///< between the labels and the picture's edge

double widest_label(const ColorBar& bar, double height) {
  double widest = 0.0;
  for (const double tick : nice_ticks(bar.range)) {
    widest = std::max(widest, text_width(tick_label(tick), height));
  }
  return widest;
}

}  // namespace

std::vector<double> nice_ticks(const ValueRange& range, int wanted) {
  const double span = range.high - range.low;
  if (!(span > 0.0) || !std::isfinite(span)) return {range.low, range.high};
  const double rough = span / std::max(wanted, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  if (!std::isnormal(power)) return {range.low, range.high};
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (std::abs(factor * power - rough) < std::abs(step - rough)) step = factor * power;
  }
  std::vector<double> ticks;
  const double slack = 1e-9 * span;  // a tick may miss the end of the range by rounding
  for (double k = std::ceil((range.low - slack) / step); k * step <= range.high + slack; ++k) {
    ticks.push_back(k * step);
    if (ticks.size() > 50) return {range.low, range.high};  // the range is too narrow for its size
  }
  return ticks;
}

std::string tick_label(double value) { return fmt::format("{:.6g}", value == 0.0 ? 0.0 : value); }

double color_bar_width(const ColorBar& bar, int picture_height) {
  const double unit = picture_height / 1000.0;
  const double labels = widest_label(bar, label_height * unit);
  const double below_title = unit * (bar_width + label_gap) + labels;
  return std::max(below_title, text_width(bar.title, label_height * unit)) + unit * bar_border;
}

void draw_color_bar(Image& image, const ColorBar& bar) {
  const double unit = image.height / 1000.0;
  const double left = image.width - color_bar_width(bar, image.height);
  const double right = left + bar_width * unit;
  const double bottom = (image.height + bar_length * unit) / 2;
  const double top = bottom - bar_length * unit;
  const TextStyle style{.height = label_height * unit};

  for (int y = std::max(0, static_cast<int>(top)); y < std::min<double>(image.height, bottom); ++y) {
    const double t = (bottom - (y + 0.5)) / (bottom - top);
    fill_rectangle(image, {left, std::max<double>(y, top)}, {right, std::min(y + 1.0, bottom)}, viridis(t));
  }
  for (const double tick : nice_ticks(bar.range)) {
    const double t = (tick - bar.range.low) / (bar.range.high - bar.range.low);
    const double y = bottom - t * (bottom - top);
    draw_line(image, {right, y}, {right + 5 * unit, y}, 1.5 * unit, style.color);
    draw_text(image, {right + label_gap * unit, y + style.height / 2}, tick_label(tick), style);
  }
  draw_text(image, {left, top - title_gap * unit}, bar.title, style);
}

}  // namespace limber
