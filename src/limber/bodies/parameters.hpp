#pragma once

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace limber {

/// One `key=value` of the name of a built-in body.
struct Parameter {
  std::string_view key, value;
};

/// The parameters in `text`, which is what follows the question mark of a name. Throws Error for an unknown
/// key.
inline std::vector<Parameter> parse_parameters(std::string_view text, std::span<const std::string_view> known,
                                               std::string_view name) {
  std::vector<Parameter> result;
  if (text.empty()) return result;
  for (const std::string_view parameter : split(text, '&')) {
    const std::size_t equals = parameter.find('=');
    require(equals != std::string_view::npos, "{}: '{}' should read key=value", name, parameter);
    const std::string_view key = parameter.substr(0, equals);
    require(std::find(known.begin(), known.end(), key) != known.end(), "{}: unknown parameter '{}'; {}", name,
            key, suggestion(key, known));
    result.push_back({key, parameter.substr(equals + 1)});
  }
  return result;
}

/// Throws Error unless the value is a whole number in the range.
inline int parse_count(const Parameter& parameter, int least, int most, std::string_view name) {
  const auto number = parse_integer(parameter.value);
  require(number && *number >= least && *number <= most,
          "{}: {} is '{}', expected a whole number from {} to {}", name, parameter.key, parameter.value,
          least, most);
  return *number;
}

}  // namespace limber
