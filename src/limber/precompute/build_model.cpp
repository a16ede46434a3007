#include "limber/precompute/build_model.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/precompute/region_mass.hpp"
#include "limber/precompute/stvk_coefficients.hpp"

#include <array>
#include <utility>

namespace limber {
namespace {

/// Reciprocal condition of the correlations between basis vectors below which these count as dependent:
/// coordinates would be known to two digits.
constexpr double independence_tolerance = 1e-14;

std::string describe(const Region& region, std::size_t index) {
  return region.name.empty() ? fmt::format("region {} (tag {})", index, region.tag)
                             : fmt::format("region {} '{}'", index, region.name);
}

/// One row triplet per vertex, zero where it does not move: 3n x r.
Matrix expand(const DofMap& dofs, const Eigen::Ref<const Matrix>& basis) {
  Matrix expanded = Matrix::Zero(3 * dofs.vertex_count(), basis.cols());
  const std::vector<int>& vertices = dofs.free_vertices();
  for (Index i = 0; i < basis.cols(); ++i) {
    for (std::size_t f = 0; f < vertices.size(); ++f) {
      expanded.col(i).segment<3>(3 * Index{vertices[f]}) = basis.col(i).segment<3>(3 * static_cast<Index>(f));
    }
  }
  return expanded;
}

std::vector<ReducedRegion> build_regions(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                                         const Matrix& modes, bool exact, const Progress& progress) {
  const VolumeMesh& mesh = model.mesh();
  std::vector<ReducedRegion> regions(mesh.regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    regions[i].region = mesh.regions[i];
    regions[i].material = model.materials()[i];
  }
  std::vector<StvkCoefficients> coefficients(regions.size());
  if (exact) coefficients = compute_stvk_coefficients(model, basis, progress);
  add_up_mass(mesh, model.mass_kind(), modes, regions);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    regions[i].lambda_energy = std::move(coefficients[i].lambda_energy);
    regions[i].mu_energy = std::move(coefficients[i].mu_energy);
    require(regions[i].volume > 0.0, "{} has no elements; remove it from the mesh",
            describe(mesh.regions[i], i));
  }
  return regions;
}

void check_independence(const std::vector<ReducedRegion>& regions) {
  Matrix mass = Matrix::Zero(regions[0].mass.rows(), regions[0].mass.cols());
  for (const ReducedRegion& region : regions) mass += region.material.density * region.mass;
  Index zero = 0;
  require(mass.diagonal().minCoeff(&zero) > 0.0, "vector {} of the basis is zero; leave it out", zero);
  const Vector scale = mass.diagonal().cwiseSqrt().cwiseInverse();
  const SymmetricEigen correlation = symmetric_eigenvalues(scale.asDiagonal() * mass * scale.asDiagonal());
  require(correlation.found && correlation.values(0) > independence_tolerance * correlation.values.tail(1)(0),
          "the {} vectors of the basis are not independent; drop some, or orthonormalise them by mass_pca",
          mass.rows());
}

/// Muted, well apart; the first is that of a body of one part.
Vector3 part_color(std::size_t part) {
  static const std::array<Vector3, 8> palette{Vector3(0.60, 0.68, 0.78), Vector3(0.87, 0.56, 0.36),
                                              Vector3(0.49, 0.72, 0.47), Vector3(0.78, 0.42, 0.48),
                                              Vector3(0.90, 0.78, 0.42), Vector3(0.56, 0.49, 0.74),
                                              Vector3(0.38, 0.68, 0.71), Vector3(0.62, 0.52, 0.43)};
  return palette[part % palette.size()];
}

std::vector<Vector3> chosen_colors(const std::vector<Vector3>& colors, std::size_t parts) {
  require(colors.empty() || colors.size() == parts,
          "{} colours for a surface of {} parts, expected one each or none", colors.size(), parts);
  std::vector<Vector3> chosen = colors;
  while (chosen.size() < parts) chosen.push_back(part_color(chosen.size()));
  return chosen;
}

/// The modes at embedded points: 3 points x r.
Eigen::MatrixXf embedded_modes(const Embedding& embedding, const Matrix& modes, const Executor& executor) {
  Eigen::MatrixXf basis(3 * embedding.point_count(), modes.cols());
  executor.parallel_for(modes.cols(), [&](std::ptrdiff_t i) {
    const Matrix3X field = Eigen::Map<const Matrix3X>(modes.col(i).data(), 3, embedding.mesh_vertices);
    basis.col(i) = interpolate(embedding, field).reshaped().cast<float>();
  });
  return basis;
}

std::vector<int> fixed_vertices(const FullModel& model) {
  const std::vector<char> used = used_vertices(model.mesh());
  std::vector<int> fixed;
  for (int v = 0; v < static_cast<int>(used.size()); ++v) {
    if (used[static_cast<std::size_t>(v)] && model.dofs().free_index(v) < 0) fixed.push_back(v);
  }
  return fixed;
}

}  // namespace

void require_stvk(const FullModel& model) {
  for (std::size_t i = 0; i < model.materials().size(); ++i) {
    const MaterialLaw& law = model.materials()[i].law;
    require(std::holds_alternative<Stvk>(law),
            "{} is made of {}, expected stvk: only that law has exact reduced forces; take cubature for it",
            describe(model.mesh().regions[i], i), name_of(law));
  }
}

ReducedModel build_reduced_model(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                                 const SurfaceMesh& surface, const std::vector<Vector3>& colors,
                                 const BuildModelOptions& options) {
  require(basis.rows() == model.dof_count(), "the basis has {} rows, the model needs {} (3 per free vertex)",
          basis.rows(), model.dof_count());
  if (!options.cubature) require_stvk(model);
  const VolumeMesh& mesh = model.mesh();
  ReducedModel result;
  result.cubature = options.cubature;
  result.rank = basis.cols();
  result.surface.mesh = surface.triangle_count() > 0 ? surface : boundary_surface(mesh);
  check_surface(result.surface.mesh, "the surface to draw");
  result.surface.colors = chosen_colors(colors, result.surface.mesh.parts.size());

  Matrix modes = expand(model.dofs(), basis);
  result.regions = build_regions(model, basis, modes, !options.cubature, options.progress);
  check_independence(result.regions);

  Embedding embedding = embed_points(mesh, result.surface.mesh.vertices, model.executor());
  result.surface.basis = embedded_modes(embedding, modes, model.executor());
  result.warp = make_warp_data(mesh, modes, embedding, options.lumps, model.executor());
  Matrix3X& vertices = result.surface.mesh.vertices;
  vertices = vertices.cast<float>().cast<double>().eval();
  if (options.keep_simulation_mesh) {
    result.simulation = {mesh, fixed_vertices(model), std::move(modes), std::move(embedding)};
  }
  check_model(result, "the reduced model");
  return result;
}

}  // namespace limber
