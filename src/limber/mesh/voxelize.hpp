#pragma once

#include "limber/base/executor.hpp"
#include "limber/base/progress.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <span>
#include <string>

namespace limber {

/// Which voxels belong to the body.
enum class VoxelFill {
  touched,  ///< those inside or met by the surface: the whole surface lies within the mesh
  center,   ///< those whose centre is inside: the volume comes out nearly right, thin parts may be lost
  shell,    ///< those met by the surface only
};

/// A surface and the region that its inside becomes.
struct RegionSurface {
  SurfaceMesh surface;
  std::string name;
};

struct VoxelizeOptions {
  double cell = 0.0;  ///< edge of a voxel, m
  VoxelFill fill = VoxelFill::touched;
  Executor executor{};
  Progress progress = {};
};

/// Cubes of one size (8-node bricks) that fill what the surfaces enclose together. [Barbic & James 2005, 3.1]
/// Surfaces may be soups: inside is told by the winding number; repair them first (surface_repair.hpp). Each
/// voxel belongs to the last surface that holds its centre (or meets it, where none does); region i + 1 is
/// that of surface i, and regions without voxels are left out.
///
/// The lattice has as few whole cells along each axis as hold the surfaces, and their box in its middle. A
/// voxel that the surface touches only from outside, within 1e-9 of a cell, is not met: a box of whole cells
/// becomes just those. Elements are in the order of x, then y, then z. Several parts, and voxels
/// that share only an edge or a vertex, are left as they are (cleanup.hpp). Cost O(voxels + cells near the
/// surface * log triangles).
///
/// Throws Error where no voxel is filled, the lattice has 2^31 cells or more, or 5e7 voxels would be filled.
VolumeMesh voxelize(std::span<const RegionSurface> surfaces, const VoxelizeOptions& options);

}  // namespace limber
