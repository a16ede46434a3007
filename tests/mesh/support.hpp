#pragma once

#include "limber/mesh/beam.hpp"
#include "tests/support/files.hpp"

#include <string>

namespace limber::test {

inline const std::vector<ElementKind> both_kinds{ElementKind::tetrahedron, ElementKind::brick};

/// A beam of 3 x 2 x 2 cells with unequal sides.
inline VolumeMesh small_beam(ElementKind kind) {
  return make_beam({.kind = kind, .size = {1.5, 0.7, 0.4}, .cells = {3, 2, 2}});
}

inline double total_volume(const VolumeMesh& mesh) {
  double sum = 0.0;
  for (Index e = 0; e < mesh.element_count(); ++e) sum += element_volume(mesh, e);
  return sum;
}

/// One tetrahedron, the corner of the unit cube.
inline VolumeMesh unit_tetrahedron() {
  VolumeMesh mesh;
  mesh.vertices = Matrix3X::Zero(3, 4);
  mesh.vertices.rightCols<3>().setIdentity();
  mesh.elements = Eigen::Vector4i(0, 1, 2, 3);
  mesh.region = {0};
  mesh.regions = {{1, "body"}};
  return mesh;
}

inline VolumeMesh unit_brick() {
  return make_beam({.kind = ElementKind::brick, .size = {1, 1, 1}, .cells = {1, 1, 1}});
}

}  // namespace limber::test
