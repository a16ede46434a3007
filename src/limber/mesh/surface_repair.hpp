#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <string>
#include <vector>

namespace limber {

/// What keeps a surface from being closed and turned outward. Counted on vertices merged by position.
struct SurfaceDefects {
  Index duplicate_vertices = 0;    ///< at the position of another one
  Index unused_vertices = 0;       ///< in no triangle
  Index degenerate_triangles = 0;  ///< without area
  Index duplicate_triangles = 0;   ///< with the corners of another one, turned either way
  Index boundary_edges = 0;        ///< in one triangle only: the rims of holes
  Index holes = 0;                 ///< connected rims
  Index nonmanifold_edges = 0;     ///< in three triangles or more
  Index flipped_triangles = 0;     ///< turned against their neighbours, or inward
  Index components = 0;            ///< pieces connected through edges
  bool closed = false;             ///< no boundary and no non-manifold edges

  /// True where nothing had to be repaired and the surface is closed.
  [[nodiscard]] bool none() const;
};

/// The defects in words, one line each, e.g. "12 triangles turned inward"; empty where there is none.
std::vector<std::string> describe(const SurfaceDefects& defects);

struct RepairedSurface {
  SurfaceMesh surface;     ///< vertices merged, useless triangles removed, orientation made consistent
  SurfaceDefects defects;  ///< of the input
};

/// Makes a surface fit for inside-outside tests: merges vertices of equal position, removes triangles without
/// area and duplicates, turns triangles so that neighbours agree (each piece as most of its area was turned),
/// and turns closed pieces that are inside out unless they are cavities in another piece. Holes stay: the
/// winding number copes with them. Cost O(n log n). Throws Error where nothing with area remains.
RepairedSurface repair_surface(const SurfaceMesh& surface, std::string_view where);

}  // namespace limber
