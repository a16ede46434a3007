#include "limber/draw/svg_text.hpp"

#include "limber/base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace limber {
namespace {

constexpr std::uint32_t replacement = 0xfffd;

/// A character and the bytes that it takes at the start of `text`, which is not empty. Bytes that are no
/// UTF-8 are taken one by one.
struct Character {
  std::uint32_t code = replacement;
  std::size_t bytes = 1;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

/// Widths of the printable ASCII characters in Arial, thousandths of the size.
constexpr std::array<int, 95> arial_widths{
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,  //
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,  // 0-9
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,  // @A-O
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,  // P-Z
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,  // a-o
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};      // p-z

int width_of(std::uint32_t code) {
  if (code < 0x20 || code == 0x7f) return arial_widths[0];
  if (code < 0x7f) return arial_widths[code - 0x20];
  constexpr std::uint32_t first_wide = 0x2e80;  // East Asian scripts and pictures fill a square
  return code < first_wide ? 600 : 1000;
}

}  // namespace

std::string svg_escaped(std::string_view text) {
  constexpr std::string_view unknown = "\xef\xbf\xbd";
  std::string result;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    const std::string_view entity = code < 0x80 ? xml_entity(static_cast<char>(code)) : std::string_view();
    if (!entity.empty()) {
      result += entity;
    } else if (code == '\t' || code == '\n' || code == '\r') {
      result += ' ';
    } else if (code < 0x20 || code == replacement || code == 0xfffe || code == 0xffff) {
      result += unknown;
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

double svg_text_width(std::string_view text, double size) {
  int width = 0;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    width += width_of(code);
    text.remove_prefix(bytes);
  }
  return 1.18 * size / 1000 * width;
}

std::vector<std::string> wrapped_text(std::string_view text, double size, double width) {
  std::vector<std::string> lines(1);
  for (const std::string_view word : split(text, ' ')) {
    std::string& line = lines.back();
    const std::string longer = line.empty() ? std::string(word) : fmt::format("{} {}", line, word);
    if (line.empty() || svg_text_width(longer, size) <= width) {
      line = longer;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string shortened_text(std::string_view text, double size, double width) {
  if (svg_text_width(text, size) <= width) return std::string(text);
  constexpr std::string_view ellipsis = "\xe2\x80\xa6";
  double used = svg_text_width(ellipsis, size);
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t bytes = first_character(text.substr(end)).bytes;
    used += svg_text_width(text.substr(end, bytes), size);
    if (used > width) break;
    end += bytes;
  }
  return std::string(text.substr(0, end)) + std::string(ellipsis);
}

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace limber
