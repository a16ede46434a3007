#pragma once

#include "limber/draw/image.hpp"
#include "limber/draw/polyline.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

using Paint = std::uint32_t;  ///< sRGB as 0xrrggbb

/// A plane figure of boxes, lines and texts, in pixels from the top left corner: laid out once, put down as
/// SVG or as a picture.
struct Drawing {
  struct Box {
    Vector2 low, high;  ///< left top, right bottom
    Paint paint = 0;
  };
  struct Line {
    Polyline points;
    Paint paint = 0;
  };
  struct Text {
    Vector2 at;  ///< on the baseline
    std::string text;
    double align = 0.0;  ///< share of the width to the left of `at`: 0, 0.5 or 1
    double size = 12.0;  ///< of the typeface
    Paint paint = 0x222222;
    bool bold = false;
  };

  double width = 0.0, height = 0.0;
  std::vector<Box> boxes;   ///< drawn first
  std::vector<Line> lines;  ///< over the boxes, `line_width` wide
  std::vector<Text> texts;  ///< over all
  double line_width = 1.3;
};

/// Height of a capital in pictures, of the size of the typeface.
inline constexpr double capital_height = 0.68;

/// Pixels that a text takes at most, in the typefaces of viewers and in that of pictures. size: of the
/// typeface, pixels.
double drawn_width(std::string_view text, double size);

/// How many times wider than svg_text_width() a text may be when it is bold, in viewers or in pictures.
double bold_factor(std::string_view text);

/// As much of the beginning of a bold text as fits into a width.
std::string fitted_bold(std::string_view text, double size, double room);

/// The drawing as an SVG document with a white background. Texts may hold any bytes. title: for readers that
/// do not see it.
std::string to_svg(const Drawing& drawing, std::string_view title);

/// The drawing as a picture, `scale` times as large; texts in ASCII, other characters as '?'.
Image to_image(const Drawing& drawing, double scale);

}  // namespace limber
