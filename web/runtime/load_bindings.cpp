// What acts on bodies. body.ts wraps it.

#include "entries.hpp"

#include <emscripten.h>

namespace limber::bindings {
namespace {

/// body.ts has made sure that it is an integer from 0 on.
int vertex_of(double number) { return static_cast<int>(number); }

}  // namespace
}  // namespace limber::bindings

using namespace limber;
using namespace limber::bindings;

extern "C" {

EMSCRIPTEN_KEEPALIVE bool limber_set_gravity(int number, double x, double y, double z) {
  return with(number, [&](Body& body) { body.set_gravity({x, y, z}); });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_force(int number, int vertex, double x, double y, double z) {
  return with(number, [&](Body& body) { body.set_force(vertex, {x, y, z}); });
}

/// Of records: vertex, force.
EMSCRIPTEN_KEEPALIVE bool limber_set_forces(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.body().set_forces(records(entry, 4, [](const double* x) {
      return PointForce{vertex_of(x[0]), vector_at(x + 1)};
    }));
  });
}

/// Of records of different lengths: force on each or acceleration, from, to, number of vertices (-1: it is an
/// acceleration of the whole), vertices.
EMSCRIPTEN_KEEPALIVE bool limber_set_timed_loads(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    TimedLoads loads;
    for (std::size_t i = 0; i < entry.room.size();) {
      const double* const x = &entry.room[i];
      i += 6;
      if (x[5] < 0.0) {
        loads.accelerations.push_back({vector_at(x), x[3], x[4]});
        continue;
      }
      const auto count = static_cast<std::size_t>(x[5]);
      TimedForce& load = loads.forces.emplace_back(TimedForce{{}, vector_at(x), x[3], x[4]});
      for (std::size_t k = 0; k < count; ++k) load.points.emplace_back(vertex_of(x[6 + k]));
      i += count;
    }
    entry.body().set_timed_loads(std::move(loads));
  });
}

/// Of records of different lengths: pressure, traction, from, to, number of triangles, triangles.
EMSCRIPTEN_KEEPALIVE bool limber_set_surface_loads(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    std::vector<SurfaceLoad> loads;
    for (std::size_t i = 0; i < entry.room.size();) {
      const double* const x = &entry.room[i];
      SurfaceLoad& load = loads.emplace_back(SurfaceLoad{{}, x[0], vector_at(x + 1), x[4], x[5]});
      const auto count = static_cast<std::size_t>(x[6]);
      for (std::size_t k = 0; k < count; ++k) load.triangles.push_back(static_cast<int>(x[7 + k]));
      i += 7 + count;
    }
    entry.body().set_surface_loads(std::move(loads));
  });
}

/// Of records: vertex, target, stiffness.
EMSCRIPTEN_KEEPALIVE bool limber_set_springs(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.body().set_springs(records(entry, 5, [](const double* x) {
      return Spring{vertex_of(x[0]), vector_at(x + 1), x[4]};
    }));
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_spring_force(int number, int spring) {
  return with(number, [&](const Body& body) { give_vectors(body.spring_force(spring)); });
}

EMSCRIPTEN_KEEPALIVE bool limber_stiffness_at(int number, int vertex) {
  return with(number, [&](const Body& body) { give(body.stiffness_at(vertex)); });
}

/// Of records: vertex, whether its position and its orientation are held, position, rotation.
EMSCRIPTEN_KEEPALIVE bool limber_set_handles(int number, bool orientation_first) {
  return guarded([&] {
    Entry& entry = find(number);
    const auto read = [](const double* x) {
      return Handle{vertex_of(x[0]), x[1] != 0.0, x[2] != 0.0, vector_at(x + 3), quaternion_at(x + 6)};
    };
    entry.body().set_handles(records(entry, 10, read), orientation_first ? ConstraintPriority::orientation
                                                                         : ConstraintPriority::position);
  });
}

/// Whether they were met, largest distance and angle from a target.
EMSCRIPTEN_KEEPALIVE bool limber_handle_report(int number) {
  return with(number, [&](const Body& body) {
    const ConstraintReport report = body.handle_report();
    give(report.met, report.position_error, report.orientation_error);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_wind(int number, double x, double y, double z, double gusts) {
  return with(number, [&](Body& body) { body.set_wind({.velocity = {x, y, z}, .gusts = gusts}); });
}

/// Of records: time, position, rotation; none: it stands still.
EMSCRIPTEN_KEEPALIVE bool limber_set_support(int number, bool smooth) {
  return guarded([&] {
    Entry& entry = find(number);
    const auto keys = records(entry, 8, [](const double* x) {
      return PoseKey{x[0], {vector_at(x + 1), quaternion_at(x + 4)}};
    });
    const Interpolation interpolation = smooth ? Interpolation::smooth : Interpolation::linear;
    entry.body().set_support(keys.empty() ? PoseFunction() : interpolate_poses(keys, interpolation));
  });
}

}  // extern "C"
