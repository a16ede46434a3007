#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <string>
#include <vector>

namespace limber {

/// What keeps a surface from being closed and turned outward. Counted on vertices merged by position; edges,
/// holes and components on what remains once triangles were removed.
struct SurfaceDefects {
  Index duplicate_vertices = 0;    ///< at the position of another one
  Index unused_vertices = 0;       ///< in no triangle
  Index degenerate_triangles = 0;  ///< without area
  Index duplicate_triangles = 0;   ///< with the corners of another one that stays, turned either way
  Index wall_triangles = 0;        ///< of walls between pieces that touch, all copies; none is needed
  Index boundary_edges = 0;        ///< in one triangle only: the rims of holes
  Index holes = 0;                 ///< connected rims
  Index nonmanifold_edges = 0;     ///< in three triangles or more
  Index flipped_triangles = 0;     ///< turned against their neighbours, or inward
  Index components = 0;            ///< pieces connected through edges
  bool closed = false;             ///< once repaired, every edge is run through equally often both ways

  /// True where nothing had to be repaired and the surface is closed. Walls between pieces are no defect.
  [[nodiscard]] bool none() const;
};

/// The defects in words, one line each, e.g. "12 triangles that faced inward"; empty where there is none.
std::vector<std::string> describe(const SurfaceDefects& defects);

struct RepairedSurface {
  SurfaceMesh surface;     ///< vertices merged, useless triangles removed, orientation made consistent
  SurfaceDefects defects;  ///< of the input
};

/// Makes a surface fit for inside-outside tests: merges vertices at the same place (to 1e-12 of the size),
/// removes triangles without area, duplicates and walls, turns triangles so that neighbours agree (each piece
/// as most of its area was turned), and turns closed pieces that are inside out unless they are cavities in
/// another piece. Holes stay: the winding number copes with them.
/// - Triangles on a line stay where they seal the surface: where a vertex lies on the edge of a neighbour.
/// - Triangles there twice, turned either way, are the wall where closed pieces touch, and both go; or one
///   surface given twice, and one stays. The edges around them tell: at those of a wall an even number of
///   other triangles meets.
/// Cost O(n log n). Throws Error where nothing with area remains.
RepairedSurface repair_surface(const SurfaceMesh& surface, std::string_view where);

}  // namespace limber
