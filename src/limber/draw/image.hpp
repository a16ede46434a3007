#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace limber {

/// A picture, rows from the top, 3 bytes (sRGB red, green, blue) per pixel.
struct Image {
  int width = 0;                  ///< pixels
  int height = 0;                 ///< pixels
  std::vector<std::uint8_t> rgb;  ///< 3 width height

  /// First byte of pixel (x, y); x from the left, y from the top.
  [[nodiscard]] std::uint8_t* pixel(int x, int y) { return rgb.data() + offset(x, y); }
  [[nodiscard]] const std::uint8_t* pixel(int x, int y) const { return rgb.data() + offset(x, y); }

  bool operator==(const Image&) const = default;

 private:
  [[nodiscard]] std::size_t offset(int x, int y) const {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
};

}  // namespace limber
