#include "limber/base/error.hpp"
#include "limber/body/handles.hpp"
#include "limber/body/warped_motion.hpp"
#include "limber/multidomain/wind.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <utility>

// What acts on a body that moves by natural modes: given in the world, handed to its dynamics in the axes of
// the frame as it is in the middle of a step, or to its flight as it is.

namespace limber {
namespace {

/// Of the springs that hold handles in flight, by how much they are stiffer than the inertia of the body in a
/// step: its own weight moves them by less than a millionth of how far it falls in a step.
constexpr double flight_grip = 1e6;

bool pulls(const Spring& spring) { return spring.stiffness > 0.0; }

}  // namespace

/// Calls take(site, force) for all that act, with forces in the axes of the frame, in the order that the
/// dynamics have them in.
template <class Take>
void WarpedMotion::for_each_force(const Take& take) const {
  for (std::size_t i = 0; i < forces_.size(); ++i)
    take((*force_sites_)[i], Vector3(to_frame_ * forces_[i].force));
  const std::size_t timed = timed_.forces.size();
  for (std::size_t i = 0; i < timed; ++i) {
    if (shares_[i] == 0.0) continue;
    const Vector3 force = to_frame_ * Vector3(shares_[i] * timed_.forces[i].force);
    for (const WarpSite& site : (*timed_sites_)[i]) take(site, force);
  }
  for (std::size_t i = 0; i < surface_loads_.size(); ++i) {
    const double share = shares_[timed + i];
    if (share == 0.0) continue;
    const std::vector<WarpSite>& sites = (*loaded_sites_)[i];
    for (std::size_t k = 0; k < sites.size(); ++k)
      take(sites[k],
           Vector3(to_frame_ * Vector3(share * surface_loads_[i].forces.col(static_cast<Index>(k)))));
  }
}

std::vector<SiteForce> WarpedMotion::site_forces() const {
  std::vector<SiteForce> result;
  result.reserve(forces_.size());
  for_each_force([&](const WarpSite& site, const Vector3& force) { result.push_back({site, force}); });
  return result;
}

/// In the frame where it is at the end of the step; in flight in the world, with those that hold handles.
std::vector<SiteSpring> WarpedMotion::site_springs() const {
  const Pose to_frame = flight_ ? Pose() : pose_.inverse();
  std::vector<SiteSpring> result;
  result.reserve(springs_.size());
  for (const Spring& spring : springs_) {
    if (pulls(spring))
      result.push_back({site(spring.point), to_frame.apply(spring.target), spring.stiffness});
  }
  if (!flight_ || grip_h_ == 0.0) return result;
  const double stiffness = flight_grip * flight_->momentum().mass / (grip_h_ * grip_h_);
  for (const Handle& handle : grip_.handles)
    result.push_back({site(handle.point), handle.position, stiffness});
  return result;
}

bool WarpedMotion::in_hand() const {
  return !grip_.handles.empty() || std::any_of(springs_.begin(), springs_.end(), pulls);
}

/// What accelerates the whole body, in the axes of the frame.
Vector3 WarpedMotion::uniform_load() const {
  return to_frame_ *
         Vector3(gravity_ + wind_push_ + mean_acceleration(timed_.accelerations, acting_.from, acting_.to));
}

void WarpedMotion::use_gravity() {
  if (flight_) return flight_->set_gravity(uniform_load());
  dynamics_.set_gravity(uniform_load());
}

void WarpedMotion::use_forces() {
  if (flight_) return flight_->set_forces(site_forces());
  dynamics_.set_forces(site_forces());
}

void WarpedMotion::use_springs() {
  if (flight_) return flight_->set_springs(site_springs());
  dynamics_.set_springs(site_springs());
}

/// The shares of timed forces, and of those of the surface, in the time of the loads. Returns whether forces
/// come or go.
bool WarpedMotion::take_shares() {
  bool others = false;
  std::size_t i = 0;
  const auto take = [&](double share) {
    others = others || (share == 0.0) != (shares_[i] == 0.0);
    shares_[i++] = share;
  };
  for (const TimedForce& load : timed_.forces)
    take(active_share(load.from, load.to, acting_.from, acting_.to));
  for (const SurfaceForces& load : surface_loads_) take(load.share(acting_.from, acting_.to));
  return others;
}

/// The same forces, others in size.
void WarpedMotion::change_forces() {
  Index i = 0;
  for_each_force([&](const WarpSite& /*site*/, const Vector3& force) {
    if (flight_) return flight_->set_force(i++, force);
    dynamics_.set_force(i++, force);
  });
}

/// Takes the loads of a time, turned into the axes of the frame. Those that stand as before are no change,
/// after which slack would be forgotten.
void WarpedMotion::act(const LoadTime& when, const Eigen::Quaterniond& to_frame) {
  const bool stands = !loads_vary() && to_frame.coeffs() == to_frame_.coeffs();
  acting_ = when;
  to_frame_ = to_frame;
  use_gravity();
  if (stands) return;
  if (take_shares()) return use_forces();
  change_forces();
}

/// Where the frame is from now on: what is held in the world moves in it.
void WarpedMotion::aim(const Pose& pose) {
  pose_ = pose;
  const Pose into = pose_.inverse();
  if (!grip_.handles.empty()) set_targets(dynamics_.constraints(), grip_.handles, into);
  Index pulling = 0;
  for (const Spring& spring : springs_) {
    if (pulls(spring)) dynamics_.set_spring_target(pulling++, into.apply(spring.target));
  }
}

/// Velocity of the air past the frame at the centre of mass of a body that is held, m/s.
Vector3 WarpedMotion::air_past_frame() const {
  const Vector3 center = lumps_->center() + lumps_->at(dynamics_.state().q).shift;
  return air_velocity(wind_, pose_.apply(center), state_.time) - support_velocity(center);
}

/// On a body that is held and rests, with its support, m/s^2.
Vector3 WarpedMotion::push_at_rest() const {
  const Vector3 center = lumps_->center() + lumps_->at(dynamics_.state().q).shift;
  const Vector3 air = air_velocity(wind_, pose_.apply(center), state_.time);
  return drag_of(wind_, shadow_, air) / lumps_->mass() * air;
}

/// What the air does in the next step to a body that is held. By the drag c and the mean velocity V of the
/// centre of mass in the step, as it would be if the push p_0 of the step before went on, the push is
///
///   p = c / m (w - V - G (p - p_0)),     G = m R diag(g) R^T,
///
/// with R the derivative of the centre of mass and g what a unit of load adds to the mean velocity of each
/// mode: seen from the air a step loses energy at any h, and what rests feels all of c w.
void WarpedMotion::feel_wind(double h, const Vector3& past_frame) {
  const double mass = lumps_->mass();
  dynamics_.foresee(h, rates_, gains_);
  lumps_->rows(dynamics_.state().q, drift_rows_, swirl_rows_);
  const Vector3 before = to_frame_ * wind_push_;
  const Vector3 past = to_frame_ * past_frame - drift_rows_ * rates_;
  const double share = drag_of(wind_, shadow_, past) / mass;
  yielding_ = drift_rows_;
  yielding_.array().rowwise() *= gains_.transpose().array();
  const Matrix3 yields = mass * yielding_.lazyProduct(drift_rows_.transpose());
  const Matrix3 resisting = Matrix3::Identity() + share * yields;
  wind_push_ = to_frame_.conjugate() * Vector3(resisting.inverse() * (share * (past + yields * before)));
  use_gravity();
}

/// Loads and the inertia of the support's motion in the next step. All that may throw comes first.
void WarpedMotion::prepare_loads(double h) {
  const LoadTime step{state_.time, state_.time + h};
  const Vector3 past_frame = lumps_ ? air_past_frame() : Vector3::Zero();
  Eigen::Quaterniond to_frame = to_frame_;
  if (support_) {
    const FrameMotion motion = support_motion(support_, step.from, step.to);
    const Pose middle = support_(step.from + 0.5 * h), end = support_(step.to);
    dynamics_.set_frame_motion(motion);
    aim(end);
    to_frame = middle.rotation.conjugate();
  }
  act(step, to_frame);
  if (lumps_) feel_wind(h, past_frame);
}

void WarpedMotion::hold(WarpedDynamics& dynamics, const Grip& grip) const {
  const auto site_at = [this](const Point& point) { return turning_site(point); };
  dynamics.set_constraints(handle_sites(site_at, grip.handles, grip.priority, grip.exercised));
  set_targets(dynamics.constraints(), grip.handles, pose_.inverse());
}

/// How stiff their springs are follows from the next step.
void WarpedMotion::hold_in_flight(std::span<const Handle> handles) {
  if (handles.empty() && grip_.handles.empty()) return;
  if (same_grip(grip_.handles, handles) && grip_h_ > 0.0) {
    Index spring = std::count_if(springs_.begin(), springs_.end(), pulls);
    for (const Handle& handle : handles) flight_->set_spring_target(spring++, handle.position);
    std::copy(handles.begin(), handles.end(), grip_.handles.begin());
    return;
  }
  grip_.handles.assign(handles.begin(), handles.end());
  grip_h_ = 0.0;
  use_springs();
  if (grip_.handles.empty()) report_ = {};
}

/// Of handles in flight.
void WarpedMotion::look_at_handles() {
  constexpr double tolerance = 1e-3;  // of the size of the body
  report_ = {};
  for (const Handle& handle : grip_.handles)
    report_.position_error =
        std::max(report_.position_error, (position(handle.point) - handle.position).norm());
  report_.met = report_.position_error <= tolerance * dynamics_.equations().size;
}

void WarpedMotion::set_gravity(const Vector3& acceleration) {
  gravity_ = acceleration;
  use_gravity();
}

void WarpedMotion::set_forces(std::span<const PointForce> forces) {
  if (std::equal(forces.begin(), forces.end(), forces_.begin(), forces_.end())) return;
  auto sites = std::make_shared<std::vector<WarpSite>>();
  sites->reserve(forces.size());
  for (const PointForce& one : forces) sites->push_back(site(one.point));
  forces_.assign(forces.begin(), forces.end());
  force_sites_ = std::move(sites);
  use_forces();
}

void WarpedMotion::set_timed_loads(const TimedLoads& loads) {
  if (loads.empty() && timed_.empty()) return;
  auto sites = std::make_shared<std::vector<std::vector<WarpSite>>>();
  sites->reserve(loads.forces.size());
  for (const TimedForce& one : loads.forces) sites->push_back(sites_of(one.points));
  timed_ = loads;
  timed_sites_ = std::move(sites);
  shares_.assign(timed_.forces.size() + surface_loads_.size(), 0.0);
  acting_ = {state_.time, state_.time};
  (void)take_shares();
  use_gravity();
  use_forces();
}

void WarpedMotion::set_surface_forces(std::span<const SurfaceForces> forces) {
  if (std::equal(forces.begin(), forces.end(), surface_loads_.begin(), surface_loads_.end())) return;
  if (same_sites(forces, surface_loads_)) {
    std::copy(forces.begin(), forces.end(), surface_loads_.begin());
    return change_forces();
  }
  auto sites = std::make_shared<std::vector<std::vector<WarpSite>>>();
  sites->reserve(forces.size());
  for (const SurfaceForces& one : forces) {
    sites->emplace_back();
    for (const int vertex : one.vertices) sites->back().push_back(site(vertex));
  }
  surface_loads_.assign(forces.begin(), forces.end());
  loaded_sites_ = std::move(sites);
  shares_.assign(timed_.forces.size() + surface_loads_.size(), 0.0);
  (void)take_shares();
  use_forces();
}

/// What the forces of the surface are to load_energy() of those who move the body, J.
double WarpedMotion::surface_energy() const {
  double energy = 0.0;
  for (std::size_t i = 0; i < surface_loads_.size(); ++i) {
    const auto& [vertices, forces, from, to] = surface_loads_[i];
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      const Vector3 place = flight_ ? position(vertices[k]) : place_in_frame(vertices[k]);
      const Vector3 moved = place - reduced().surface.mesh.vertices.col(vertices[k]);
      const Vector3 force = shares_[timed_.forces.size() + i] * forces.col(static_cast<Index>(k));
      energy -= (to_frame_ * force).dot(moved);
    }
  }
  return energy;
}

void WarpedMotion::set_springs(std::span<const Spring> springs) {
  require_uncoupled(springs.empty(), "springs");
  if (std::equal(springs.begin(), springs.end(), springs_.begin(), springs_.end())) return;
  springs_.assign(springs.begin(), springs.end());
  use_springs();
}

void WarpedMotion::set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                               std::span<const Point> exercised) {
  require_uncoupled(handles.empty(), "handles");
  if (flight_) return hold_in_flight(handles);
  const bool same_forces =
      priority == grip_.priority &&
      std::equal(exercised.begin(), exercised.end(), grip_.exercised.begin(), grip_.exercised.end());
  if (same_forces && same_grip(grip_.handles, handles)) {
    set_targets(dynamics_.constraints(), handles, pose_.inverse());
    std::copy(handles.begin(), handles.end(), grip_.handles.begin());
    return;
  }
  Grip grip{{handles.begin(), handles.end()}, priority, {exercised.begin(), exercised.end()}};
  WarpedDynamics next = dynamics_;
  hold(next, grip);
  dynamics_ = std::move(next);
  grip_ = std::move(grip);
  if (grip_.handles.empty()) report_ = {};
}

void WarpedMotion::check_handles(std::span<const Handle> handles, ConstraintPriority priority,
                                 std::span<const Point> exercised) const {
  require_uncoupled(handles.empty(), "handles");
  if (flight_ || handles.empty()) return;
  WarpedDynamics held = dynamics_;
  hold(held, {{handles.begin(), handles.end()}, priority, {exercised.begin(), exercised.end()}});
}

void WarpedMotion::set_wind(const Wind& wind) {
  require_uncoupled(wind.velocity.isZero(0.0), "wind");
  if (wind == wind_) return;
  wind_ = wind;
  const bool blows = !wind.velocity.isZero(0.0);
  shadow_ = blows ? mean_shadow(reduced().surface.mesh) : 0.0;
  if (flight_) return flight_->set_wind(wind, shadow_);
  lumps_.reset();
  wind_push_.setZero();
  if (blows) {
    const PartSettings& settings = setup_.settings.front();
    lumps_.emplace(dynamics_.equations(), inertia_of(reduced(), settings.materials, settings.rank));
  }
  use_gravity();
}

void WarpedMotion::set_support(const PoseFunction& motion) {
  if (!motion && !support_) return;
  PoseFunction next = motion ? checked_poses(from_time_zero(motion)) : PoseFunction();
  const Pose pose = next ? next(state_.time) : Pose();
  support_ = std::move(next);
  dynamics_.set_frame_motion({});
  aim(pose);
  act({state_.time, state_.time}, pose.rotation.conjugate());
}

}  // namespace limber
