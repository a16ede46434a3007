#pragma once

#include "limber/draw/canvas.hpp"

#include <string>
#include <vector>

namespace limber {

/// An interval of numbers, low < high.
struct ValueRange {
  double low = 0.0;
  double high = 1.0;
};

/// Multiples of 1, 2 or 5 times a power of ten inside of the range, about `wanted` of them.
std::vector<double> nice_ticks(const ValueRange& range, int wanted = 5);

/// A number as a label shows it: six digits, no trailing zeros, no "-0".
std::string tick_label(double value);

/// The legend of the colour map: a vertical bar with ticks, at the right of a picture.
struct ColorBar {
  ValueRange range;
  std::string title;  ///< above the bar: quantity and unit
};

/// Width of the strip at the right of a picture that the bar needs, pixels.
double color_bar_width(const ColorBar& bar, int picture_height);

void draw_color_bar(Image& image, const ColorBar& bar);

}  // namespace limber
