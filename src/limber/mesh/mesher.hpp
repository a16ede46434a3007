#pragma once

#include "limber/base/executor.hpp"
#include "limber/base/progress.hpp"
#include "limber/mesh/cleanup.hpp"
#include "limber/mesh/solid.hpp"
#include "limber/mesh/surface_repair.hpp"
#include "limber/mesh/uncovered.hpp"
#include "limber/mesh/voxelize.hpp"

#include <span>
#include <string>
#include <vector>

namespace limber {

enum class MeshMethod {
  tetrahedra,  ///< by isosurface stuffing: boundary vertices on the surface (tetrahedralize.hpp)
  voxels,      ///< cubes of one size (voxelize.hpp)
};

/// Of bodies that are meshed on the way: enough to bend right, few enough for seconds.
inline constexpr Index usual_elements = 30'000;

struct MesherOptions {
  MeshMethod method = MeshMethod::tetrahedra;
  int cells = 40;             ///< of the lattice along the longest side of the surfaces' bounding box
  Index target_elements = 0;  ///< where positive, cells are chosen to come near to this number instead
  int grading = 0;            ///< tetrahedra: interior cubes grow up to 2^grading cells
  VoxelFill fill = VoxelFill::touched;  ///< voxels
  bool match_volume = true;     ///< tetrahedra: shift the surface by a share of a cell so that volumes agree
  double smallest_part = 0.01;  ///< parts of less than this share of the volume are dropped
  Executor executor{};
  Progress progress = {};
};

struct MesherReport {
  std::vector<SurfaceDefects> defects;  ///< one per surface
  double surface_volume = 0.0;          ///< inside the surfaces, overlaps counted once, m^3
  bool volume_sampled = false;          ///< the surfaces have holes: that volume is an estimate
  double mesh_volume = 0.0;             ///< m^3
  bool shell = false;                   ///< voxels of the surface alone, whose volume is another thing
  double cell = 0.0;                    ///< m
  double level = 0.0;                   ///< distance by which the surface was shifted outward, m
  CleanupReport cleanup;
  Uncovered uncovered;  ///< what of the surfaces is more than one and a half cells away from the mesh
  std::vector<std::string> warnings;  ///< what was lost on the way, one line each
};

struct MeshedSurfaces {
  VolumeMesh mesh;
  MesherReport report;
};

/// A volume mesh, fit to simulate, of what surfaces enclose together, whatever state they are in: defects are
/// repaired and reported, inside is decided by winding numbers. Each element belongs to the region of the
/// last surface that holds its centre.
///
/// A chord cuts off a convex surface: meshes of curved bodies come out too small, by the square of the cell.
/// With match_volume the tetrahedral mesh is made for the surface shifted by up to a tenth of a cell that
/// brings the volume, and so the mass, back. Throws Error for surfaces that enclose nothing (sheet.hpp), and
/// where no element fits: where the cells are chosen here, before they become many times as many as elements
/// are asked for.
MeshedSurfaces mesh_surfaces(std::span<const RegionSurface> surfaces, const MesherOptions& options = {});

/// Volume of a solid, m^3, by sampling: cubes that are inside for sure count whole, those near the surface,
/// `cells` along the longest side, by the share of 3^3 points. Not for bodies thinner than a cube.
double measure_volume(const Solid& solid, int cells, const Executor& executor = Executor(1));

}  // namespace limber
