#include "limber/draw/color.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace limber {
namespace {

constexpr std::array<std::uint32_t, 16> viridis_points{
    0x440154, 0x481A6C, 0x472F7D, 0x414487, 0x39568C, 0x31688E, 0x2A788E, 0x23888E,
    0x1F988B, 0x22A884, 0x35B779, 0x54C568, 0x7AD151, 0xA5DB36, 0xD2E21B, 0xFDE725};

Color from_hex(std::uint32_t hex) { return Color((hex >> 16) & 0xff, (hex >> 8) & 0xff, hex & 0xff) / 255.0; }

double clamp_unit(double value) { return value > 0.0 ? std::min(value, 1.0) : 0.0; }  // NaN gives 0

}  // namespace

Color srgb_to_linear(const Color& srgb) {
  return srgb.unaryExpr(
      [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); });
}

Color linear_to_srgb(const Color& linear) {
  return linear.unaryExpr(
      [](double c) { return c <= 0.0031308 ? c * 12.92 : 1.055 * std::pow(c, 1.0 / 2.4) - 0.055; });
}

std::uint8_t to_byte(double srgb) { return static_cast<std::uint8_t>(std::lround(255.0 * clamp_unit(srgb))); }

Color viridis(double t) {
  const double position = clamp_unit(t) * (viridis_points.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), viridis_points.size() - 2);
  const double share = position - static_cast<double>(below);
  return (1.0 - share) * from_hex(viridis_points[below]) + share * from_hex(viridis_points[below + 1]);
}

}  // namespace limber
