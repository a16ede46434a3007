#pragma once

#include "limber/mesh/volume_mesh.hpp"

namespace limber {

/// A bar along x with its left end at x = 0, centred on the x axis.
struct BeamOptions {
  ElementKind kind = ElementKind::tetrahedron;
  Vector3 size{1.0, 0.2, 0.2};      ///< m
  Eigen::Vector3i cells{20, 4, 4};  ///< cubes along each axis; 6 tetrahedra or 1 brick per cube
};

inline constexpr double max_beam_cells = 5e7;  ///< 32-bit indices and 24 GiB both end a little above this

/// Throws Error for sizes that are not positive and for less than one or too many cells.
VolumeMesh make_beam(const BeamOptions& options = {});

}  // namespace limber
