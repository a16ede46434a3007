#include "limber/precompute/cubature_fit.hpp"

#include "limber/base/error.hpp"

#include <cmath>

namespace limber {

Vector pose_errors(const CubatureRule& rule, std::span<const Material> materials,
                   const TrainingSet& training) {
  check_training_set(training, rule.gradients.cols());
  const Cubature cubature(rule, materials, rule.gradients.cols());
  CubatureWorkspace work;
  Vector f(cubature.rank()), errors(training.size());
  for (Index t = 0; t < training.size(); ++t) {
    cubature.evaluate_force(training.poses.col(t), work, f);
    errors(t) = (f - training.forces.col(t)).norm() / training.forces.col(t).norm();
  }
  return errors;
}

double root_mean_square(const VectorRef& values) {
  require(values.size() >= 1, "no values, so no mean");
  return std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
}

}  // namespace limber
