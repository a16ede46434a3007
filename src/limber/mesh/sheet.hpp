#pragma once

#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/surface_query.hpp"

namespace limber {

/// Whether a surface encloses next to nothing: cloth, a leaf, a terrain. Told by winding numbers just behind
/// it, which are 1 for what encloses a body, over 0.68 for a pipe without ends, over 0.6 for bowls, and 1/2
/// for a plane, behind which as much is to be seen as before it. A sheet beside a body is none.
/// surface: repaired.  query: of the same. Cost that of some thousand winding numbers.
bool is_sheet(const SurfaceMesh& surface, const SurfaceQuery& query);

}  // namespace limber
