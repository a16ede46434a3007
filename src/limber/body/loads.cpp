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

void active_shares(const TimedLoads& timed, std::span<const SurfaceForces> surface, double t0, double t1,
                   std::vector<double>& shares) {
  shares.clear();
  for (const TimedForce& one : timed.forces) shares.push_back(active_share(one.from, one.to, t0, t1));
  for (const SurfaceForces& one : surface) shares.push_back(one.share(t0, t1));
}

void add_active(const TimedLoads& timed, std::span<const Vector> forces,
                std::span<const SurfaceForces> surface, std::span<const Vector> surface_forces, double t0,
                double t1, Vector& load) {
  for (std::size_t i = 0; i < forces.size(); ++i)
    load += active_share(timed.forces[i].from, timed.forces[i].to, t0, t1) * forces[i];
  for (std::size_t i = 0; i < surface.size(); ++i) load += surface[i].share(t0, t1) * surface_forces[i];
}

}  // namespace limber
