#pragma once

#include "limber/mesh/lattice_octree.hpp"

#include <array>
#include <vector>

namespace limber {

/// A tetrahedron of the lattice.
struct LatticeTetrahedron {
  std::array<int, 4> vertices{};  ///< regular: centre, centre, corner, corner; see below
  bool regular = false;  ///< of the plain body-centred cubic lattice; only such ones may meet the surface
};

/// The tetrahedra by which an octree fills space. [Labelle & Shewchuk 2007, section 3.2]
///
/// Vertices are the corners and centres of the octants. Between the centres of two equal octants that share a
/// face, each edge of the face gives one tetrahedron (its long edges are centre-centre and that edge), or two
/// where smaller octants put a vertex into the middle of the edge. A face shared with a larger octant is the
/// base of two pyramids, to both centres, each cut in half along the diagonal from the middle of the larger
/// face to its corner. The results conform because octants that share a corner differ by at most one level.
struct LatticeTetrahedra {
  std::vector<Eigen::Vector3i> vertices;  ///< half cells
  std::vector<char> sure;                 ///< one per vertex: belongs to an octant that is inside for sure
  std::vector<LatticeTetrahedron> tetrahedra;
};

LatticeTetrahedra make_lattice_tetrahedra(const LatticeOctree& octree);

}  // namespace limber
