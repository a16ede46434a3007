#include "limber/base/error.hpp"
#include "limber/body/body_core.hpp"
#include "limber/body/handles.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

// What acts on a body.

namespace limber {

void Body::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity is ({}, {}, {}) m/s^2, expected finite numbers",
          acceleration.x(), acceleration.y(), acceleration.z());
  core_->motion->set_gravity(acceleration);
  core_->loads.gravity = acceleration;
}

void Body::set_forces(std::span<const PointForce> forces) {
  std::vector<PointForce> next;
  next.reserve(forces.size());
  for (const PointForce& one : forces) {
    core_->check_point(one.point);
    require(one.force.allFinite(), "the force on vertex {} is ({}, {}, {}) N, expected finite numbers",
            one.point.vertex, one.force.x(), one.force.y(), one.force.z());
    if (!one.force.isZero(0.0)) next.push_back(one);
  }
  hand_forces(next, core_->surface_loads, *core_->motion);
  core_->loads.forces = std::move(next);
}

void Body::set_force(const Point& point, const Vector3& force) {
  core_->check_point(point);
  std::vector<PointForce> next = core_->loads.forces;
  std::erase_if(next, [&](const PointForce& one) { return one.point == point; });
  next.push_back({point, force});
  set_forces(next);
}

void Body::set_timed_loads(TimedLoads loads) {
  const auto check_times = [](double from, double to) {
    require(!std::isnan(from) && !std::isnan(to) && to > from,
            "a load acts from {} s to {} s, expected that it ends after it starts", from, to);
  };
  for (const TimedForce& one : loads.forces) {
    check_times(one.from, one.to);
    require(one.force.allFinite(), "a force from {} s on is ({}, {}, {}) N, expected finite numbers",
            one.from, one.force.x(), one.force.y(), one.force.z());
    for (const Point& point : one.points) core_->check_point(point);
  }
  for (const TimedAcceleration& one : loads.accelerations) {
    check_times(one.from, one.to);
    require(one.acceleration.allFinite(), "an acceleration from {} s on is not finite", one.from);
  }
  core_->motion->set_timed_loads(loads);
  core_->loads.timed = std::move(loads);
}

void Body::set_surface_loads(std::vector<SurfaceLoad> loads) {
  SurfaceLoads next(surface().mesh(), loads, core_->name);
  (void)next.update(*core_->motion);
  std::erase_if(loads,
                [](const SurfaceLoad& load) { return load.pressure == 0.0 && load.traction.isZero(0.0); });
  hand_forces(core_->loads.forces, next, *core_->motion);
  core_->surface_loads = std::move(next);
  core_->loads.surface = std::move(loads);
}

void Body::set_springs(std::span<const Spring> springs) {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const auto& [point, target, stiffness] = springs[i];
    core_->check_point(point);
    require(target.allFinite(), "spring {} pulls towards ({}, {}, {}) m, expected finite numbers", i,
            target.x(), target.y(), target.z());
    require(std::isfinite(stiffness) && stiffness >= 0.0,
            "the stiffness of spring {} is {} N/m, expected a finite number of at least 0", i, stiffness);
  }
  if (!springs.empty()) core_->require_able(Ability::springs);
  std::vector<Spring>& present = core_->loads.springs;
  if (same_grip(springs, present)) {  // which only move: nothing is allocated
    core_->motion->set_springs(springs);
    std::copy(springs.begin(), springs.end(), present.begin());
    return;
  }
  std::vector<Spring> next(springs.begin(), springs.end());
  core_->motion->set_springs(springs);
  present = std::move(next);
}

Vector3 Body::spring_force(Index spring) const {
  const auto count = static_cast<Index>(core_->loads.springs.size());
  require(spring >= 0 && spring < count, "spring {} of a body with {} springs", spring, count);
  const auto& [point, target, stiffness] = core_->loads.springs[static_cast<std::size_t>(spring)];
  return stiffness * (target - position(point));
}

void Body::Core::check_handles(std::span<const Handle> handles, ConstraintPriority priority,
                               std::span<const Point> exercised) const {
  if (!handles.empty()) require_able(Ability::handles);
  const bool in_mesh = std::any_of(handles.begin(), handles.end(),
                                   [](const Handle& handle) { return handle.point.of == Point::Of::mesh; });
  limber::check_handles(handles, surface->mesh().vertex_count(), in_mesh ? motion->mesh_vertex_count() : 0);
  for (const Handle& handle : handles) {
    check_point(handle.point);
    if (handle.hold_orientation) require_able(Ability::orientations);
  }
  for (const Point& point : exercised) check_point(point);
  const bool turns = setup.model && !setup.model->free && kind_of(method, setup, loads) == MotionKind::modes;
  require(turns || exercised.empty(),
          "{}: forces that meet handles act at the handles; name no other points for them", name);
  const bool turned = std::any_of(handles.begin(), handles.end(),
                                  [](const Handle& handle) { return handle.hold_orientation; });
  require(turns || !turned, "{}: its points do not turn by themselves; hold positions, no orientations",
          name);
  require(
      turns || priority == ConstraintPriority::position,
      "{}: its handles hold positions alone, so that orientations cannot come first; leave the priority at "
      "'position'",
      name);
  check_movable(handles, *motion);
}

void Body::check_handles(std::span<const Handle> handles, ConstraintPriority priority,
                         std::span<const Point> exercised) const {
  core_->check_handles(handles, priority, exercised);
  core_->motion->check_handles(handles, priority, exercised);
}

void Body::set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                       std::span<const Point> exercised) {
  BodyLoads& present = core_->loads;
  const bool led =
      priority == present.priority && same_grip(handles, present.handles) &&
      std::equal(exercised.begin(), exercised.end(), present.exercised.begin(), present.exercised.end());
  if (led) {  // nothing is allocated
    check_targets(handles);
    core_->motion->set_handles(handles, priority, exercised);
    std::copy(handles.begin(), handles.end(), present.handles.begin());
    return;
  }
  core_->check_handles(handles, priority, exercised);
  std::vector<Handle> next(handles.begin(), handles.end());
  std::vector<Point> places(exercised.begin(), exercised.end());
  core_->motion->set_handles(handles, priority, exercised);
  present.handles = std::move(next);
  present.priority = priority;
  present.exercised = std::move(places);
}

ConstraintReport Body::handle_report() const { return core_->motion->handle_report(); }

void Body::set_wind(const Wind& wind) {
  require(wind.velocity.allFinite() && std::isfinite(wind.gusts) && std::isfinite(wind.coefficient) &&
              wind.coefficient >= 0.0 && std::isfinite(wind.density) && wind.density >= 0.0,
          "wind must be finite, its coefficient and density at least 0");
  BodyLoads next = core_->loads;
  next.wind = blows(wind) ? wind : Wind{};
  if (blows(wind)) core_->require_able(Ability::wind);
  if (next.wind == core_->loads.wind || !core_->stays_with(next)) return;
  core_->motion->set_wind(next.wind);
  core_->loads.wind = next.wind;
}

void Body::set_support(PoseFunction motion) {
  if (motion) {
    require(!has_model() || !model().free, "{} is a free body, which no support can move", core_->name);
    core_->require_able(Ability::supports);
    check_support_pose(motion(time()), time());
  }
  BodyLoads next = core_->loads;
  next.support = std::move(motion);
  if (!core_->stays_with(next)) return;
  core_->motion->set_support(next.support);
  core_->loads.support = std::move(next.support);
  core_->follow_shape();  // a support that stands elsewhere carries the body along
}

const BodyLoads& Body::loads() const { return core_->loads; }

}  // namespace limber
