#pragma once

#include "limber/basis/rest_stiffness.hpp"

#include <vector>

namespace limber {

/// What the surface of a body offers to a pressure.
struct BoundaryAreas {
  /// 3 x n, m^2: a third of the area vectors of the boundary triangles about each vertex of the mesh, turned
  /// outward; zero inside.
  Matrix3X vectors;
  std::vector<int> vertices;  ///< of the boundary, ascending; without those whose areas cancel
  double size = 0.0;          ///< m: edge of the cube with an area as large as that of the boundary
};
BoundaryAreas boundary_areas(const VolumeMesh& mesh);

/// The load of a pressure on a patch of the surface,
///
///   f_v = -w(|x_v - x_c| / radius) a_v,     w(d) = (1 - d^2)^2 for d < 1, else 0,
///
/// on the vertices v whose area vectors a_v are turned to the same side as that of the centre c, which is
/// always part of it; scaled to a resulting force of 1 N before supports take their share.
/// center: one of areas.vertices.  radius: m, 0 for a force on one vertex.  Returns dofs.
Vector patch_load(const FullModel& model, const BoundaryAreas& areas, int center, double radius);

/// How a body gives way where it is touched.
struct ContactResponses {
  std::vector<int> centers;  ///< vertices of the mesh, of the patches
  double radius = 0.0;       ///< m, of each
  double spacing = 0.0;      ///< m: no vertex that could be one is farther from a centre
  Vector compliances;        ///< m/N: work of the load of 1 N on the shape it causes; > 0
  Matrix shapes;             ///< dofs x patches, each divided by the root of its compliance: of energy 1
};

struct ContactResponseOptions {
  std::vector<int> where;  ///< vertices of the mesh among which the centres are chosen; none: all
  Index patches = 200;     ///< at most; so many overlap by half where they have the radius below
  double radius = 0.5;     ///< share of BoundaryAreas::size; at about half of it the pressure is half
};

/// The static responses x = K^-1 f of a body at rest to pressures on patches that are spread evenly over the
/// part of its boundary that moves, or over some of that, each patch far from those before. For a body that
/// is not held it is the self-equilibrated response, without rigid motion (RestStiffness).
/// Throws Error where a solve fails and where there is no such boundary.
/// Cost: one solve of `patches` right-hand sides.
ContactResponses compute_contact_responses(RestStiffness& rest, const ContactResponseOptions& options = {});

}  // namespace limber
