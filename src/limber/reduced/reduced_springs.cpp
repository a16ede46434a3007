#include "limber/reduced/reduced_springs.hpp"

#include "limber/base/error.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace limber {

ReducedSprings::ReducedSprings(std::vector<ReducedSpring> springs, Index rank)
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

double ReducedSprings::add_force(const Vector& q, Vector& f) const {
  double energy = 0.0;
  for (const auto& [rows, anchor, k] : springs_) {
    const Vector3 stretch = rows * q - anchor, pull = k * stretch;
    f.noalias() += rows.transpose() * pull;
    energy += 0.5 * pull.dot(stretch);
  }
  return energy;
}

void ReducedSprings::add_product(double factor, const Vector& p, Vector& y) const {
  for (const auto& [rows, anchor, k] : springs_) {
    const Vector3 pull = factor * k * (rows * p);
    y.noalias() += rows.transpose() * pull;
  }
}

ReducedSprings::Rounding ReducedSprings::rounding(const Vector& q) const {
  Rounding sum;
  for (const auto& [rows, anchor, k] : springs_) {
    const double size = rows.norm(), stretch = (rows * q - anchor).norm();
    const double error = 8.0 * std::numeric_limits<double>::epsilon() * (size * q.norm() + anchor.norm());
    sum.force += k * size * error;
    sum.energy += k * (stretch + error) * error;
  }
  return sum;
}

}  // namespace limber
