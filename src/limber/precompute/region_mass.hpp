#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <vector>

namespace limber {

/// Sets volume, mass, weight and moments of all regions of a mesh, one each: sums over their elements.
/// modes: 3n x r, r may be 0.  Cost O(regions n r^2).
void add_up_mass(const VolumeMesh& mesh, MassKind kind, const Matrix& modes,
                 std::vector<ReducedRegion>& regions);

}  // namespace limber
