#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <array>
#include <vector>

namespace limber {

/// Elements and volume of one region.
struct RegionMeasure {
  Index elements = 0;
  double volume = 0.0;  ///< m^3
};

/// Sizes and shapes of the elements: what decides how well a mesh computes. Angles near 0 or 180 degrees and
/// edges of very different length make the stiffness badly conditioned; a small element limits the time step
/// of explicit integration.                                                              [Shewchuk 2002]
struct MeshQuality {
  double volume = 0.0;                         ///< of all elements, m^3
  double smallest_volume = 0.0;                ///< of an element, m^3
  double largest_volume = 0.0;                 ///< of an element, m^3
  double smallest_dihedral = 90.0;             ///< angle between two faces of an element, degrees; bricks: 90
  double largest_dihedral = 90.0;              ///< degrees; bricks: 90
  std::array<Index, 18> dihedral_histogram{};  ///< angles per 10 degrees from 0 to 180; bricks: none counted
  double largest_edge_ratio = 1.0;             ///< longest over shortest edge of one element
  std::vector<RegionMeasure> regions;          ///< one per region of the mesh
};

/// Smallest sine of the six dihedral angles of a tetrahedron: small where an angle is near 0 or near 180
/// degrees; negative where its volume is. sin(angle at edge ij) = 6 V |edge ij| / (|n_k| |n_l|), n: normals
/// of the two faces there, twice their area long. [Klingner & Shewchuk 2007]
double smallest_dihedral_sine(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d);

/// Measures a mesh that passed check_mesh. Cost O(elements).
MeshQuality measure_quality(const VolumeMesh& mesh);

}  // namespace limber
