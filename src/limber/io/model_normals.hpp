#pragma once

#include "limber/linalg/types.hpp"

#include <span>

namespace limber {

/// Normals of a surface with morph targets, as viewers blend them: base + sum_t w_t delta_t, brought to unit
/// length.
struct MorphNormals {
  Eigen::Matrix3Xf base;   ///< 3 x n, unit length
  Eigen::MatrixXf deltas;  ///< 3n x targets
};

/// Unit normals of the vertices, 3 x n: the mean of the incident triangles' normals weighted by their area;
/// +z where no triangle with area meets the vertex, because glTF wants unit length everywhere.
Matrix3X area_weighted_normals(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles);

/// The normals to first order about the shape `positions` (3 x n, m), where all weights are 0: the derivative
/// of area_weighted_normals along each column of `targets` (3n x t, m).
MorphNormals linear_normals(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles,
                            const Eigen::Ref<const Eigen::MatrixXf>& targets);

/// The normals that follow a motion best, in one more target than the shape has, of weight 1 throughout: base
/// + delta_t+1 and deltas whose blend, with the weights of each frame, is nearest to the true unit normals of
/// the shapes base_positions + targets * weights, in the sum of squares over frames.
/// [docs/model_file.md] The base stays the true normals of the base shape, which Blender takes instead of any
/// target's.
/// Frames beyond 200 are thinned out evenly. Directions that the frames leave open follow linear_normals
/// about the rest shape.
///
/// base_positions: 3 x n, m.  targets: 3n x t.  weights: t x frames.  rest_weights: t, where the surface is
/// at rest. Cost O(n t frames + t^3).
MorphNormals fit_normals(const Matrix3X& base_positions, const Eigen::Matrix3Xi& triangles,
                         const Eigen::Ref<const Eigen::MatrixXf>& targets,
                         const Eigen::Ref<const Matrix>& weights, const VectorRef& rest_weights);

}  // namespace limber
