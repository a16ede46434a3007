#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <array>
#include <vector>

namespace limber {

/// A regular tetrahedron of the lattice that the surface cuts: its edges 0-1 and 2-3 are the long ones.
struct CutTetrahedron {
  std::array<int, 4> vertices{};
  std::array<int, 4> sign{};                ///< +1 inside, 0 on the surface, -1 outside
  std::array<Eigen::Vector3i, 4> position;  ///< in the lattice, half cells
  std::array<std::array<int, 4>, 4>
      cut{};  ///< [i][j]: vertex where the surface cuts the edge i-j; -1: nowhere
};

/// Appends the tetrahedra that fill the part of `tetrahedron` inside the surface.
///                                                                   [Labelle & Shewchuk 2007, section 3.1]
/// A face with two corners inside and one outside leaves a quadrilateral, whose diagonal both neighbours must
/// choose alike: it starts at the cut on the long edge where one was cut; where both cut edges are short, at
/// the inner corner with an odd number of coordinates larger than the outer corner's (parity rule). `points`:
/// positions of all vertices, by which the diagonal of a quadrilateral on the surface, which is free, is
/// chosen. Orientation of the results is arbitrary.
void fill_cut_tetrahedron(const CutTetrahedron& tetrahedron, const std::vector<Vector3>& points,
                          std::vector<std::array<int, 4>>& result);

}  // namespace limber
