#pragma once

#include "limber/linalg/types.hpp"

#include <functional>

namespace limber {

/// Morph targets that follow a motion which is no linear blend, such as a warped one.
struct MorphFit {
  Eigen::MatrixXf targets;  ///< 3n x t, m; orthonormal columns but for rounding
  Matrix coordinates;       ///< t x frames
  double largest_error =
      0.0;  ///< largest distance of a vertex in any frame from where it should be, m; the targets are
            ///< floats, what a file rounds further comes on top
};

/// Displacements of the vertices in a frame (from 0), 3 x n, m.
using FrameShape = std::function<Eigen::Matrix3Xf(Index frame)>;

/// Frames that the directions of targets are taken from, at most: evenly, the first and the last among them.
inline constexpr Index most_fitted_frames = 400;

/// The fewest targets, by singular values, with which every vertex in every frame is within `tolerance` (m,
/// positive) of its place, or as near as `most_targets` allow: the error says which. The directions are those
/// of most_fitted_frames frames; all frames are projected onto them, and the error is that of all frames.
/// shape: asked for each frame a few times; finite. Rounding to floats limits what can be reached.
/// Cost O(n (k^2 + t frames)) and 3 shapes per frame as a rule, with k fitted frames and t targets; memory 3n
/// (k + 2t) floats: it does not grow with the number of frames but for their coordinates.
MorphFit fit_morph_targets(Index frames, const FrameShape& shape, double tolerance, Index most_targets = 200);

}  // namespace limber
