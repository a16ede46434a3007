#pragma once

#include <Eigen/Core>

#include <vector>

namespace limber {

using Vector2 = Eigen::Vector2d;

/// The strokes of one character of limber's own typeface, in units of a sixth of the height of a capital:
/// x to the right from the left edge of the strokes, y down from the top of the capitals; the baseline is at
/// y = 6 and descenders reach y = 8.
struct Glyph {
  std::vector<std::vector<Vector2>> strokes;  ///< polylines; one of a single point is a dot
  double width = 0.0;                         ///< from the left to the right edge of the strokes
};

/// The glyph of a printable ASCII character; that of '?' for any other.
Glyph glyph_of(char character);

inline constexpr double glyph_height = 6.0;  ///< of a capital
inline constexpr double glyph_gap = 1.9;     ///< between the strokes of neighbouring characters
inline constexpr double glyph_stroke = 0.8;  ///< width of the pen

}  // namespace limber
