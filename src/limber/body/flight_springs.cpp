#include "limber/body/flight_springs.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// From the centre of mass, in the axes of the frame.
Vector3 arm_of(const WarpSite& site, const FlightPlace& at) {
  return site.rest + site.displacement(at.q) - at.middle;
}

}  // namespace

FlightSprings::FlightSprings(const std::vector<SiteSpring>& springs, Index modes) : springs_(springs) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const auto& [site, target, stiffness] = springs_[i];
    require(site.shape.cols() == modes && site.turn.cols() == modes,
            "spring {} pulls at a site of {} modes, expected {}", i, site.shape.cols(), modes);
    require(target.allFinite() && std::isfinite(stiffness) && stiffness > 0.0,
            "spring {} has a target that is not finite, or the stiffness {}", i, stiffness);
  }
  const auto count = static_cast<Index>(springs_.size());
  for (Matrix3X* columns : {&start_arms_, &start_places_, &aims_, &arms_, &places_})
    columns->setZero(3, count);
  for (Matrix3X* columns : {&drift_, &swirl_}) columns->setZero(3, modes);
  for (Matrix* matrix : {&rows_, &gained_}) matrix->setZero(3 * count, modes);
  system_.setZero(3 * count, 3 * count);
  for (Vector* vector : {&forces_, &residual_}) vector->setZero(3 * count);
  difference_.setZero(modes);
}

double FlightSprings::energy(const FlightPlace& at) const {
  double sum = 0.0;
  for (const auto& [site, target, stiffness] : springs_)
    sum += 0.5 * stiffness * (target - at.center - at.axes * arm_of(site, at)).squaredNorm();
  return sum;
}

double FlightSprings::energy_rounding(const FlightPlace& at) const {
  constexpr double few_eps = 8.0 * std::numeric_limits<double>::epsilon();
  double sum = 0.0;
  for (const auto& [site, target, stiffness] : springs_) {
    const Vector3 arm = arm_of(site, at);
    const double stretch = (target - at.center - at.axes * arm).norm();
    const double rounded = few_eps * (target.norm() + at.center.norm() + arm.norm());
    sum += stiffness * rounded * (stretch + rounded);
  }
  return sum;
}

void FlightSprings::begin(const FlightPlace& start, const LumpInertia& lumps, double reach) {
  lumps.rows(start.q, drift_, swirl_);
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const auto column = static_cast<Index>(i);
    start_arms_.col(column) = arm_of(springs_[i].site, start);
    start_places_.col(column) = start.center + start.axes * start_arms_.col(column);
  }
  reach_ = reach;
  aimed_ = false;
}

/// Arms and rows at the last iterate. How the centre of mass and the frame follow the modes is taken from the
/// start: it is of second order.
void FlightSprings::look(const FlightPlace& at, const Matrix3& inverse) {
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const auto column = static_cast<Index>(i);
    const WarpSite& site = springs_[i].site;
    const Vector3 w = site.turn.lazyProduct(at.q), y = site.shape.lazyProduct(at.q);
    const Matrix3 mean = mean_rotation(w), turning = mean_rotation_derivative(w, y);
    const Vector3 arm = site.rest + mean * y - at.middle;
    const Matrix3 turned = cross_matrix(arm) * inverse;  // the frame turns back as the modes swirl
    arms_.col(column) = arm;
    auto rows = rows_.middleRows<3>(3 * column);
    rows.noalias() = mean.lazyProduct(site.shape);
    rows.noalias() += turning.lazyProduct(site.turn);
    rows.noalias() += turned.lazyProduct(swirl_);
    rows -= drift_;
  }
}

void FlightSprings::predict(const FlightPlace& at, const FreeWay& way, const Vector& q) {
  const Vector3 center = at.axes.transpose() * (at.center + way.moved);
  difference_ = q - at.q;
  for (Index i = 0; i < places_.cols(); ++i) {
    const Vector3 arm = arms_.col(i);
    const Vector3 by_modes = rows_.middleRows<3>(3 * i).lazyProduct(difference_);
    places_.col(i) = center + arm + way.turn.cross(arm) + by_modes;
  }
}

/// s, by how stiff the stiffest is against what it pulls at: one half for a swing of many steps, 1 for one of
/// none.
void FlightSprings::choose_share(const FlightYield& yield) {
  double stiffest = 0.0;
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const auto row = 3 * static_cast<Index>(i);
    const Matrix3 X = cross_matrix(arms_.col(static_cast<Index>(i)));
    double give = 3.0 / yield.mass + (X.transpose() * yield.inverse * X).trace();
    give *= yield.h * yield.h;
    for (Index k = 0; k < rows_.cols(); ++k) give += yield.gain(k) * rows_.block<3, 1>(row, k).squaredNorm();
    stiffest = std::max(stiffest, springs_[i].stiffness * give / 12.0);
  }
  share_ = std::isfinite(stiffest) ? (1.0 + 2.0 * stiffest) / (2.0 + 2.0 * stiffest) : 1.0;
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    const auto column = static_cast<Index>(i);
    const Vector3 from = start_places_.col(column);
    aims_.col(column) = from + (springs_[i].target - from) / share_;
  }
}

void FlightSprings::fill_system(const FlightYield& yield) {
  const double squared = share_ * yield.h * yield.h;
  gained_.noalias() = rows_ * yield.gain.asDiagonal();
  system_.noalias() = gained_.lazyProduct(rows_.transpose());
  for (Index i = 0; i < arms_.cols(); ++i) {
    const Matrix3 left = squared * cross_matrix(arms_.col(i)).transpose() * yield.inverse;
    for (Index j = 0; j < arms_.cols(); ++j) {
      auto block = system_.block<3, 3>(3 * i, 3 * j);
      block += left * cross_matrix(arms_.col(j));
      block.diagonal().array() += squared / yield.mass;
    }
    system_.diagonal().segment<3>(3 * i).array() +=
        1.0 / (springs_[static_cast<std::size_t>(i)].stiffness * share_);
  }
}

/// Forces towards the aims, with the system that is factored.
void FlightSprings::solve(const Matrix3& axes) {
  for (Index i = 0; i < aims_.cols(); ++i)
    residual_.segment<3>(3 * i) = axes.transpose() * aims_.col(i) - places_.col(i);
  forces_ = residual_;
  factor_.solve_in_place(forces_);
}

/// Draws the aims towards where points would be if the body flew on in its shape, so that none of them is
/// dragged farther than it may be. G F is what is left of the right-hand side.
void FlightSprings::come_nearer(const FlightPlace& at, const FreeWay& way) {
  const Vector3 center = at.axes.transpose() * (at.center + way.moved);
  double farthest = 0.0;
  for (Index i = 0; i < aims_.cols(); ++i) {
    const double stiffness = springs_[static_cast<std::size_t>(i)].stiffness;
    const Vector3 end =
        places_.col(i) + residual_.segment<3>(3 * i) - forces_.segment<3>(3 * i) / (stiffness * share_);
    farthest = std::max(farthest, (end - center - start_arms_.col(i)).norm());
  }
  if (!(farthest > reach_)) return;
  for (Index i = 0; i < aims_.cols(); ++i) {
    const Vector3 carried = at.axes * (center + start_arms_.col(i));
    aims_.col(i) = carried + (reach_ / farthest) * (aims_.col(i) - carried);
  }
  solve(at.axes);
}

bool FlightSprings::pull(const FlightPlace& at, const FreeWay& way, const FlightYield& yield, Vector& q,
                         SpringPull& result) {
  look(at, yield.inverse);
  predict(at, way, q);
  if (!aimed_) choose_share(yield);
  fill_system(yield);
  if (!factor_.compute(system_)) return false;
  solve(at.axes);
  if (!aimed_) come_nearer(at, way);
  aimed_ = true;
  result = {.share = share_};
  for (Index i = 0; i < arms_.cols(); ++i) {
    const Vector3 force = forces_.segment<3>(3 * i);
    result.force += force;
    result.torque += arms_.col(i).cross(force);
  }
  q.noalias() += gained_.transpose().lazyProduct(forces_);
  return q.allFinite();
}

}  // namespace limber
