#include "limber/base/base64.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace limber {

void append_base64(std::string& text, std::string_view bytes) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t given = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t b = 0; b < 3; ++b) {
      three = (three << 8) | (b < given ? static_cast<unsigned char>(bytes[i + b]) : 0U);
    }
    for (std::size_t d = 0; d < 4; ++d) {
      text += d <= given ? digits[(three >> (18 - 6 * d)) & 63U] : '=';
    }
  }
}

}  // namespace limber
