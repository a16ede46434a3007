#pragma once

#include "limber/linalg/types.hpp"

#include <cstdint>

namespace limber {

/// Colours are (red, green, blue) in [0, 1]. Interfaces use sRGB, what a screen shows and a file stores;
/// light is added up in linear colour, where 0.5 is half the energy (IEC 61966-2-1).
using Color = Vector3;

Color srgb_to_linear(const Color& srgb);
Color linear_to_srgb(const Color& linear);

/// Nearest of the 256 levels of one sRGB channel; values outside [0, 1] and NaN are clamped.
std::uint8_t to_byte(double srgb);

/// The colour map viridis (van der Walt & Smith 2015, CC0) at t in [0, 1], as sRGB: equal steps of t look
/// equally large, also in grey and to colour-blind readers. Linear between 16 control points; t is clamped.
Color viridis(double t);

}  // namespace limber
