#pragma once

#include "limber/draw/shape.hpp"

#include <span>
#include <vector>

namespace limber {

/// The colour of a region, by its index: the first is that of a plain Shape, the others are well apart.
Color region_color(std::size_t region);

/// The boundary of a body, one shape per region.
std::vector<Shape> make_region_shapes(const VolumeMesh& mesh);

/// A body cut open: elements whose centre has normal . x > offset are left out; faces that this uncovers are
/// paler. One shape per region for the old boundary, and one for the cut.
std::vector<Shape> make_cut_shapes(const VolumeMesh& mesh, const Vector3& normal, double offset);

/// The boundary of a body, one shape for what moves and one, in orange, for what is held: faces with a corner
/// that is.  held: vertex numbers. A shape without faces is left out.
std::vector<Shape> make_held_shapes(const VolumeMesh& mesh, std::span<const int> held);

}  // namespace limber
