#include "limber/body/motion.hpp"

#include "limber/base/error.hpp"

namespace limber {
namespace {

/// What Body refuses before a motion is asked.
void require_nothing(bool nothing, std::string_view what) {
  require(nothing, "{} reached a motion that does not take it", what);
}

}  // namespace

void Motion::set_springs(std::span<const Spring> springs) { require_nothing(springs.empty(), "a spring"); }

void Motion::set_handles(std::span<const Handle> handles, ConstraintPriority /*priority*/) {
  require_nothing(handles.empty(), "a handle");
}

void Motion::set_wind(const Wind& wind) { require_nothing(wind == Wind{}, "wind"); }

void Motion::set_support(const PoseFunction& motion) { require_nothing(!motion, "the motion of a support"); }

void Motion::take(const BodyLoads& loads) {
  set_gravity(loads.gravity);
  set_forces(loads.forces);
  set_springs(loads.springs);
  set_handles(loads.handles, loads.priority);
  set_wind(loads.wind);
  set_support(loads.support);
}

}  // namespace limber
