#include "limber/draw/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr std::string_view minus_sign = "\xe2\x88\x92";
constexpr std::string_view times_sign = "\xc3\x97";

/// With a minus sign as long as a plus.
std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, minus_sign);
  return text;
}

std::string fixed(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return with_minus(zero && text.starts_with('-') ? text.substr(1) : text);
}

/// The exponent e where value = m 10^e with 1 <= m < 10.
int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-12)); }

ValueRange linear_range(const ValueRange& data, double margin) {
  const double size = std::max(std::abs(data.low), std::abs(data.high));
  double low = data.low;
  double high = data.high;
  if (high - low <= 1e-8 * size || size < 1e-290) {
    const double half = size < 1e-290 ? 1.0 : high == low ? 0.1 * size : 1e-8 * size;
    const double middle = low + (high - low) / 2;
    return {middle - half, middle + half};
  }
  const double free = margin * (high - low);
  return {low >= 0.0 ? std::max(0.0, low - free) : low - free,
          high <= 0.0 ? std::min(0.0, high + free) : high + free};
}

ValueRange log_range(const ValueRange& data, double margin) {
  const double decades = std::log10(data.high) - std::log10(data.low);
  const double factor = decades > 1e-8 ? std::pow(10.0, margin * decades) : 2.0;
  // The smallest normal number: below it, powers of ten are no longer exact to all digits.
  return {std::max(data.low / factor, 1e-307), data.high * factor};
}

/// Labels with the same digits after the point, and one scale for all where numbers are very large or very
/// small.
void label_evenly(PlotAxis& axis) {
  double size = 0.0;
  for (const PlotTick& tick : axis.ticks) size = std::max(size, std::abs(tick.value));
  int power = 0;
  if (size >= 1e5 || size < 1e-3) power = 3 * static_cast<int>(std::floor(exponent_of(size) / 3.0));
  if (power != 0) {
    axis.scale = {fmt::format("{}10", times_sign), with_minus(std::to_string(power))};
  }
  // 10^-power may be out of range where 10^power is not, and the other way round.
  const auto scaled = [&](double value) {
    return power > 0 ? value / std::pow(10.0, power) : value * std::pow(10.0, -power);
  };
  const double step =
      axis.ticks.size() > 1 ? scaled(axis.ticks[1].value - axis.ticks[0].value) : scaled(size);
  const int decimals = std::clamp(-exponent_of(step), 0, 12);
  for (PlotTick& tick : axis.ticks) tick.label.text = fixed(scaled(tick.value), decimals);
}

void add_linear_ticks(PlotAxis& axis, int wanted) {
  std::vector<double> values = nice_ticks(axis.range, wanted);
  for (int more = wanted + 1; values.size() < 2 && more < 20; ++more) values = nice_ticks(axis.range, more);
  for (const double value : values) axis.ticks.push_back({value, {}});
  label_evenly(axis);
}

/// Powers of ten, every so many; the others and, where there is room, their multiples as minor lines.
void add_powers_of_ten(PlotAxis& axis, int first, int last, int wanted) {
  int stride = 1;
  for (const int next : {2, 3, 5, 10, 20, 30, 50, 100, 200}) {
    if ((last - first) / stride <= std::max(wanted, 2)) break;
    stride = next;
  }
  const bool crowded = last - first > 40;
  const bool plain = first >= -3 && last <= 4;
  for (int power = first - 1; power <= last; ++power) {
    const double value = std::pow(10.0, power);
    for (int factor = 2; factor < 10 && stride == 1; ++factor) {
      const double minor = factor * value;
      if (minor > axis.range.low && minor < axis.range.high) axis.minor.push_back(minor);
    }
    if (power < first) continue;
    if (power % stride != 0) {
      if (!crowded) axis.minor.push_back(value);
    } else if (plain) {
      axis.ticks.push_back({value, {fixed(value, std::max(0, -power)), ""}});
    } else {
      axis.ticks.push_back({value, {"10", with_minus(std::to_string(power))}});
    }
  }
}

/// 1, 2 and 5 times powers of ten, for a range of about one decade.
void add_multiples(PlotAxis& axis, int first, int last) {
  const bool plain = first >= -3 && last <= 4;
  for (int power = first - 1; power <= last; ++power) {
    for (const int factor : {1, 2, 5}) {
      const double value = factor * std::pow(10.0, power);
      if (value < axis.range.low || value > axis.range.high) continue;
      const PlotLabel label =
          plain ? PlotLabel{fixed(value, std::max(0, -power)), ""}
                : PlotLabel{fmt::format("{}{}10", factor, times_sign), with_minus(std::to_string(power))};
      axis.ticks.push_back({value, label});
    }
  }
}

void add_log_ticks(PlotAxis& axis, int wanted) {
  const int first = static_cast<int>(std::ceil(std::log10(axis.range.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(axis.range.high) + 1e-9));
  if (last - first >= 2) {
    add_powers_of_ten(axis, first, last, wanted);
  } else {
    add_multiples(axis, first, last);
  }
  if (axis.ticks.size() >= 2) return;
  axis.ticks.clear();
  axis.minor.clear();
  add_linear_ticks(axis, wanted);
}

}  // namespace

double PlotAxis::position(double value) const {
  if (!log) return (value - range.low) / (range.high - range.low);
  return (std::log10(value) - std::log10(range.low)) / (std::log10(range.high) - std::log10(range.low));
}

PlotAxis make_axis(const ValueRange& data, bool log, double margin, int wanted) {
  PlotAxis axis;
  axis.log = log;
  axis.range = log ? log_range(data, margin) : linear_range(data, margin);
  if (log) {
    add_log_ticks(axis, wanted);
  } else {
    add_linear_ticks(axis, wanted);
  }
  return axis;
}

}  // namespace limber
