#pragma once

#include "limber/io/model_file.hpp"
#include "limber/reduced/quartic.hpp"
#include "tests/io/gltf_support.hpp"
#include "tests/io/model_equality.hpp"
#include "tests/io/volume_support.hpp"
#include "tests/support/fixtures.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace limber::test {

enum class RuleKind { one_weight, weight_per_coordinate };  ///< for each point of a cubature

inline Matrix random_matrix(Index rows, Index columns, double amplitude, std::uint64_t seed) {
  return random_vector(rows * columns, amplitude, seed).reshaped(rows, columns);
}

inline Matrix3 random_moment(std::uint64_t seed) {
  const Matrix3 A = random_matrix(3, 3, 1.0, seed);
  return A * A.transpose() + Matrix3::Identity();
}

/// Physics without meaning, but of the right sizes: the file does not care.
inline ReducedRegion random_region(const Region& region, Index rank, std::uint64_t seed) {
  const Matrix A = random_matrix(rank, rank, 1.0, seed);
  const Index monomials = monomial_count(rank);
  return {.region = region,
          .material = {Stvk{{1e5 / 3.0, 2e5 / 7.0}}, 1100.1},
          .volume = 1.0 / 3.0,
          .lambda_energy = random_vector(monomials, 1.0, seed + 1),
          .mu_energy = random_vector(monomials, 1.0, seed + 2),
          .mass = A * A.transpose() + Matrix::Identity(rank, rank),
          .weight = random_matrix(rank, 3, 1.0, seed + 3),
          .moments = {.first = random_vector(3, 1.0, seed + 4),
                      .second = random_moment(seed + 5),
                      .second_rows = random_matrix(9, rank, 1.0, seed + 6),
                      .second_pairs = random_matrix(9, rank * rank, 1.0, seed + 7)}};
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

/// Rotations and lumps without meaning, which add up to what the regions say.
inline WarpData random_warp_data(const ReducedModel& model, std::uint64_t seed, Index lumps_per_region = 2) {
  const Index rank = model.rank;
  const Index count = lumps_per_region * static_cast<Index>(model.regions.size());
  WarpData warp;
  warp.surface_rotations = random_matrix(model.surface.basis.rows(), rank, 1.0, seed).cast<float>();
  warp.lumps.volume.resize(count);
  warp.lumps.center = random_matrix(3, count, 1.0, seed + 1);
  warp.lumps.moment = random_matrix(3 * count, rank, 1.0, seed + 2);
  warp.lumps.rotations = random_matrix(3 * count, rank, 1.0, seed + 3);
  for (Index i = 0; i < count; ++i) {
    const Index number = i / lumps_per_region;
    const ReducedRegion& region = model.regions[static_cast<std::size_t>(number)];
    warp.lumps.region.push_back(static_cast<int>(number));
    warp.lumps.volume[i] = region.volume / static_cast<double>(lumps_per_region);
    if (i % lumps_per_region != lumps_per_region - 1) continue;
    warp.lumps.moment.middleRows<3>(3 * i) = region.weight.transpose();
    for (Index other = lumps_per_region * number; other < i; ++other) {
      warp.lumps.moment.middleRows<3>(3 * i) -= warp.lumps.moment.middleRows<3>(3 * other);
    }
  }
  return warp;
}

/// A model with everything that a file can hold: regions and parts that alternate, a part without triangles,
/// vertices that nothing uses, the largest and smallest numbers there are.
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
  model.regions[0].moments.first.x() = -0.0;
  model.regions[0].moments.first.y() = std::numeric_limits<double>::denorm_min();
  model.regions[0].moments.second_rows(1, 0) = -0.0;
  model.simulation = std::move(simulation);
  model.warp = random_warp_data(model, 40);
  model.warp->surface_rotations(0, 0) = -0.0F;
  model.warp->surface_rotations(1, 0) = std::numeric_limits<float>::denorm_min();
  return model;
}

/// One without regions, parts and a simulation mesh to speak of: a small file.
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

/// The same model with forces from cubature: a few points without meaning in all regions.
inline ReducedModel with_cubature(ReducedModel model, RuleKind kind, Index points = 7) {
  const Index rank = model.rank;
  CubatureRule rule;
  for (Index p = 0; p < points; ++p) {
    const bool mesh = model.simulation.has_value();
    const Index elements = mesh ? model.simulation->mesh.element_count() : Index{1} << 30;
    const bool bricks = !mesh || model.simulation->mesh.kind == ElementKind::brick;
    rule.element.push_back(static_cast<int>((elements - 1) * p / std::max<Index>(points - 1, 1)));
    rule.point.push_back(bricks ? static_cast<int>(26 - p % 27) : 0);
    rule.region.push_back(mesh ? model.simulation->mesh.region[static_cast<std::size_t>(rule.element.back())]
                               : static_cast<int>(p % static_cast<Index>(model.regions.size())));
  }
  rule.gradients = random_matrix(9 * points, rank, 1.0, 21);
  rule.weights =
      random_matrix(points, kind == RuleKind::weight_per_coordinate ? rank : 1, 1e-3, 22).cwiseAbs();
  rule.weights(0, 0) = 0.0;
  rule.energy_weights = kind == RuleKind::weight_per_coordinate
                            ? random_vector(points, 1e-3, 23).cwiseAbs().eval()
                            : Vector(rule.weights.col(0));
  rule.training = {.error_asked_for = 0.01,
                   .training_error = 1.0 / 300.0,
                   .held_out_error = 2.0 / 300.0,
                   .amplitude = 0.25,
                   .poses = 123};
  model.cubature = std::move(rule);
  for (ReducedRegion& region : model.regions) {
    region.lambda_energy.resize(0);
    region.mu_energy.resize(0);
  }
  return model;
}

/// A small file with cubature, of Mooney-Rivlin material.
inline ReducedModel small_cubature_model(RuleKind kind = RuleKind::one_weight, Index rank = 2) {
  ReducedModel model = with_cubature(small_model(rank), kind, 3);
  model.regions[0].material.law = make_law("mooney-rivlin", {1e5 / 3.0, 2e5 / 7.0}, {.mooney_share = 0.1});
  return model;
}

/// The file, called "test.glb", of a body that was reduced as one.
inline std::string encode_single(const ReducedModel& model) {
  return encode_model(make_model(model, false), "test.glb");
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
