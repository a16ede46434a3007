// Steps of bodies, and how they are. body.ts wraps it.

#include "entries.hpp"
#include "limber/base/error.hpp"

#include <array>
#include <emscripten.h>

using namespace limber;
using namespace limber::bindings;

extern "C" {

/// Where a step fails, those before it stay taken.
EMSCRIPTEN_KEEPALIVE bool limber_step(int number, double h, int count, int iterations,
                                      bool conjugate_gradient) {
  return guarded([&] {
    require(find(number).world == nullptr, "{} is in a world, which steps it; call step() of that",
            find(number).body().name());
    Body& body = find(number).body();
    ReducedStepOptions options;
    options.newmark.max_iterations = iterations;
    if (conjugate_gradient) options.solver = ReducedSolver::conjugate_gradient;
    for (int i = 0; i < count; ++i) {
      const SolveReport report = body.step(h, options);
      require(report.ok(), "a step of {} s failed ({}); take smaller ones, or reset the body", h,
              name_of(report.status));
    }
  });
}

/// Iterations and what is left of the loads, as a share of them.
EMSCRIPTEN_KEEPALIVE bool limber_solve_static(int number, double tolerance, int iterations) {
  return with(number, [&](Body& body) {
    EquilibriumOptions options;
    options.tolerance = tolerance;
    options.max_iterations = iterations;
    const SolveReport report = body.solve_static(options);
    require(report.ok(), "no equilibrium was found ({}); take smaller loads, or let the body come to rest",
            name_of(report.status));
    give(report.iterations, report.residual);
  });
}

/// Velocity and angular velocity: x, y, z.
EMSCRIPTEN_KEEPALIVE bool limber_set_velocity(int number, double vx, double vy, double vz, double wx,
                                              double wy, double wz) {
  return with(number, [&](Body& body) { body.set_velocity({vx, vy, vz}, {wx, wy, wz}); });
}

EMSCRIPTEN_KEEPALIVE bool limber_reset(int number) {
  return with(number, [](Body& body) { body.reset(); });
}

/// Time, coordinates in use, addresses of q and v.
EMSCRIPTEN_KEEPALIVE bool limber_state(int number) {
  return with(number, [](const Body& body) {
    give(body.time(), body.q().size(), address_of(body.q().data()), address_of(body.v().data()));
  });
}

/// Position, rotation (x, y, z, w), velocity and angular velocity of the root.
EMSCRIPTEN_KEEPALIVE bool limber_root(int number) {
  return with(number, [](const Body& body) {
    const FrameState root = body.state().root;
    give_vectors(root.position, root.rotation.coeffs(), root.velocity, root.angular_velocity);
  });
}

/// Of so many coordinates and velocities, and what limber_root() gives where it shall change.
EMSCRIPTEN_KEEPALIVE bool limber_set_state(int number, int coordinates, int velocities) {
  return guarded([&] {
    Entry& entry = find(number);
    TreeState state = entry.body().state();
    const double* const x = entry.room.data();
    state.q = Eigen::Map<const Vector>(x, coordinates);
    state.v = Eigen::Map<const Vector>(x + coordinates, velocities);
    const auto count = static_cast<std::size_t>(coordinates) + static_cast<std::size_t>(velocities);
    if (entry.room.size() > count) {
      const double* const root = x + count;
      state.root.position = vector_at(root);
      state.root.rotation = quaternion_at(root + 3);
      state.root.velocity = vector_at(root + 7);
      state.root.angular_velocity = vector_at(root + 10);
    }
    entry.body().set_state(state);
  });
}

/// Address and number of bytes.
EMSCRIPTEN_KEEPALIVE bool limber_save(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    StateWriter out;
    entry.body().save(out);
    give_array(entry.saved = out.bytes());
  });
}

/// Of so many bytes.
EMSCRIPTEN_KEEPALIVE bool limber_restore(int number, std::size_t bytes) {
  return guarded([&] {
    Entry& entry = find(number);
    StateReader in({reinterpret_cast<const char*>(entry.room.data()), bytes}, "the state");
    Body next = entry.body();
    next.restore(in);
    in.finish();
    entry.body() = std::move(next);
  });
}

/// Elastic and kinetic.
EMSCRIPTEN_KEEPALIVE bool limber_energy(int number) {
  return with(number, [](const Body& body) {
    const BodyEnergy energy = body.energy();
    give(energy.elastic, energy.kinetic);
  });
}

/// Mass, centre, linear and angular momentum.
EMSCRIPTEN_KEEPALIVE bool limber_momentum(int number) {
  return with(number, [](const Body& body) {
    const TreeMomentum now = body.momentum();
    give_vectors(std::array{now.mass}, now.center, now.linear, now.angular);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_position(int number, int vertex) {
  return with(number, [&](const Body& body) { give_vectors(body.position(vertex)); });
}

EMSCRIPTEN_KEEPALIVE bool limber_velocity(int number, int vertex) {
  return with(number, [&](const Body& body) { give_vectors(body.velocity(vertex)); });
}

/// x, y, z, w.
EMSCRIPTEN_KEEPALIVE bool limber_orientation(int number, int vertex) {
  return with(number, [&](const Body& body) { give_vectors(body.orientation(vertex).coeffs()); });
}

EMSCRIPTEN_KEEPALIVE bool limber_positions(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.positions.resize(3, entry.body().surface().mesh().vertex_count());
    entry.body().positions(entry.positions);
    give_array(entry.positions);
  });
}

/// Vertex (-1: none), distance and whether the ray meets the surface. origin, direction: x, y, z.
EMSCRIPTEN_KEEPALIVE bool limber_pick(int number, double ox, double oy, double oz, double dx, double dy,
                                      double dz) {
  return with(number, [&](const Body& body) {
    const Pick pick = body.pick({ox, oy, oz}, {dx, dy, dz}).value_or(Pick{});
    give(pick.vertex, pick.distance, pick.hit);
  });
}

/// Domain (-1: none), m, and share of the size of its interface.
EMSCRIPTEN_KEEPALIVE bool limber_largest_gap(int number) {
  return with(number, [](const Body& body) {
    const InterfaceGap gap = body.largest_gap();
    give(gap.domain, gap.largest, gap.share);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_frequencies(int number) {
  return with(number, [](const Body& body) { give_array(body.frequencies()); });
}

EMSCRIPTEN_KEEPALIVE bool limber_mode_shape(int number, int mode) {
  return guarded([&] {
    Entry& entry = find(number);
    give_array(entry.numbers = entry.body().mode_shape(mode));
  });
}

}  // extern "C"
