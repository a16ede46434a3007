#include "limber/body/motion.hpp"

#include "limber/base/error.hpp"

#include <limits>

namespace limber {
namespace {

/// What Body refuses before a motion is asked.
void require_nothing(bool nothing, std::string_view what) {
  require(nothing, "{} reached a motion that does not take it", what);
}

}  // namespace

void Motion::set_material(Index /*region*/, const Material& /*material*/) {
  require_nothing(false, "a material");
}

const std::vector<Material>& Motion::materials() const {
  static const std::vector<Material> none;
  return none;
}

void Motion::set_surface_forces(std::span<const SurfaceForces> forces) {
  require_nothing(forces.empty(), "a load on the surface");
}

void Motion::positions_of(std::span<const int> vertices, Matrix3X& x) const {
  for (std::size_t i = 0; i < vertices.size(); ++i) x.col(static_cast<Index>(i)) = position(vertices[i]);
}

void Motion::set_springs(std::span<const Spring> springs) { require_nothing(springs.empty(), "a spring"); }

void Motion::set_handles(std::span<const Handle> handles, ConstraintPriority /*priority*/,
                         std::span<const Point> /*exercised*/) {
  require_nothing(handles.empty(), "a handle");
}

void Motion::set_wind(const Wind& wind) { require_nothing(wind == Wind{}, "wind"); }

void Motion::set_support(const PoseFunction& motion) { require_nothing(!motion, "the motion of a support"); }

void Motion::take(const BodyLoads& loads) {
  set_gravity(loads.gravity);
  set_forces(loads.forces);
  set_timed_loads(loads.timed);
  set_springs(loads.springs);
  set_wind(loads.wind);
  set_support(loads.support);
  set_handles(loads.handles, loads.priority, loads.exercised);
}

void Motion::remember() {
  remembered_.clear();
  save(remembered_);
}

void Motion::go_back() {
  StateReader in(remembered_.bytes(), "state");
  restore(in);
}

double Motion::smallest_volume_ratio() const { return std::numeric_limits<double>::quiet_NaN(); }

SolveReport Motion::begin_coupled(double /*h*/, CoupledStep& /*step*/, ElasticEnd /*elastic*/,
                                  const StepPart& /*part*/) {
  throw Error("a body of this method cannot touch others");
}

SolveReport Motion::end_coupled(const CoupledStep& /*step*/, const Vector& /*u*/, const Vector& /*impulse*/,
                                bool /*last*/) {
  throw Error("a body of this method cannot touch others");
}

void Motion::undo_coupled() { throw Error("a body of this method cannot touch others"); }

SolveReport Motion::condense(CondensedStep& /*step*/) {
  throw Error("a body of this method has a matrix of its own");
}

SolveReport Motion::end_condensed(const CondensedStep& /*step*/, const Vector& /*impulse*/, bool /*last*/) {
  throw Error("a body of this method has a matrix of its own");
}

void Motion::set_coupled(bool on) { require(!on, "a body of this method cannot touch others"); }

}  // namespace limber
