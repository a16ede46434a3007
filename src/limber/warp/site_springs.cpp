#include "limber/warp/site_springs.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <cmath>

namespace limber {
namespace {

constexpr int most_iterations = 8;
constexpr double settled_share = 1e-9;  ///< of the way of a step, by which an iteration may change its end

}  // namespace

SiteSprings::SiteSprings(const std::vector<SiteSpring>& springs, Index modes) {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const auto& [site, target, stiffness] = springs[i];
    require(site.shape.cols() == modes && site.turn.cols() == modes,
            "spring {} pulls at a site of {} modes, expected {}", i, site.shape.cols(), modes);
    require(target.allFinite() && std::isfinite(stiffness) && stiffness > 0.0,
            "spring {} has a target that is not finite, or the stiffness {}", i, stiffness);
  }
  springs_ = springs;
  const Index size = 3 * static_cast<Index>(springs_.size());
  rows_.setZero(size, modes);
  gained_.setZero(size, modes);
  system_.setZero(size, size);
  places_.setZero(size);
  forces_.setZero(size);
  present_.setZero(modes);
  last_.setZero(modes);
}

/// Places and their derivatives at q.
void SiteSprings::look(const Vector& q, bool warp) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const WarpSite& site = springs_[i].site;
    const Index row = 3 * static_cast<Index>(i);
    const Vector3 y = site.shape.lazyProduct(q);
    auto rows = rows_.middleRows<3>(row);
    if (!warp) {
      places_.segment<3>(row) = site.rest + y;
      rows = site.shape;
      continue;
    }
    const Vector3 w = site.turn.lazyProduct(q);
    const Matrix3 mean = mean_rotation(w);
    places_.segment<3>(row) = site.rest + mean * y;
    rows.noalias() = mean.lazyProduct(site.shape);
    rows.noalias() += mean_rotation_derivative(w, y).lazyProduct(site.turn);
  }
}

int SiteSprings::pull(const Vector& start, const Vector& gain, bool warp, Vector& q) {
  const auto size = static_cast<Index>(springs_.size());
  present_ = start;
  const double way = (q - start).norm();
  for (int iteration = 1;; ++iteration) {
    look(present_, warp);
    gained_.noalias() = rows_ * gain.asDiagonal();
    system_.noalias() = gained_.lazyProduct(rows_.transpose());
    for (Index i = 0; i < size; ++i) {
      const SiteSpring& spring = springs_[static_cast<std::size_t>(i)];
      system_.diagonal().segment<3>(3 * i).array() += 1.0 / spring.stiffness;
      forces_.segment<3>(3 * i) = spring.target - places_.segment<3>(3 * i);
    }
    last_ = q - present_;
    forces_.noalias() -= rows_.lazyProduct(last_);
    if (!factor_.compute(system_)) return 0;
    factor_.solve_in_place(forces_);
    const double before = present_.norm();
    present_.swap(last_);
    present_ = q;
    present_.noalias() += gained_.transpose().lazyProduct(forces_);
    if (!present_.allFinite()) return 0;
    const double change = (present_ - last_).norm();
    if (!warp || iteration == most_iterations || !(change > settled_share * (way + before))) {
      q = present_;
      return iteration;
    }
  }
}

}  // namespace limber
