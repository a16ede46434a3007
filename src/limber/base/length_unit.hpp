#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace limber {

/// What the numbers of a file may be, which most files do not say.
enum class LengthUnit { mm, cm, m, inch };

inline constexpr std::array<std::string_view, 4> length_unit_words{"mm", "cm", "m", "in"};

/// m.
constexpr double metres_per(LengthUnit unit) {
  return std::array{1e-3, 1e-2, 1.0, 0.0254}[static_cast<std::size_t>(unit)];
}

/// m; most bodies that are larger are small ones in mm or cm.
inline constexpr double largest_usual_size = 10.0;

}  // namespace limber
