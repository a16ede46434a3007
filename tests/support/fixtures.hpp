#pragma once

#include "limber/base/random.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/mesh/beam.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace limber::test {

inline Vector random_vector(Index size, double amplitude, std::uint64_t seed) {
  Random random(seed);
  Vector x(size);
  for (double& value : x) value = random.uniform(-amplitude, amplitude);
  return x;
}

inline Matrix3 random_matrix3(double amplitude, std::uint64_t seed) {
  return Eigen::Map<const Matrix3>(random_vector(9, amplitude, seed).eval().data());
}

/// A rotation that is nowhere near the identity.
inline Matrix3 some_rotation() {
  return Eigen::AngleAxisd(2.1, Vector3(0.3, -0.7, 0.6).normalized()).toRotationMatrix();
}

/// A material that all laws accept, with an uneven mix of shear and volume stiffness.
inline Material material(std::string_view law, double young = 1e5, double poisson = 0.3,
                         double density = 900.0) {
  return {make_law(law, lame_from_young(young, poisson)), density};
}

/// Vertices with x below a bound.
inline std::vector<int> vertices_below(const VolumeMesh& mesh, double x) {
  std::vector<int> chosen;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < x) chosen.push_back(v);
  }
  return chosen;
}

/// A beam of unit cells: gradients of the displacement are as large as the displacements.
inline VolumeMesh unit_beam(ElementKind kind, int nx = 3, int ny = 2, int nz = 2) {
  return make_beam({kind, Vector3(nx, ny, nz), Eigen::Vector3i(nx, ny, nz)});
}

/// A test parameter: a law and an element.
struct Combination {
  std::string law;
  ElementKind kind;
};

inline std::vector<Combination> all_combinations() {
  std::vector<Combination> all;
  for (const std::string_view law : material_names) {
    for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick})
      all.push_back({std::string(law), kind});
  }
  return all;
}

/// Those whose energy does not change when the body turns: all but linear elasticity.
inline std::vector<Combination> objective_combinations() {
  std::vector<Combination> chosen = all_combinations();
  std::erase_if(chosen, [](const Combination& one) { return one.law == "linear"; });
  return chosen;
}

/// "neo_hookean_brick": what CTest shows.
inline std::string name_of(const Combination& combination) {
  std::string name = combination.law + "_" + std::string(limber::name_of(combination.kind));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

inline std::ostream& operator<<(std::ostream& stream, const Combination& combination) {
  return stream << name_of(combination);
}

}  // namespace limber::test
