#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// Forces in proportion to q: W = 1/2 q . K q, f = K q. What a body is for small displacements; large ones it
/// takes for a change of size.
class LinearElasticity {
 public:
  LinearElasticity() = default;
  /// K: r x r, N/m per squared unit of q. Throws Error unless it is symmetric to the bit and finite.
  explicit LinearElasticity(Matrix K);

  [[nodiscard]] Index rank() const { return stiffness_.rows(); }
  [[nodiscard]] const Matrix& stiffness() const { return stiffness_; }

  /// f (r), K (r x r), which must have their sizes; returns W, J.  Cost O(r^2), nothing is allocated.
  double evaluate(const VectorRef& q, Eigen::Ref<Vector> f, Eigen::Ref<Matrix> K) const;
  double evaluate_force(const VectorRef& q, Eigen::Ref<Vector> f) const;

 private:
  Matrix stiffness_;
};

}  // namespace limber
