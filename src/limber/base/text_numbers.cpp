// Apart from the rest of text.hpp: the run time is compiled with standard libraries whose std::from_chars
// knows integers only.

#include "limber/base/text.hpp"

#include <charconv>
#include <cmath>

namespace limber {
namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  if (text.starts_with("+-")) return std::nullopt;  // std::from_chars takes a minus, never a plus
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<int> parse_integer(std::string_view text) { return parse_whole<int>(text); }

}  // namespace limber
