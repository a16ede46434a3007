#pragma once

#include "limber/reduced/reduced_model.hpp"

namespace limber {

/// How far a warped shape is from one that the body can have.
///
/// Each vertex turns on its own, by the mean of all rotations up to its own; nothing keeps the lengths
/// between vertices. A strip that modes bend to an arc of t radians has, at its end, lines that are sqrt(2 +
/// 2 cos t + t^2 - 2 t sin t) / 2 times as long as they should be: 0.93 at 30 degrees, 0.77 at 57, 0.58 at
/// 90. From a quarter turn on its end comes back as the mode grows, at a half turn it runs through its foot.
/// A twist, about whatever axis, keeps lengths at any angle.
struct WarpDistortion {
  double rotation = 0.0;  ///< largest of a vertex, rad
  /// largest |l - l0 (1 + e)| / l0 of an edge: l0 at rest, l warped, e its strain in the linear modes.
  double length = 0.0;
};

/// Of the surface of a model with warp data, at coordinates q of the model.  q: the first coordinates, at
/// most r.  Cost O(n r).
WarpDistortion warp_distortion(const ReducedModel& model, const Vector& q);

/// Lengths that are wrong by more than this share are no shape of the body: bent flaps begin to fold there,
/// and displacements are off by about as much from those of a nonlinear reduced model.
inline constexpr double largest_warp_distortion = 0.25;

}  // namespace limber
