#pragma once

#include "limber/io/model_file.hpp"
#include "limber/reduced/quartic.hpp"
#include "tests/io/gltf_support.hpp"
#include "tests/io/model_equality.hpp"
#include "tests/io/volume_support.hpp"
#include "tests/support/fixtures.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace limber::test {

inline Matrix random_matrix(Index rows, Index columns, double amplitude, std::uint64_t seed) {
  return random_vector(rows * columns, amplitude, seed).reshaped(rows, columns);
}

/// Physics without meaning, but of the right sizes: the file does not care.
inline ReducedRegion random_region(const Region& region, Index rank, std::uint64_t seed) {
  const Matrix A = random_matrix(rank, rank, 1.0, seed);
  const Index monomials = monomial_count(rank);
  return {.region = region,
          .material = {{1e5 / 3.0, 2e5 / 7.0}, 1100.1},
          .volume = 1.0 / 3.0,
          .lambda_energy = random_vector(monomials, 1.0, seed + 1),
          .mu_energy = random_vector(monomials, 1.0, seed + 2),
          .mass = A * A.transpose() + Matrix::Identity(rank, rank),
          .weight = random_matrix(rank, 3, 1.0, seed + 3)};
}

/// The boundary of the mesh, in floats, as it follows the basis (3n x r) of the mesh.
inline void bind_surface(ReducedModel& model, const Matrix& basis, SimulationMesh& simulation) {
  ReducedSurface& surface = model.surface;
  surface.mesh = boundary_surface(simulation.mesh);
  surface.mesh.vertices = surface.mesh.vertices.cast<float>().cast<double>().eval();
  for (std::size_t p = 0; p < surface.mesh.parts.size(); ++p) {
    surface.colors.emplace_back(0.1 * static_cast<double>(p + 1), 0.5, 1.0 / 3.0);
  }
  simulation.embedding = embed_points(simulation.mesh, surface.mesh.vertices);
  surface.basis.resize(3 * surface.mesh.vertex_count(), model.rank);
  for (Index i = 0; i < model.rank; ++i) {
    const Matrix3X column = basis.col(i).reshaped(3, simulation.mesh.vertex_count());
    surface.basis.col(i) = interpolate(simulation.embedding, column).reshaped().cast<float>();
  }
  simulation.basis = basis;
}

/// A model with everything that a file can hold: regions and parts that alternate, a part without triangles, vertices that
/// nothing uses, the largest and smallest numbers there are.
inline ReducedModel sample_model(ElementKind kind = ElementKind::tetrahedron, Index rank = 3) {
  ReducedModel model;
  model.name = "b\xC3\xA4r \"1\"";
  model.description = "random,\nwithout meaning";
  model.rank = rank;
  SimulationMesh simulation;
  simulation.mesh = awkward_mesh(kind);
  simulation.fixed = vertices_below(simulation.mesh, -1.0);  // none
  for (int v = 0; v < 4; ++v) simulation.fixed.push_back(2 * v);
  std::uint64_t seed = 1;
  for (const Region& region : simulation.mesh.regions) {
    model.regions.push_back(random_region(region, rank, seed));
    seed += 10;
  }
  Matrix basis = random_matrix(3 * simulation.mesh.vertex_count(), rank, 0.1, 7);
  for (const int v : simulation.fixed) basis.middleRows(3 * v, 3).setZero();
  basis(3, 0) = -0.0;
  bind_surface(model, basis, simulation);
  model.surface.mesh.parts.insert(model.surface.mesh.parts.begin(), "empty");
  model.surface.colors.insert(model.surface.colors.begin(), Vector3(1.0, 0.0, 0.25));
  for (int& part : model.surface.mesh.part) ++part;
  model.surface.basis(0, 0) = -0.0F;
  model.surface.basis(1, 0) = std::numeric_limits<float>::denorm_min();
  model.regions[0].lambda_energy[0] = -0.0;
  model.regions[0].lambda_energy[1] = std::numeric_limits<double>::denorm_min();
  model.regions[0].lambda_energy[2] = std::numeric_limits<double>::max();
  model.simulation = std::move(simulation);
  return model;
}

/// The same without regions, parts and a simulation mesh to speak of: a small file.
inline ReducedModel small_model(Index rank = 2) {
  ReducedModel model;
  model.rank = rank;
  model.regions.push_back(random_region({}, rank, 5));
  model.surface.mesh = make_surface_mesh(Matrix3X::Identity(3, 4), Eigen::Matrix3Xi(3, 4));
  model.surface.mesh.vertices.col(3).setZero();
  model.surface.mesh.triangles << 0, 0, 0, 1, 1, 2, 3, 2, 2, 3, 1, 3;
  model.surface.colors = {Vector3(0.5, 0.5, 0.5)};
  model.surface.basis = random_matrix(12, rank, 0.1, 6).cast<float>();
  return model;
}

/// The chunks of a .glb file, to be changed and put together again by make_glb.
struct GlbChunks {
  nlohmann::json document;
  std::string bytes;

  explicit GlbChunks(const std::string& content) {
    const auto length = load_number<std::uint32_t>(std::string_view(content).substr(12), ByteOrder::little);
    document = nlohmann::json::parse(content.substr(20, length));
    bytes = content.substr(28 + length);
  }
  [[nodiscard]] std::string glb() const { return make_glb(document.dump(), bytes); }

  /// Where the bytes of a buffer view start.
  [[nodiscard]] std::size_t offset(const nlohmann::json& view) const {
    return document["bufferViews"][view.get<std::size_t>()]["byteOffset"];
  }
};

}  // namespace limber::test
