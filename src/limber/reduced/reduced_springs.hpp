#pragma once

#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// What pulls one vertex of a reduced body towards a point: it adds the energy k/2 |B q - d|^2.
struct ReducedSpring {
  Eigen::Matrix3Xd rows;             ///< B, 3 x r: the rows of the basis at the vertex, m per unit of q
  Vector3 anchor = Vector3::Zero();  ///< d, displacement of the vertex at which the spring is slack, m
  double stiffness = 0.0;            ///< k, N/m, at least 0
};

/// The springs of a system together: f = sum k B^T (B q - d), K = sum k B^T B, which does not change.
/// A force or a product costs O(r) per spring and allocates nothing.
class ReducedSprings {
 public:
  ReducedSprings() = default;
  /// Throws Error for rows that are not r wide and for numbers that are not finite or stiffnesses below 0.
  ReducedSprings(std::vector<ReducedSpring> springs, Index rank);

  [[nodiscard]] bool empty() const { return springs_.empty(); }
  /// Another place to pull to, m; finite.
  void set_anchor(Index spring, const Vector3& anchor) {
    springs_[static_cast<std::size_t>(spring)].anchor = anchor;
  }
  [[nodiscard]] const Matrix& stiffness() const { return stiffness_; }  ///< r x r, N/m per squared unit of q

  /// f += their force at q; returns their energy, J.
  double add_force(const Vector& q, Vector& f) const;

  /// y += factor K p.
  void add_product(double factor, const Vector& p, Vector& y) const;

  /// Sizes of the rounding errors in force (N) and energy (J) at q: the stretch is a difference of B q and d.
  struct Rounding {
    double force = 0.0, energy = 0.0;
  };
  [[nodiscard]] Rounding rounding(const Vector& q) const;

 private:
  std::vector<ReducedSpring> springs_;
  Matrix stiffness_;
};

}  // namespace limber
