#pragma once

#include "limber/base/executor.hpp"
#include "limber/base/progress.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace limber {

/// A body made by code, ready to simulate and to draw.
struct BuiltinBody {
  VolumeMesh mesh;                   ///< one connected part
  SurfaceMesh render;                ///< fine surface to embed in the mesh; closed surfaces that may overlap
  std::vector<Vector3> part_colors;  ///< sRGB, 0 to 1: one per part of `render`
  std::vector<int> fixed;            ///< vertices of the mesh that are held, ascending; empty: a free body
  std::vector<Material> materials;   ///< one per region of the mesh
};

inline constexpr std::string_view builtin_prefix = "builtin:";

/// True for names such as "builtin:beam".
bool is_builtin(std::string_view name);

/// The built-in body that a name asks for, e.g. "builtin:beam?element=brick&size=1,0.1,0.1&cells=20,2,2" or
/// "builtin:spoon?cells=80&grading=1".
///
/// Parameters of the beam: `element` (tet or brick), `size` (m, x,y,z) and `cells` (x,y,z).
/// Of all other bodies:
///   cells    cubes of the lattice along the longest side of the body
///   element  tet (isosurface stuffing) or brick (voxels)
///   grading  0 to 4: interior tetrahedra grow up to 2^grading cells
///   render   the same for the surfaces to draw; bars, leaves and other simple pieces have a fixed fineness
///
/// Throws Error for an unknown body or parameter (naming the nearest known one), values out of range, and
/// cells too coarse for the body to hang together. Equal names give equal bits.
BuiltinBody make_builtin(std::string_view name, const Executor& executor = Executor(),
                         const Progress& progress = {});

/// Names of all built-in bodies, without prefix.
std::span<const std::string_view> builtin_names();

/// One line that says what a body is. name: one of builtin_names(). Throws Error for any other.
std::string_view builtin_description(std::string_view name);

}  // namespace limber
