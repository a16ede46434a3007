#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// The candidate with the smallest edit distance to `word`; empty where none is near (more than half of it
/// differs).
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates);

/// "did you mean 'x'?" for the nearest candidate, else "known are a, b, c".
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

/// Text from a file made fit for a one-line message: at most 40 characters, '?' for unprintable ones.
std::string printable(std::string_view text);

/// Splits at every `separator`; "a,,b" gives three parts, "" gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Without the blanks and line breaks around it.
std::string_view trimmed(std::string_view text);

/// The finite number that the whole of `text` spells, independent of the locale; nothing for anything else.
std::optional<double> parse_number(std::string_view text);

/// The integer that the whole of `text` spells; nothing for anything else or out of the range of int.
std::optional<int> parse_integer(std::string_view text);

/// The entity of a character that XML does not take as it is (& < > "); empty for any other.
std::string_view xml_entity(char c);

}  // namespace limber
