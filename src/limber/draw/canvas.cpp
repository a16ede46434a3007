#include "limber/draw/canvas.hpp"

#include "limber/draw/polyline.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace limber {
namespace {

/// Pixels whose centre may lie within `reach` of [low, high], clipped to [0, size).
struct PixelRange {
  int begin = 0;
  int end = 0;

  PixelRange(double low, double high, double reach, int size)
      : begin(static_cast<int>(std::clamp(std::floor(low - reach), 0.0, static_cast<double>(size)))),
        end(static_cast<int>(std::clamp(std::ceil(high + reach), 0.0, static_cast<double>(size)))) {}
};

/// Draws polylines as one figure: where they overlap, a translucent colour is not laid twice.
void draw_strokes(Image& image, std::span<const std::vector<Vector2>> strokes, double width,
                  const Color& color, double opacity) {
  Vector2 low = Vector2::Constant(1e9);
  Vector2 high = -low;
  for (const auto& stroke : strokes) {
    for (const Vector2& point : stroke) {
      if (!point.allFinite()) return;
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
  }
  const double reach = width / 2 + 1.0;
  const PixelRange columns(low.x(), high.x(), reach, image.width);
  const PixelRange rows(low.y(), high.y(), reach, image.height);
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = columns.begin; x < columns.end; ++x) {
      const Vector2 centre(x + 0.5, y + 0.5);
      double nearest = reach;
      for (const auto& stroke : strokes) {
        for (std::size_t i = 0; i < stroke.size(); ++i) {
          nearest = std::min(nearest, distance_to_segment(centre, stroke[i > 0 ? i - 1 : 0], stroke[i]));
        }
      }
      blend_pixel(image, x, y, color, opacity * std::clamp(width / 2 + 0.5 - nearest, 0.0, 1.0));
    }
  }
}

}  // namespace

void blend_pixel(Image& image, int x, int y, const Color& color, double share) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height || !(share > 0.0)) return;
  std::uint8_t* pixel = image.pixel(x, y);
  for (int c = 0; c < 3; ++c) pixel[c] = to_byte((1.0 - share) * pixel[c] / 255.0 + share * color(c));
}

void fill_rectangle(Image& image, const Vector2& low, const Vector2& high, const Color& color,
                    double opacity) {
  if (!low.allFinite() || !high.allFinite()) return;
  const PixelRange columns(low.x(), high.x(), 0.0, image.width);
  const PixelRange rows(low.y(), high.y(), 0.0, image.height);
  for (int y = rows.begin; y < rows.end; ++y) {
    const double covered_y = std::min(y + 1.0, high.y()) - std::max<double>(y, low.y());
    for (int x = columns.begin; x < columns.end; ++x) {
      const double covered_x = std::min(x + 1.0, high.x()) - std::max<double>(x, low.x());
      if (covered_x > 0.0 && covered_y > 0.0) {
        blend_pixel(image, x, y, color, opacity * covered_x * covered_y);
      }
    }
  }
}

void draw_line(Image& image, const Vector2& from, const Vector2& to, double width, const Color& color,
               double opacity) {
  const std::vector<Vector2> stroke{from, to};
  draw_strokes(image, {&stroke, 1}, width, color, opacity);
}

double text_width(std::string_view text, double height) {
  if (text.empty()) return 0.0;
  double units = glyph_gap * static_cast<double>(text.size() - 1);
  for (const char character : text) units += glyph_of(character).width;
  return units * height / glyph_height;
}

void draw_text(Image& image, const Vector2& position, std::string_view text, const TextStyle& style) {
  const double unit = style.height / glyph_height;
  Vector2 pen(position.x() - style.align * text_width(text, style.height), position.y() - style.height);
  for (const char character : text) {
    Glyph glyph = glyph_of(character);
    for (auto& stroke : glyph.strokes) {
      for (Vector2& point : stroke) point = pen + unit * point;
    }
    draw_strokes(image, glyph.strokes, glyph_stroke * unit, style.color, 1.0);
    pen.x() += unit * (glyph.width + glyph_gap);
  }
}

}  // namespace limber
