#pragma once

#include "limber/base/executor.hpp"
#include "limber/mesh/embedding.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "limber/reduced/warp_data.hpp"

namespace limber {

/// W u for each column u of `displacements` (3n x k, m): half the curl of the displacement field at the
/// vertices, rad. That of a tetrahedron is constant, that of a brick is taken at the corner; a vertex has the
/// mean of its elements'. Zero for vertices that no element uses. Cost O(elements k). [Choi & Ko 2005, Eq.
/// 7-8]
Matrix nodal_rotations(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& displacements,
                       const Executor& executor = Executor(1));

inline constexpr Index default_lumps = 128;  ///< loads then are within 0.1 % of those of all vertices

/// Everything that modal warping needs of a mesh with the basis U (3n x r; rows of zeros for vertices that
/// cannot move). embedding: of the vertices of the surface, whose rotations are interpolated as displacements
/// are. lumps: their number at most, at least one per region is made; 0: one per vertex and region, which is
/// exact but costs as much per step as the mesh is large.
WarpData make_warp_data(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& basis,
                        const Embedding& embedding, Index lumps = default_lumps,
                        const Executor& executor = Executor(1));

/// R~(w) U q with w = Psi q at all vertices, 3 x n, m: the warped field of displacements. [Choi & Ko 2005,
/// Eq. 22] basis, rotations: 3n x r, U and Psi; rotations without columns: linear modes, U q. q: the first
/// coordinates of the model, at most r. Cost O(n r).
Matrix3X warped_field(const Matrix& basis, const Matrix& rotations, const Vector& q);
Matrix3X warped_field(const Eigen::MatrixXf& basis, const Eigen::MatrixXf& rotations, const Vector& q);

}  // namespace limber
