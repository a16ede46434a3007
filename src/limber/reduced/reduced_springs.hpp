#pragma once

#include "limber/base/error.hpp"
#include "limber/linalg/types.hpp"

#include <cmath>
#include <limits>
#include <utility>
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
  ReducedSprings(std::vector<ReducedSpring> springs, Index rank)
      : springs_(std::move(springs)), stiffness_(Matrix::Zero(rank, rank)) {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const auto& [rows, anchor, k] = springs_[i];
      require(rows.cols() == rank, "spring {} has {} columns, the reduced equations need {}", i, rows.cols(),
              rank);
      require(std::isfinite(k) && k >= 0.0,
              "the stiffness of spring {} is {}, expected a finite number of at least 0", i, k);
      require(rows.allFinite() && anchor.allFinite(),
              "spring {} has rows or an anchor with entries that are not finite", i);
      stiffness_.noalias() += k * rows.transpose() * rows;
    }
  }

  [[nodiscard]] bool empty() const { return springs_.empty(); }
  [[nodiscard]] const Matrix& stiffness() const { return stiffness_; }  ///< r x r, N/m per squared unit of q

  /// f += their force at q; returns their energy, J.
  double add_force(const Vector& q, Vector& f) const {
    double energy = 0.0;
    for (const auto& [rows, anchor, k] : springs_) {
      const Vector3 stretch = rows * q - anchor, pull = k * stretch;
      f.noalias() += rows.transpose() * pull;
      energy += 0.5 * pull.dot(stretch);
    }
    return energy;
  }

  /// y += factor K p.
  void add_product(double factor, const Vector& p, Vector& y) const {
    for (const auto& [rows, anchor, k] : springs_) {
      const Vector3 pull = factor * k * (rows * p);
      y.noalias() += rows.transpose() * pull;
    }
  }

  /// Sizes of the rounding errors in force (N) and energy (J) at q: the stretch is a difference of B q and d.
  struct Rounding {
    double force = 0.0, energy = 0.0;
  };
  [[nodiscard]] Rounding rounding(const Vector& q) const {
    Rounding sum;
    for (const auto& [rows, anchor, k] : springs_) {
      const double size = rows.norm(), stretch = (rows * q - anchor).norm();
      const double error = 8.0 * std::numeric_limits<double>::epsilon() * (size * q.norm() + anchor.norm());
      sum.force += k * size * error;
      sum.energy += k * (stretch + error) * error;
    }
    return sum;
  }

 private:
  std::vector<ReducedSpring> springs_;
  Matrix stiffness_;
};

}  // namespace limber
