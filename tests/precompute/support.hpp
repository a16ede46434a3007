#pragma once

#include "tests/support/fixtures.hpp"

#include <cmath>

namespace limber::test {

/// A small beam of cells that differ along each axis, with a vertex that no element uses before the others.
/// Its regions have 5, 14 and the remaining elements: none fills packets of eight.
inline VolumeMesh uneven_beam(ElementKind kind, std::size_t regions) {
  VolumeMesh mesh = make_beam({kind, Vector3(3.0, 1.4, 0.9), Eigen::Vector3i(5, 3, 2)});
  Matrix3X vertices(3, mesh.vertex_count() + 1);
  vertices << Vector3(-7.0, 5.0, 3.0), mesh.vertices;
  mesh.vertices = vertices;
  mesh.elements.array() += 1;
  mesh.regions = {{7, "shell"}, {9, "core"}, {4, ""}};
  mesh.regions.resize(regions);
  for (std::size_t e = 0; e < mesh.region.size(); ++e) {
    const int region = e < 5 ? 0 : e < 19 ? 1 : 2;
    mesh.region[e] = std::min(region, static_cast<int>(regions) - 1);
  }
  return mesh;
}

/// One for each region, all different.
inline std::vector<Material> stvk_materials(std::size_t regions, double factor = 1.0) {
  std::vector<Material> materials{material("stvk", 1e5 * factor, 0.3, 900.0),
                                  material("stvk", 3e4, 0.45 / factor, 1300.0 * factor),
                                  material("stvk", 2.5e5, 0.1, 700.0)};
  materials.resize(regions);
  return materials;
}

inline FullModel uneven_model(ElementKind kind, std::size_t regions, double factor = 1.0,
                              const FullModelOptions& options = {}) {
  const VolumeMesh mesh = uneven_beam(kind, regions);
  std::vector<int> fixed = vertices_below(mesh, 1e-9);  // the unused vertex too
  return {mesh, stvk_materials(regions, factor), fixed, options};
}

/// Waves in random directions; neither orthogonal nor of equal size.
inline Matrix wave_basis(const FullModel& model, Index rank, std::uint64_t seed = 5) {
  Random random(seed);
  Matrix basis(model.dof_count(), rank);
  Matrix3X field(3, model.mesh().vertex_count());
  for (Index i = 0; i < rank; ++i) {
    const Vector3 wave(random.normal(), random.normal(), random.normal());
    const Vector3 direction(random.normal(), random.normal(), random.normal());
    const double phase = random.uniform(0.0, 6.0);
    for (Index v = 0; v < field.cols(); ++v)
      field.col(v) = direction * std::sin(wave.dot(model.mesh().vertices.col(v)) + phase);
    basis.col(i) = model.dofs().restrict(field);
  }
  return basis;
}

/// Coordinates at which the largest |grad u| is as asked: 1 is 100 % strain.
inline Vector state_of_gradient(const FullModel& model, const Matrix& basis, double gradient,
                                std::uint64_t seed) {
  const Vector q = random_vector(basis.cols(), 1.0, seed);
  return gradient / model.largest_gradient(basis * q) * q;
}

/// Energy, force and stiffness of the full model at u = U q, projected.
struct Projected {
  double energy;
  Vector force;
  Matrix stiffness;

  Projected(const FullModel& model, const Matrix& U, const Vector& q) : energy(model.energy(U * q)) {
    Vector f;
    SparseMatrix K = model.pattern();
    model.force_and_stiffness(U * q, f, K);
    force = U.transpose() * f;
    stiffness = U.transpose() * (K * U);
  }
};

}  // namespace limber::test
