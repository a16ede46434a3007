#pragma once

#include "limber/fem/vertex_maps.hpp"
#include "limber/linalg/types.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <Eigen/Geometry>

#include <span>

namespace limber {

// Skeletal skinning of a volume: how much each bone moves each vertex, and the maps that follow. [Kim & James
// 2009, section 5]

/// Where a bone is at rest, m.
struct BoneSegment {
  Vector3 from = Vector3::Zero(), to = Vector3::Zero();
};

/// Weights of bones at the vertices of a body, bones x n: at least 0, each column with the sum 1.
///
/// Vertices within `radius` (m) of a bone follow the nearest one alone, and each bone has at least the vertex
/// nearest to it. Between them each bone's weight solves Laplace's equation on the body, whose surface no
/// weight flows through: the smoothest transition that the shape allows. Parts that have no such vertex
/// follow the bone nearest to them, and so do vertices without elements. On meshes with obtuse angles the
/// discrete solution may leave 0 to 1 a little: it is clamped and the columns are scaled. Cost: one sparse
/// factorisation with n unknowns.
/// Throws Error for no bones, numbers that are not finite, and two bones with the same only vertex.
Matrix harmonic_weights(const VolumeMesh& mesh, std::span<const BoneSegment> bones, double radius);

/// Linear blend skinning: the maps X + u -> sum_b w_b B_b (X + u). [Magnenat-Thalmann et al. 1988] weights:
/// bones x n, columns with the sum 1.  rest: places of the vertices, 3 x n, m.  motions: B_b, from rest.
VertexMaps blend(const Matrix& weights, const Matrix3X& rest, std::span<const Eigen::Isometry3d> motions);

}  // namespace limber
