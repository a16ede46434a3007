#include "limber/body/loads.hpp"

#include <algorithm>

namespace limber {

double active_share(double from, double to, double t0, double t1) {
  if (t1 <= t0) return t0 >= from && t0 < to ? 1.0 : 0.0;
  return std::clamp((std::min(t1, to) - std::max(t0, from)) / (t1 - t0), 0.0, 1.0);
}

Vector3 mean_acceleration(std::span<const TimedAcceleration> loads, double t0, double t1) {
  Vector3 sum = Vector3::Zero();
  for (const TimedAcceleration& load : loads)
    sum += active_share(load.from, load.to, t0, t1) * load.acceleration;
  return sum;
}

bool SurfaceForces::operator==(const SurfaceForces& other) const {
  return from == other.from && to == other.to && vertices == other.vertices && forces == other.forces;
}

bool same_sites(std::span<const SurfaceForces> one, std::span<const SurfaceForces> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const SurfaceForces& a, const SurfaceForces& b) {
                      return a.from == b.from && a.to == b.to && a.vertices == b.vertices;
                    });
}

bool by_time(std::span<const SurfaceForces> forces) {
  return std::any_of(forces.begin(), forces.end(), [](const SurfaceForces& one) { return !one.always(); });
}

}  // namespace limber
