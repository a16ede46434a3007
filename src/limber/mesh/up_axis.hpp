#pragma once

#include "limber/linalg/types.hpp"

#include <array>
#include <string_view>

namespace limber {

// Which way a body stands. Its coordinates stay as its file has them; what needs to know (gravity where
// nothing is said, pictures, the viewer, clips) asks for the axis that points upward.

enum class UpAxis { x, y, z };

inline constexpr std::array<std::string_view, 3> up_axis_words{"x", "y", "z"};

/// Unit vector.
Vector3 direction_of(UpAxis up);

/// The axis that a direction is along, upward, to rounding; z for any other direction.
UpAxis up_axis_along(const Vector3& direction);

/// Sides of a body as who stands before it sees them: with z up the front looks along -y and the right is at
/// +x; with y up, as in glTF, the front looks along +z.
enum class BodySide { bottom, top, left, right, front, back };

inline constexpr std::array<std::string_view, 6> body_side_words{"bottom", "top",   "left",
                                                                 "right",  "front", "back"};

/// The direction in which a side lies, a unit vector along an axis.
Vector3 direction_of(BodySide side, UpAxis up);

}  // namespace limber
