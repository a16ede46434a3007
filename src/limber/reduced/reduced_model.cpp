#include "limber/reduced/reduced_model.hpp"

#include "limber/base/error.hpp"
#include "limber/reduced/quartic.hpp"

#include <Eigen/Cholesky>

#include <cmath>

namespace limber {
namespace {

constexpr Index max_rank = 1000;  ///< its coefficients alone would fill 300 GiB

/// Share of its largest entry by which a mass may miss being symmetric: rounding leaves about 1e-15.
constexpr double symmetry_tolerance = 1e-9;

/// How far the weights of an embedded point may miss a sum of 1.
constexpr double weight_tolerance = 1e-6;

template <class Derived>
void check_shape(const Eigen::MatrixBase<Derived>& values, Index rows, Index cols, std::string_view where,
                 std::string_view what) {
  require(values.rows() == rows && values.cols() == cols, "{}: {} is {} x {}, expected {} x {}", where, what,
          values.rows(), values.cols(), rows, cols);
  require(values.allFinite(), "{}: {} has entries that are not finite", where, what);
}

void check_region(const ReducedRegion& region, Index rank, std::string_view where) {
  try {
    check_lame(region.material.lame);
  } catch (const Error& error) {
    throw Error("{}: {}", where, error.what());
  }
  require(std::isfinite(region.material.density) && region.material.density > 0.0,
          "{}: the density is {}, expected a positive number of kg/m^3", where, region.material.density);
  require(std::isfinite(region.volume) && region.volume > 0.0,
          "{}: the volume is {}, expected a positive number of m^3", where, region.volume);
  check_shape(region.lambda_energy, monomial_count(rank), 1, where, "the energy for lambda");
  check_shape(region.mu_energy, monomial_count(rank), 1, where, "the energy for mu");
  check_shape(region.mass, rank, rank, where, "the mass");
  check_shape(region.weight, rank, 3, where, "the weight");
  const double asymmetry = (region.mass - region.mass.transpose()).cwiseAbs().maxCoeff();
  require(asymmetry <= symmetry_tolerance * region.mass.cwiseAbs().maxCoeff(),
          "{}: the mass is not symmetric: entries differ by {}", where, asymmetry);
}

void check_regions(const ReducedModel& model, std::string_view where) {
  require(!model.regions.empty(), "{}: the model has no regions, expected at least one", where);
  Matrix mass = Matrix::Zero(model.rank, model.rank);
  for (std::size_t i = 0; i < model.regions.size(); ++i) {
    check_region(model.regions[i], model.rank, fmt::format("{}: region {}", where, i));
    mass += model.regions[i].material.density * model.regions[i].mass;
  }
  require(Eigen::LLT<Matrix>(mass).info() == Eigen::Success,
          "{}: the mass of the model is not positive definite: its basis vectors are not independent", where);
}

void check_reduced_surface(const ReducedSurface& surface, Index rank, std::string_view where) {
  check_surface(surface.mesh, where);
  const Matrix3X& vertices = surface.mesh.vertices;
  for (Index v = 0; v < vertices.cols(); ++v) {
    require(vertices.col(v).cast<float>().cast<double>() == vertices.col(v),
            "{}: vertex {} of the surface at ({}, {}, {}) is not made of single-precision numbers", where, v,
            vertices(0, v), vertices(1, v), vertices(2, v));
  }
  require(surface.colors.size() == surface.mesh.parts.size(),
          "{}: {} colours for {} parts, expected one each", where, surface.colors.size(),
          surface.mesh.parts.size());
  for (std::size_t i = 0; i < surface.colors.size(); ++i) {
    const Vector3& color = surface.colors[i];
    require((color.array() >= 0.0).all() && (color.array() <= 1.0).all(),
            "{}: the colour of part {} is ({}, {}, {}), expected numbers from 0 to 1", where, i, color.x(),
            color.y(), color.z());
  }
  check_shape(surface.basis, 3 * vertices.cols(), rank, where, "the basis of the surface");
}

void check_embedding(const Embedding& embedding, const VolumeMesh& mesh, Index points,
                     std::string_view where) {
  const Index corners = vertices_per_element(mesh.kind);
  require(static_cast<Index>(embedding.element.size()) == points,
          "{}: {} elements for the embedding of {} surface vertices, expected one each", where,
          embedding.element.size(), points);
  check_shape(embedding.weights, corners, points, where, "the array of embedding weights");
  require(embedding.vertices.rows() == corners && embedding.vertices.cols() == points,
          "{}: the array of embedding vertices is {} x {}, expected {} x {}", where,
          embedding.vertices.rows(), embedding.vertices.cols(), corners, points);
  require(embedding.mesh_vertices == mesh.vertex_count(),
          "{}: the embedding is of a mesh with {} vertices, but the mesh has {}", where,
          embedding.mesh_vertices, mesh.vertex_count());
  for (Index p = 0; p < points; ++p) {
    const int e = embedding.element[static_cast<std::size_t>(p)];
    require(e >= 0 && e < mesh.element_count(),
            "{}: surface vertex {} is bound to element {}, but the mesh has elements 0 to {}", where, p, e,
            mesh.element_count() - 1);
    require(embedding.vertices.col(p) == mesh.elements.col(e),
            "{}: surface vertex {} is bound to vertices that are not those of its element {}", where, p, e);
    const double sum = embedding.weights.col(p).sum();
    require(std::abs(sum - 1.0) <= weight_tolerance,
            "{}: the embedding weights of surface vertex {} sum to {}, expected 1", where, p, sum);
  }
  require(embedding.outside >= 0 && embedding.outside <= points,
          "{}: {} surface vertices outside of the mesh, expected 0 to {}", where, embedding.outside, points);
  require(
      std::isfinite(embedding.farthest) && embedding.farthest >= 0.0,
      "{}: the farthest surface vertex is {} m outside of the mesh, expected a finite number of at least 0",
      where, embedding.farthest);
}

void check_simulation(const SimulationMesh& simulation, const ReducedModel& model, std::string_view where) {
  const VolumeMesh& mesh = simulation.mesh;
  check_mesh(mesh, where);
  require(mesh.regions.size() == model.regions.size(),
          "{}: the simulation mesh has {} regions, the model {}; expected the same", where,
          mesh.regions.size(), model.regions.size());
  for (std::size_t i = 0; i < mesh.regions.size(); ++i) {
    require(mesh.regions[i] == model.regions[i].region,
            "{}: region {} is '{}' ({}) in the model and '{}' ({}) in its mesh; expected the same", where, i,
            model.regions[i].region.name, model.regions[i].region.tag, mesh.regions[i].name,
            mesh.regions[i].tag);
  }
  check_shape(simulation.basis, 3 * mesh.vertex_count(), model.rank, where,
              "the basis of the simulation mesh");
  int previous = -1;
  for (const int vertex : simulation.fixed) {
    require(vertex > previous, "{}: fixed vertex {} after {}, expected ascending numbers from 0", where,
            vertex, previous);
    require(vertex < mesh.vertex_count(), "{}: fixed vertex {}, but the mesh has vertices 0 to {}", where,
            vertex, mesh.vertex_count() - 1);
    require((simulation.basis.middleRows<3>(3 * Index{vertex}).array() == 0.0).all(),
            "{}: the basis moves vertex {}, which is fixed", where, vertex);
    previous = vertex;
  }
  check_embedding(simulation.embedding, mesh, model.surface.mesh.vertex_count(), where);
}

}  // namespace

std::vector<RegionMaterial> ReducedModel::materials() const {
  std::vector<RegionMaterial> result;
  result.reserve(regions.size());
  for (const ReducedRegion& region : regions) result.push_back(region.material);
  return result;
}

void check_model(const ReducedModel& model, std::string_view where) {
  require(model.rank >= 1 && model.rank <= max_rank, "{}: the rank is {}, expected 1 to {}", where,
          model.rank, max_rank);
  check_regions(model, where);
  check_reduced_surface(model.surface, model.rank, where);
  if (model.simulation) check_simulation(*model.simulation, model, where);
}

}  // namespace limber
