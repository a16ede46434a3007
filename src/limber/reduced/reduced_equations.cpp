#include "limber/reduced/reduced_equations.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <cmath>
#include <numbers>

namespace limber {
namespace {

/// U^T M U this near to the identity is the identity: the rounding of a sum over many elements.
constexpr double identity_tolerance = 1e-9;

void check_materials(const ReducedModel& model, std::span<const Material> materials) {
  require(materials.size() == model.regions.size(),
          "{} materials for a reduced model of {} regions, expected one each", materials.size(),
          model.regions.size());
  for (std::size_t i = 0; i < materials.size(); ++i) {
    try {
      check_material(materials[i]);
    } catch (const Error& error) {
      throw Error("material of region {}: {}", i, error.what());
    }
    require(model.cubature || std::holds_alternative<Stvk>(materials[i].law),
            "material of region {}: it is {}, but a reduced model with exact forces takes stvk only; reduce "
            "the body "
            "again with cubature",
            i, name_of(materials[i].law));
  }
}

void check_rank(const ReducedModel& model, Index rank) {
  require(rank >= 1 && rank <= model.rank, "rank {} of a reduced model with {} vectors, expected 1 to {}",
          rank, model.rank, model.rank);
}

Matrix rest_stiffness(const ReducedEquations& equations) {
  Vector force(equations.rank);
  Matrix stiffness(equations.rank, equations.rank);
  ElasticWorkspace work;
  equations.elastic.evaluate(Vector::Zero(equations.rank), work, force, stiffness);
  return stiffness;
}

/// Rigid motions have eigenvalue 0, which rounding may make negative.
Vector frequencies_of(const SymmetricEigen& vibrations) {
  require(vibrations.found, "the natural frequencies of the reduced model do not converge");
  return vibrations.values.cwiseMax(0.0).cwiseSqrt() / (2.0 * std::numbers::pi);
}

}  // namespace

Vector energy_coefficients(const ReducedModel& model, std::span<const Material> materials, Index rank) {
  require(!model.cubature, "a reduced model with cubature has no polynomial");
  check_materials(model, materials);
  check_rank(model, rank);
  const Index count = monomial_count(rank);
  Vector sum = Vector::Zero(count);
  for (std::size_t i = 0; i < materials.size(); ++i) {
    const LameParameters lame = lame_of(materials[i].law);
    sum += lame.lambda * model.regions[i].lambda_energy.head(count) +
           lame.mu * model.regions[i].mu_energy.head(count);
  }
  return sum;
}

ReducedEquations make_equations(const ReducedModel& model, std::span<const Material> materials, Index rank) {
  check_materials(model, materials);
  check_rank(model, rank);
  ReducedEquations equations;
  if (model.cubature) {
    equations.elastic = Cubature(*model.cubature, materials, rank);
  } else {
    equations.elastic = Quartic(rank, energy_coefficients(model, materials, rank));
  }
  equations.rank = rank;
  equations.mass = Matrix::Zero(rank, rank);
  equations.weight = Eigen::MatrixX3d::Zero(rank, 3);
  for (std::size_t i = 0; i < materials.size(); ++i) {
    equations.mass += materials[i].density * model.regions[i].mass.topLeftCorner(rank, rank);
    equations.weight += materials[i].density * model.regions[i].weight.topRows(rank);
  }
  const Matrix identity = Matrix::Identity(rank, rank);
  if ((equations.mass - identity).cwiseAbs().maxCoeff() < identity_tolerance) equations.mass = identity;
  return equations;
}

ReducedEquations make_equations(const ReducedModel& model) {
  return make_equations(model, model.materials(), model.rank);
}

ReducedEquations linearized(const ReducedEquations& equations) {
  const Matrix K = rest_stiffness(equations);
  return {equations.rank, LinearElasticity(0.5 * (K + K.transpose())), equations.mass, equations.weight};
}

NaturalModes natural_modes(const ReducedEquations& equations) {
  SymmetricEigen vibrations = symmetric_eigen(rest_stiffness(equations), equations.mass);
  NaturalModes modes{frequencies_of(vibrations), std::move(vibrations.vectors)};
  for (auto shape : modes.shapes.colwise()) {
    Index largest = 0;
    shape.cwiseAbs().maxCoeff(&largest);
    if (shape(largest) < 0.0) shape = -shape;
  }
  return modes;
}

Vector natural_frequencies(const ReducedEquations& equations) {
  return frequencies_of(symmetric_eigenvalues(rest_stiffness(equations), equations.mass));
}

}  // namespace limber
