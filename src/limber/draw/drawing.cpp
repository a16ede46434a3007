#include "limber/draw/drawing.hpp"

#include "limber/draw/canvas.hpp"
#include "limber/draw/svg_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace limber {
namespace {

/// A tenth of a pixel is enough.
std::string coordinate(double value) { return svg_number(std::round(10.0 * value) / 10.0); }

class DrawingWriter {
 public:
  explicit DrawingWriter(const Drawing& drawing) : drawing_(drawing) {}

  std::string write(std::string_view title) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "role=\"img\" "
        "font-family=\"Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', sans-serif\">\n",
        drawing_.width, drawing_.height);
    if (!title.empty()) add("<title>{}</title>\n", svg_escaped(title));
    add("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", drawing_.width, drawing_.height);
    add_boxes();
    add("<g fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\">\n", drawing_.line_width);
    for (const Drawing::Line& line : drawing_.lines) add_line(line);
    add("</g>\n");
    for (const Drawing::Text& text : drawing_.texts) add_text(text);
    add("</svg>\n");
    return std::move(svg_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(svg_), text, std::forward<Args>(args)...);
  }

  /// Those of one colour that follow each other make one path, a third of the size of as many rectangles.
  void add_boxes() {
    bool open = false;
    Paint paint = 0;
    for (const Drawing::Box& box : drawing_.boxes) {
      if (!open || box.paint != paint) {
        add("{}<path fill=\"#{:06x}\" d=\"", open ? "\"/>\n" : "", box.paint);
        paint = box.paint;
        open = true;
      }
      add("M{} {}H{}V{}H{}z", coordinate(box.low.x()), coordinate(box.low.y()), coordinate(box.high.x()),
          coordinate(box.high.y()), coordinate(box.low.x()));
    }
    if (open) add("\"/>\n");
  }

  void add_line(const Drawing::Line& line) {
    add("<polyline stroke=\"#{:06x}\" points=\"", line.paint);
    for (std::size_t p = 0; p < line.points.size(); ++p) {
      add("{}{},{}", p == 0 ? "" : " ", coordinate(line.points[p].x()), coordinate(line.points[p].y()));
    }
    add("\"/>\n");
  }

  void add_text(const Drawing::Text& text) {
    const std::string_view anchor = text.align == 0.0 ? "start" : text.align == 1.0 ? "end" : "middle";
    add("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"#{:06x}\"{}>{}</text>\n",
        coordinate(text.at.x()), coordinate(text.at.y()), anchor, coordinate(text.size), text.paint,
        text.bold ? " font-weight=\"600\"" : "", svg_escaped(text.text));
  }

  const Drawing& drawing_;
  std::string svg_;
};

Color color_of(Paint paint) {
  return {(paint >> 16U & 0xffU) / 255.0, (paint >> 8U & 0xffU) / 255.0, (paint & 0xffU) / 255.0};
}

/// The signs that the layout makes, in ASCII.
std::string in_ascii(std::string text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> signs{
      {{"\xe2\x80\xa6", "..."}, {"\xe2\x88\x92", "-"}}};
  for (const auto& [sign, ascii] : signs) {
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + 1)) {
      text.replace(at, sign.size(), ascii);
    }
  }
  return text;
}

}  // namespace

double drawn_width(std::string_view text, double size) {
  return std::max(svg_text_width(text, size), text_width(text, capital_height * size));
}

double bold_factor(std::string_view text) {
  constexpr double in_viewers = 1.1;
  return std::max(in_viewers, text_width(text, capital_height) / std::max(svg_text_width(text, 1.0), 1e-9));
}

std::string fitted_bold(std::string_view text, double size, double room) {
  std::string fitted = shortened_text(text, size, room / bold_factor(text));
  // What is left may have wider letters than the whole.
  for (double less = 0.95; less > 0.3 && bold_factor(fitted) * svg_text_width(fitted, size) > room;
       less -= 0.05)
    fitted = shortened_text(text, size, less * room / bold_factor(text));
  return fitted;
}

std::string to_svg(const Drawing& drawing, std::string_view title) {
  return DrawingWriter(drawing).write(title);
}

Image to_image(const Drawing& drawing, double scale) {
  Image image{static_cast<int>(std::lround(scale * drawing.width)),
              static_cast<int>(std::lround(scale * drawing.height)),
              {}};
  image.rgb.assign(3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), 255);
  for (const Drawing::Box& box : drawing.boxes) {
    fill_rectangle(image, scale * box.low, scale * box.high, color_of(box.paint));
  }
  for (const Drawing::Line& line : drawing.lines) {
    for (std::size_t p = 1; p < line.points.size(); ++p) {
      draw_line(image, scale * line.points[p - 1], scale * line.points[p], scale * drawing.line_width,
                color_of(line.paint));
    }
  }
  for (const Drawing::Text& text : drawing.texts) {
    const TextStyle style{
        .height = scale * capital_height * text.size, .color = color_of(text.paint), .align = text.align};
    const std::string ascii = in_ascii(text.text);
    draw_text(image, scale * text.at, ascii, style);
    if (text.bold) draw_text(image, scale * (text.at + Vector2(0.35, 0.0)), ascii, style);
  }
  return image;
}

}  // namespace limber
