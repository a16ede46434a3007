#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/mesh/beam.hpp"

#include <memory>
#include <string_view>

namespace limber::bench {

/// The body of the published comparisons: a bar of 80 x 10 x 10 cells, 48,000 tetrahedra, held at one end.
inline std::shared_ptr<FullModel> bar(std::string_view law, int threads,
                                      ElementKind kind = ElementKind::tetrahedron,
                                      Eigen::Vector3i cells = {80, 10, 10}) {
  const VolumeMesh mesh = make_beam({kind, Vector3(8.0, 1.0, 1.0), cells});
  std::vector<int> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 1e-9) fixed.push_back(v);
  }
  const Material material{make_law(law, lame_from_young(1e6, 0.45)), 1000.0};
  return std::make_shared<FullModel>(mesh, std::vector<Material>{material}, fixed,
                                     FullModelOptions{MassKind::consistent, Executor(threads)});
}

/// A state with strain everywhere: a smooth bend of a few percent.
inline Vector bent(const FullModel& model) {
  Matrix3X field = Matrix3X::Zero(3, model.mesh().vertex_count());
  for (Index v = 0; v < field.cols(); ++v) {
    const double x = model.mesh().vertices(0, v), z = model.mesh().vertices(2, v);
    field.col(v) = Vector3(-0.02 * x * z, 0.003 * x * z, 0.01 * x * x);
  }
  return model.dofs().restrict(field);
}

}  // namespace limber::bench
