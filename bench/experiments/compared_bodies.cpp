#include "bench/experiments/compared_bodies.hpp"

#include "limber/bodies/builtin.hpp"
#include "limber/body/mesh_body.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/multidomain/decompose.hpp"
#include "limber/multidomain/reduce_tree.hpp"
#include "limber/precompute/reduce.hpp"

#include <memory>
#include <utility>

namespace limber::bench {
namespace {

FullModel full_model(const Specimen& specimen) { return {specimen.mesh, specimen.materials, specimen.fixed}; }

std::shared_ptr<const Model> reduced_model(const Specimen& specimen, const BasisSettings& basis) {
  ReduceOptions options;
  options.basis = basis;
  options.basis.check = false;
  ReduceReport report;
  ReducedModel model = reduce(full_model(specimen), {}, {}, options, report);
  model.name = specimen.name;
  return std::make_shared<const Model>(make_model(std::move(model), specimen.fixed.empty()));
}

}  // namespace

Specimen make_bar(const std::string& name, const Vector3& size, const Eigen::Vector3i& cells, double young,
                  bool held) {
  Specimen bar{name,
               make_beam({ElementKind::tetrahedron, size, cells}),
               {{make_law("stvk", lame_from_young(young, 0.3)), 1000.0}},
               {}};
  for (int v = 0; held && v < bar.mesh.vertex_count(); ++v) {
    if (bar.mesh.vertices(0, v) < 1e-9) bar.fixed.push_back(v);
  }
  return bar;
}

Specimen make_builtin_specimen(const std::string& name, bool held) {
  BuiltinBody body = make_builtin(name);
  return {name, std::move(body.mesh), std::move(body.materials),
          held ? std::move(body.fixed) : std::vector<int>{}};
}

Body by_finite_elements(const Specimen& specimen) {
  MeshBodySetup setup;
  setup.name = specimen.name;
  setup.mesh = specimen.mesh;
  setup.materials = specimen.materials;
  setup.fixed = specimen.fixed;
  return make_full_body(std::move(setup));
}

Body by_reduction(const Specimen& specimen, int modes, int rank) {
  return Body(reduced_model(specimen, {.modes = modes, .rank = rank}));
}

Body by_warping(const Specimen& specimen, int modes) {
  Body body(reduced_model(specimen, {.modes = modes, .order = 0, .rank = modes}));
  body.set_method(Method::warped);
  return body;
}

Body by_domains(const Specimen& specimen, int domains, int rank, Method method) {
  PartTree parts = make_parts({specimen.mesh, specimen.materials, {}, {}, specimen.fixed},
                              decompose_automatically(specimen.mesh, domains, specimen.fixed));
  parts.name = specimen.name;
  TreeReduceOptions options;
  options.rank = rank;
  TreeReduceReport report;
  Body body(reduce_tree(parts, options, report));
  body.set_method(method);
  return body;
}

Index coordinates_of(const Body& body) { return body.has_model() ? body.state().q.size() : body.unknowns(); }

ReducedStepOptions undamped_steps() {
  ReducedStepOptions options;
  options.newmark = NewmarkOptions{};
  return options;
}

}  // namespace limber::bench
