#pragma once

#include "limber/mesh/volume_mesh.hpp"
#include "limber/reduced/warp_data.hpp"

namespace limber {

/// The moving part of a body in at most `most` lumps (0: one per vertex and region), at least one per region
/// that moves. basis, rotations: 3n x r, U and W U.
///
/// The piece in which rotations differ most is divided, again and again: across the direction in which those
/// of the slowest columns, and places, vary most. So the arms of an octopus share no lump, and what does not
/// turn gets few. Cost O(n log(most)).
Lumps make_lumps(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& basis, const Matrix& rotations,
                 Index most);

}  // namespace limber
