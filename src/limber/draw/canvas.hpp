#pragma once

#include "limber/draw/color.hpp"
#include "limber/draw/font.hpp"
#include "limber/draw/image.hpp"

#include <string_view>

namespace limber {

// Antialiased drawing in the plane, for labels and plots. Positions are in pixels from the top left corner;
// the centre of the first pixel is (0.5, 0.5). What lies outside of the picture is clipped.

/// Lays `color` over a pixel; `share` 0 leaves it, 1 replaces it. Outside of the picture: nothing.
void blend_pixel(Image& image, int x, int y, const Color& color, double share);

/// Fills the rectangle between two corners; its edges may fall between pixels.
void fill_rectangle(Image& image, const Vector2& low, const Vector2& high, const Color& color,
                    double opacity = 1.0);

/// A line with round ends.
void draw_line(Image& image, const Vector2& from, const Vector2& to, double width, const Color& color,
               double opacity = 1.0);

struct TextStyle {
  double height = 16.0;           ///< of a capital, pixels
  Color color{0.17, 0.18, 0.20};  ///< sRGB
  double align = 0.0;  ///< share of the width to the left of the position: 0 left, 0.5 centre, 1 right
};

/// Width of a line of text, pixels.
double text_width(std::string_view text, double height);

/// One line of text whose baseline passes through `position`. Characters other than printable ASCII show
/// as '?'.
void draw_text(Image& image, const Vector2& position, std::string_view text, const TextStyle& style = {});

}  // namespace limber
