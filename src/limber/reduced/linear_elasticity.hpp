#pragma once

#include "limber/base/error.hpp"
#include "limber/linalg/types.hpp"

#include <utility>

namespace limber {

/// Forces in proportion to q: W = 1/2 q . K q, f = K q. What a body is for small displacements; large ones it takes for a change of size.
class LinearElasticity {
 public:
  LinearElasticity() = default;
  /// K: r x r, N/m per squared unit of q. Throws Error unless it is symmetric to the bit and finite.
  explicit LinearElasticity(Matrix K) : stiffness_(std::move(K)) {
    require(stiffness_.rows() == stiffness_.cols(),
            "a linear stiffness is {} x {}, expected as many columns as rows", stiffness_.rows(),
            stiffness_.cols());
    require(stiffness_.allFinite() && stiffness_ == stiffness_.transpose(),
            "a linear stiffness is not symmetric or not finite");
  }

  [[nodiscard]] Index rank() const { return stiffness_.rows(); }
  [[nodiscard]] const Matrix& stiffness() const { return stiffness_; }

  /// f (r), K (r x r), which must have their sizes; returns W, J.  Cost O(r^2), nothing is allocated.
  double evaluate(const VectorRef& q, Eigen::Ref<Vector> f, Eigen::Ref<Matrix> K) const {
    K = stiffness_;
    return evaluate_force(q, f);
  }
  double evaluate_force(const VectorRef& q, Eigen::Ref<Vector> f) const {
    f.noalias() = stiffness_ * q;
    return 0.5 * f.dot(q);
  }

 private:
  Matrix stiffness_;
};

}  // namespace limber
