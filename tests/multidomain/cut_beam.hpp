#pragma once

#include "limber/mesh/beam.hpp"
#include "limber/multidomain/decompose.hpp"
#include "tests/support/fixtures.hpp"

#include <string>
#include <vector>

namespace limber::test {

inline Vector3 element_center(const VolumeMesh& mesh, Index e) {
  return mesh.vertices(Eigen::all, mesh.elements.col(e)).rowwise().mean();
}

/// A beam of three unit cubes, each of `cells` cells along each axis, whose regions are called root, middle
/// and tip.
inline VolumeMesh cut_beam(ElementKind kind = ElementKind::tetrahedron, int cells = 2) {
  VolumeMesh mesh = make_beam({kind, Vector3(3.0, 1.0, 1.0), Eigen::Vector3i(3 * cells, cells, cells)});
  mesh.regions = {{1, "root"}, {2, "middle"}, {3, "tip"}};
  for (Index e = 0; e < mesh.element_count(); ++e)
    mesh.region[static_cast<std::size_t>(e)] = static_cast<int>(element_center(mesh, e).x());
  return mesh;
}

/// Of one material, held at its left end.
inline DecomposedBody held_body(const VolumeMesh& mesh) {
  return {
      mesh, std::vector<Material>(mesh.regions.size(), material("stvk")), {}, {}, vertices_below(mesh, 1e-9)};
}

/// A flat plate of unit bricks, nx along x and ny along y.
inline VolumeMesh plate(int nx, int ny) {
  return make_beam({ElementKind::brick, Vector3(nx, ny, 1.0), Eigen::Vector3i(nx, ny, 1)});
}

}  // namespace limber::test
