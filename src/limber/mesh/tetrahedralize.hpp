#pragma once

#include "limber/base/executor.hpp"
#include "limber/base/progress.hpp"
#include "limber/mesh/solid.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <vector>

namespace limber {

struct TetrahedralizeOptions {
  double cell = 0.0;          ///< edge of a cube of the lattice, m; 12 tetrahedra fill a cube
  int grading = 0;            ///< interior cubes grow up to 2^grading cells; 0: all are equal
  double level = 0.0;         ///< the surface meshed is where the solid's distance is this, m
  int smoothing_passes = 10;  ///< of the vertices around the worst elements; 0: none
  Executor executor{};
  Progress progress = {};
};

/// Tetrahedra that fill a solid by isosurface stuffing: a body-centred cubic lattice whose tetrahedra are cut
/// where the surface crosses them, lattice vertices near the surface being moved onto it first.
///                                                                              [Labelle & Shewchuk 2007]
/// All dihedral angles lie between 10.7 and 164.8 degrees whatever the solid is; smoothing takes no step that
/// brings the worst angle around a vertex nearer to 0 or 180. Boundary vertices lie on the surface, to 1/500
/// of a cell. Edges and corners sharper than the lattice are rounded off, parts thinner than a cell may be
/// lost. Cost O(cells near the surface + elements). The mesh has one region. Throws Error where no element
/// fits or the lattice would be too large.
VolumeMesh tetrahedralize(const Solid& solid, const TetrahedralizeOptions& options);

/// A mesh before smoothing.
struct StuffedMesh {
  VolumeMesh mesh;
  std::vector<char> on_surface;  ///< one flag per vertex
};

/// The two halves of tetrahedralize, for searches that need only the first: stuffing, and smoothing of its
/// result with the same options.
StuffedMesh stuff(const Solid& solid, const TetrahedralizeOptions& options);
void smooth(StuffedMesh& stuffed, const Solid& solid, const TetrahedralizeOptions& options);

}  // namespace limber
