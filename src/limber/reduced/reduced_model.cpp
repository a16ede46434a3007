#include "limber/reduced/reduced_model.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/reduced/quartic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Share of its largest entry by which a mass may miss being symmetric: rounding leaves about 1e-15.
constexpr double symmetry_tolerance = 1e-9;

/// Share of their size by which the moments of a region's lumps may miss its weight: files keep seven digits
/// at least.
constexpr double moment_tolerance = 1e-6;
constexpr double rounding_of_moments = 1e-13;  ///< as a share of volume times largest displacement

/// How far the weights of an embedded point may miss a sum of 1.
constexpr double weight_tolerance = 1e-6;

template <class Derived>
void check_shape(const Eigen::MatrixBase<Derived>& values, Index rows, Index cols, std::string_view where,
                 std::string_view what) {
  require(values.rows() == rows && values.cols() == cols, "{}: {} is {} x {}, expected {} x {}", where, what,
          values.rows(), values.cols(), rows, cols);
  require(values.allFinite(), "{}: {} has entries that are not finite", where, what);
}

void check_moments(const RegionMoments& moments, Index rank, std::string_view where) {
  check_shape(moments.first, 3, 1, where, "the first moment");
  check_shape(moments.second, 3, 3, where, "the second moment");
  require((moments.second - moments.second.transpose()).cwiseAbs().maxCoeff() <=
              symmetry_tolerance * moments.second.cwiseAbs().maxCoeff(),
          "{}: the second moment is not symmetric", where);
  check_shape(moments.second_rows, 9, rank, where, "the second moment of the modes");
  check_shape(moments.second_pairs, 9, rank * rank, where, "the second moment of pairs of modes");
}

void check_region(const ReducedRegion& region, Index rank, bool exact, std::string_view where) {
  try {
    check_material(region.material);
  } catch (const Error& error) {
    throw Error("{}: {}", where, error.what());
  }
  require(!exact || rank == 0 || std::holds_alternative<Stvk>(region.material.law),
          "{}: the material is {}, but only stvk has exact reduced forces; expected cubature", where,
          name_of(region.material.law));
  require(std::isfinite(region.volume) && region.volume > 0.0,
          "{}: the volume is {}, expected a positive number of m^3", where, region.volume);
  const Index monomials = exact ? monomial_count(rank) : 0;
  check_shape(region.lambda_energy, monomials, 1, where, "the energy for lambda");
  check_shape(region.mu_energy, monomials, 1, where, "the energy for mu");
  check_shape(region.mass, rank, rank, where, "the mass");
  check_shape(region.weight, rank, 3, where, "the weight");
  check_moments(region.moments, rank, where);
  if (rank == 0) return;
  const double asymmetry = (region.mass - region.mass.transpose()).cwiseAbs().maxCoeff();
  require(asymmetry <= symmetry_tolerance * region.mass.cwiseAbs().maxCoeff(),
          "{}: the mass is not symmetric: entries differ by {}", where, asymmetry);
}

void check_regions(const ReducedModel& model, std::string_view where) {
  require(!model.regions.empty(), "{}: the model has no regions, expected at least one", where);
  Matrix mass = Matrix::Zero(model.rank, model.rank);
  for (std::size_t i = 0; i < model.regions.size(); ++i) {
    check_region(model.regions[i], model.rank, !model.cubature, fmt::format("{}: region {}", where, i));
    mass += model.regions[i].material.density * model.regions[i].mass;
  }
  require(Cholesky(mass).ok(),
          "{}: the mass of the model is not positive definite: its basis vectors are not independent", where);
}

void check_indices(const std::vector<int>& values, Index count, int end, std::string_view where,
                   std::string_view what) {
  require(static_cast<Index>(values.size()) == count, "{}: {} {} for {} points, expected one each", where,
          values.size(), what, count);
  for (std::size_t p = 0; p < values.size(); ++p) {
    require(values[p] >= 0 && values[p] < end, "{}: point {} has {} {}, expected 0 to {}", where, p, what,
            values[p], end - 1);
  }
}

void check_cubature(const CubatureRule& rule, const ReducedModel& model, std::string_view where) {
  const Index points = rule.point_count();
  require(points >= 1, "{}: no points, expected one at least", where);
  const bool mesh = model.simulation.has_value();
  const int elements =
      mesh ? static_cast<int>(model.simulation->mesh.element_count()) : std::numeric_limits<int>::max();
  check_indices(rule.element, points, elements, where, "element");
  check_indices(rule.point, points, mesh && model.simulation->mesh.kind == ElementKind::tetrahedron ? 1 : 27,
                where, "quadrature point");
  check_indices(rule.region, points, static_cast<int>(model.regions.size()), where, "region");
  for (std::size_t p = 0; mesh && p < rule.region.size(); ++p) {
    const int region = model.simulation->mesh.region[static_cast<std::size_t>(rule.element[p])];
    require(rule.region[p] == region, "{}: point {} is of region {}, its element of region {}", where, p,
            rule.region[p], region);
  }
  check_shape(rule.gradients, 9 * points, model.rank, where, "the array of gradients");
  check_shape(rule.weights, points, rule.modal() ? model.rank : 1, where, "the array of weights");
  check_shape(rule.energy_weights, points, 1, where, "the array of energy weights");
  require(rule.weights.minCoeff() >= 0.0 && rule.energy_weights.minCoeff() >= 0.0,
          "{}: a weight is negative, expected numbers of at least 0", where);
  const CubatureTraining& training = rule.training;
  for (const double error :
       {training.error_asked_for, training.training_error, training.held_out_error, training.amplitude}) {
    require(std::isfinite(error) && error >= 0.0, "{}: a number of its training is {}, expected at least 0",
            where, error);
  }
  require(training.poses >= 0, "{}: trained with {} poses, expected 0 or more", where, training.poses);
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

/// The lumps of each region must add up to its weight.
void check_lump_moments(const Lumps& lumps, const ReducedModel& model, std::string_view where) {
  std::vector<Matrix> sum(model.regions.size(), Matrix::Zero(3, model.rank)), size = sum;
  for (Index i = 0; i < lumps.count(); ++i) {
    const auto region = static_cast<std::size_t>(lumps.region[static_cast<std::size_t>(i)]);
    sum[region] += lumps.moment.middleRows<3>(3 * i);
    size[region] += lumps.moment.middleRows<3>(3 * i).cwiseAbs();
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const Matrix weight = model.regions[i].weight.transpose();
    const double difference = (sum[i] - weight).cwiseAbs().maxCoeff();
    const double largest = std::max(size[i].maxCoeff(), weight.cwiseAbs().maxCoeff());
    // Moments of a free body cancel: they are known to the rounding of what they are sums of.
    const double reach = model.simulation ? model.simulation->basis.cwiseAbs().maxCoeff() : 0.0;
    const double rounding = rounding_of_moments * model.regions[i].volume * reach;
    require(difference <= moment_tolerance * largest + rounding,
            "{}: the moments of the lumps of region {} miss its weight by {} of {}, expected their sum",
            where, i, difference, largest);
  }
}

void check_warp(const WarpData& warp, const ReducedModel& model, std::string_view where) {
  require(model.rank > 0, "{}: a body without coordinates has no use for it", where);
  const Lumps& lumps = warp.lumps;
  const Index count = lumps.count();
  check_shape(warp.surface_rotations, 3 * model.surface.mesh.vertex_count(), model.rank, where,
              "the array of rotations of the surface");
  require(static_cast<Index>(lumps.region.size()) == count, "{}: {} regions for {} lumps, expected one each",
          where, lumps.region.size(), count);
  check_shape(lumps.volume, count, 1, where, "the array of volumes");
  check_shape(lumps.center, 3, count, where, "the array of centers");
  check_shape(lumps.moment, 3 * count, model.rank, where, "the array of moments");
  check_shape(lumps.rotations, 3 * count, model.rank, where, "the array of rotations of the lumps");
  for (Index i = 0; i < count; ++i) {
    const int region = lumps.region[static_cast<std::size_t>(i)];
    require(region >= 0 && region < static_cast<int>(model.regions.size()),
            "{}: lump {} is of region {}, but the model has regions 0 to {}", where, i, region,
            model.regions.size() - 1);
    require(lumps.volume(i) > 0.0, "{}: the volume of lump {} is {}, expected a positive number of m^3",
            where, i, lumps.volume(i));
  }
  check_lump_moments(lumps, model, where);
}

}  // namespace

std::vector<Material> ReducedModel::materials() const {
  std::vector<Material> result;
  result.reserve(regions.size());
  for (const ReducedRegion& region : regions) result.push_back(region.material);
  return result;
}

void check_model(const ReducedModel& model, std::string_view where, Index least_rank) {
  require(model.rank >= least_rank && model.rank <= max_reduced_rank, "{}: the rank is {}, expected {} to {}",
          where, model.rank, least_rank, max_reduced_rank);
  check_regions(model, where);
  check_reduced_surface(model.surface, model.rank, where);
  if (model.simulation) check_simulation(*model.simulation, model, where);
  if (model.cubature) check_cubature(*model.cubature, model, fmt::format("{}: cubature", where));
  if (model.warp) check_warp(*model.warp, model, fmt::format("{}: warping", where));
}

}  // namespace limber
