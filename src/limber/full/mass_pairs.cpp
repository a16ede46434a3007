#include "limber/full/mass_pairs.hpp"

#include "limber/fem/elements.hpp"

namespace limber {
namespace {

double pair_share(const FullModel& model, int a, int b) {
  const ElementKind kind = model.mesh().kind;
  if (model.mass_kind() == MassKind::lumped) return a == b ? 1.0 / vertices_per_element(kind) : 0.0;
  return kind == ElementKind::tetrahedron ? TetrahedronElement::mass_share(a, b)
                                          : BrickElement::mass_share(a, b);
}

}  // namespace

void for_each_mass(const FullModel& model, const std::function<void(int a, int b, double mass)>& use) {
  const VolumeMesh& mesh = model.mesh();
  const int nodes = vertices_per_element(mesh.kind);
  Matrix shares(nodes, nodes);
  for (int a = 0; a < nodes; ++a) {
    for (int b = 0; b < nodes; ++b) shares(a, b) = pair_share(model, a, b);
  }
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const auto region = static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)]);
    const double mass = element_volume(mesh, e) * model.materials()[region].density;
    for (int a = 0; a < nodes; ++a) {
      for (int b = 0; b < nodes; ++b) {
        if (shares(a, b) != 0.0) use(mesh.elements(a, e), mesh.elements(b, e), mass * shares(a, b));
      }
    }
  }
}

}  // namespace limber
