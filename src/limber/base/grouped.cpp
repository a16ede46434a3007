#include "limber/base/grouped.hpp"

#include <fmt/format.h>

namespace limber {

std::string grouped(std::int64_t count) {
  const std::string digits = fmt::format("{}", count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool starts = i == 0 || digits[i - 1] == '-';
    if (!starts && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace limber
