#pragma once

#include "tests/reduced/swing.hpp"

#include <cmath>
#include <vector>

namespace limber::test {

/// A cubature rule made up: points with random gradients, those of later modes steeper, and random positive
/// weights that sum up to 1. spread: 0 for one weight per point; else one per point and coordinate, by so
/// large a share away from that, so that the forces have no potential.
inline CubatureRule random_rule(Index rank, Index points, std::uint64_t seed, double spread = 0.0) {
  Random random(seed);
  CubatureRule rule;
  rule.element.resize(static_cast<std::size_t>(points));
  for (std::size_t p = 0; p < rule.element.size(); ++p) rule.element[p] = static_cast<int>(p);
  rule.point.assign(rule.element.size(), 0);
  rule.region.assign(rule.element.size(), 0);
  rule.gradients.resize(9 * points, rank);
  for (Index j = 0; j < rank; ++j) {
    const double steepness = 0.3 * (1.0 + 3.0 * static_cast<double>(j) / static_cast<double>(rank));
    for (Index i = 0; i < 9 * points; ++i) rule.gradients(i, j) = steepness * random.normal();
  }
  rule.energy_weights.resize(points);
  for (double& weight : rule.energy_weights) weight = random.uniform(0.2, 1.0);
  rule.energy_weights /= rule.energy_weights.sum();
  rule.weights = rule.energy_weights;
  if (spread > 0.0) {
    rule.weights = rule.energy_weights.replicate(1, rank).eval();
    for (double& weight : rule.weights.reshaped()) weight *= 1.0 + spread * random.uniform(-1.0, 1.0);
  }
  return rule;
}

inline ReducedEquations equations_of(const CubatureRule& rule, const Matrix& mass,
                                     std::string_view law = "neo-hookean") {
  const std::vector<Material> materials{material(law, 3.0, 0.3)};
  const Index rank = rule.gradients.cols();
  return {rank, Cubature(rule, materials, rank), mass, Eigen::MatrixX3d::Zero(rank, 3)};
}

/// The Swing of a neo-Hookean body with cubature.
inline Swing swing_of_points(double spread = 0.0) {
  Swing swing;
  swing.equations = equations_of(random_rule(6, 40, 5, spread), some_mass(6));
  swing.start = random_vector(6, 0.25, 2);
  return swing;
}

/// The same options with conjugate gradients.
inline ReducedStepOptions matrix_free(ReducedStepOptions options = {}) {
  options.solver = ReducedSolver::conjugate_gradient;
  return options;
}

}  // namespace limber::test
