#pragma once

#include "limber/basis/linear_modes.hpp"
#include "limber/precompute/build_model.hpp"
#include "limber/warp/nodal_rotations.hpp"
#include "limber/warp/warped_dynamics.hpp"
#include "tests/support/fixtures.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace limber::test {

inline const Vector3 standard_gravity{0.0, 0.0, -9.81};

/// A cantilever that its own weight bends far: a reduced model in linear modes, with its warped equations.
struct WarpedBody {
  ReducedModel model;
  Matrix rotations;  ///< of the vertices of the mesh
  WarpedEquations equations;

  /// A vertex of the simulation mesh: in double precision.
  [[nodiscard]] WarpSite site(int vertex) const { return mesh_site(model, rotations, equations, vertex); }
  [[nodiscard]] WarpSite site_near(const Vector3& place) const { return site(vertex_near(place)); }
  [[nodiscard]] int vertex_near(const Vector3& place) const {
    Index nearest = 0;
    (model.simulation->mesh.vertices.colwise() - place).colwise().squaredNorm().minCoeff(&nearest);
    return static_cast<int>(nearest);
  }
};

inline WarpedBody make_warped_body(ReducedModel model, Index lumps, const RayleighDamping& damping) {
  const SimulationMesh& simulation = *model.simulation;
  model.warp = make_warp_data(simulation.mesh, simulation.basis, simulation.embedding, lumps);
  WarpedBody body;
  body.rotations = nodal_rotations(simulation.mesh, simulation.basis);
  WarpedEquationsOptions options;
  options.damping = damping;
  body.equations = make_warped_equations(model, model.materials(), options);
  body.model = std::move(model);
  return body;
}

/// Along x from 0 to 1 m, not square, so that its modes are well apart.
inline VolumeMesh warped_beam_mesh() {
  return make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.24, 0.2), Eigen::Vector3i(6, 2, 2)});
}

/// Of `modes` linear modes. lumps: see make_warp_data().
inline WarpedBody warped_beam(Index modes = 10, Index lumps = 40, const RayleighDamping& damping = {},
                              double young = 1e6) {
  VolumeMesh mesh = warped_beam_mesh();
  const std::vector<int> fixed = vertices_below(mesh, 1e-9);
  const FullModel full(std::move(mesh), {material("stvk", young, 0.3, 1000.0)}, fixed);
  return make_warped_body(build_reduced_model(full, compute_linear_modes(full, modes).shapes), lumps,
                          damping);
}

/// J^T F at the present state.
inline Vector load_of(const WarpedDynamics& dynamics) {
  Vector load;
  dynamics.modal_load(load);
  return load;
}

/// Displaced far, in all modes alike.
inline WarpedState some_state(const WarpedBody& body, std::uint64_t seed = 3) {
  const Vector scale = (body.equations.stiffness(0) / body.equations.stiffness.array()).sqrt();
  const Index m = scale.size();
  return {0.0, 2.0 * scale.cwiseProduct(random_vector(m, 1.0, seed)),
          20.0 * scale.cwiseProduct(random_vector(m, 1.0, seed + 1))};
}

}  // namespace limber::test
