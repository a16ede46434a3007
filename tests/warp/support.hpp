#pragma once

#include "limber/mesh/volume_mesh.hpp"
#include "tests/support/fixtures.hpp"

#include <cmath>

namespace limber::test {

/// The power of h with which an error shrinks, from its values at h and h / 2.
inline double order_of(double coarse, double fine) { return std::log2(coarse / fine); }

/// A vector field at the vertices of a mesh, 3n.
template <class Field>
Vector sampled(const VolumeMesh& mesh, const Field& field) {
  Vector values(3 * mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    values.segment<3>(3 * v) = field(Vector3(mesh.vertices.col(v)));
  return values;
}

/// A matrix of numbers from -amplitude to amplitude.
inline Matrix random_matrix(Index rows, Index cols, double amplitude, std::uint64_t seed) {
  return Eigen::Map<const Matrix>(random_vector(rows * cols, amplitude, seed).eval().data(), rows, cols);
}

}  // namespace limber::test
