#pragma once

#include <fmt/format.h>

#include <string>

namespace limber {

/// A small length in the unit that suits it: "0.104 mm".
inline std::string small_length(double metres) {
  return metres < 0.1 ? fmt::format("{:.3g} mm", 1e3 * metres) : fmt::format("{:.3g} m", metres);
}

}  // namespace limber
