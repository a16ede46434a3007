#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// A text as XML spells it, inside of elements and of attributes. Well-formed whatever bytes it has: what is
/// no UTF-8 or no character of XML becomes U+FFFD, line breaks become spaces.
std::string svg_escaped(std::string_view text);

/// About how wide a text is at most, pixels: a viewer takes what sans-serif typeface it has, and the widest
/// usual ones (DejaVu Sans, Verdana) are 18 per cent wider than Arial, whose widths are known here. size: of
/// the typeface, pixels.
double svg_text_width(std::string_view text, double size);

/// The text broken at spaces into lines of at most that width, as far as its words allow; one empty line for
/// an empty text.
std::vector<std::string> wrapped_text(std::string_view text, double size, double width);

/// The text, or where it is wider, as much of its beginning as fits together with an ellipsis.
std::string shortened_text(std::string_view text, double size, double width);

/// A coordinate with two digits after the point at most.
std::string svg_number(double value);

}  // namespace limber
