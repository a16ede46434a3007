// Worlds: bodies that touch, and what they meet. Bodies keep their numbers; rigid bodies, obstacles and
// bodies of another engine are numbered as in World. world.ts wraps it.

#include "entries.hpp"
#include "limber/base/error.hpp"

#include <emscripten.h>
#include <string_view>

namespace limber::bindings {
namespace {

/// A pose: position and rotation. Unit length is checked where it is used.
Pose pose_at(const double* numbers) { return {vector_at(numbers), quaternion_at(numbers + 3)}; }
ContactMaterial material_at(const double* numbers) { return {numbers[0], numbers[1], numbers[2]}; }

/// Its kind, numbered as in world.ts, and three lengths.
SolidShape shape_at(const double* numbers) {
  const double* const lengths = numbers + 1;
  switch (static_cast<int>(numbers[0])) {
    case 0:
      return HalfSpace{};
    case 1:
      return Sphere{lengths[0]};
    case 2:
      return Box{vector_at(lengths)};
    default:
      return Capsule{lengths[0], lengths[1]};
  }
}

}  // namespace
}  // namespace limber::bindings

using namespace limber;
using namespace limber::bindings;

extern "C" {

/// The number of a new one, 0 where there is no memory.
EMSCRIPTEN_KEEPALIVE int limber_world_create() {
  int number = 0;
  (void)guarded([&] { number = keep(std::make_unique<WorldEntry>(), worlds); });
  return number;
}

/// Its bodies live on, and touch nothing.
EMSCRIPTEN_KEEPALIVE void limber_world_release(int world) {
  (void)guarded([&] {
    (void)find_world(world);
    worlds[static_cast<std::size_t>(world) - 1] = nullptr;
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_world_room(int world, std::size_t count) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    entry.room.resize(count);
    give_array(entry.room);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_world_add(int world, int number, double friction, double restitution,
                                           double compliance) {
  return guarded([&] { find_world(world).add(find(number), {friction, restitution, compliance}); });
}

EMSCRIPTEN_KEEPALIVE bool limber_world_remove(int world, int number) {
  return guarded([&] {
    Entry& entry = find(number);
    require(entry.world == &find_world(world), "{} is not in this world", entry.body().name());
    entry.world->remove(entry);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_world_set_material(int world, int number, double friction,
                                                    double restitution, double compliance) {
  return guarded([&] {
    Entry& entry = find(number);
    require(entry.world == &find_world(world), "{} is not in this world", entry.body().name());
    entry.world->world.set_contact(entry.world->number_of(entry), {friction, restitution, compliance});
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_world_set_points(int world, int number, int points) {
  return guarded([&] {
    Entry& entry = find(number);
    require(entry.world == &find_world(world), "{} is not in this world", entry.body().name());
    entry.world->world.set_contact_points(entry.world->number_of(entry), points);
  });
}

/// Of a shape, a pose and a material.
EMSCRIPTEN_KEEPALIVE bool limber_world_add_obstacle(int world) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    const double* const x = entry.room.data();
    (void)entry.world.add_obstacle({.name = {},
                                    .shape = shape_at(x),
                                    .pose = pose_at(x + 4),
                                    .material = material_at(x + 11),
                                    .motion = {}});
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_world_remove_obstacle(int world, int obstacle) {
  return guarded([&] { find_world(world).world.remove_obstacle(obstacle); });
}

/// Of a pose.
EMSCRIPTEN_KEEPALIVE bool limber_world_place_obstacle(int world, int obstacle) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    entry.world.set_obstacle_pose(obstacle, pose_at(entry.room.data()));
  });
}

/// Of a shape, a pose, a material, the density, velocity, angular velocity and gravity. Gives its mass.
EMSCRIPTEN_KEEPALIVE bool limber_world_add_rigid(int world) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    const double* const x = entry.room.data();
    RigidBodySetup setup;
    setup.shape = shape_at(x);
    setup.pose = pose_at(x + 4);
    setup.material = material_at(x + 11);
    setup.density = x[14];
    setup.velocity = vector_at(x + 15);
    setup.angular_velocity = vector_at(x + 18);
    setup.gravity = vector_at(x + 21);
    RigidBody body(std::move(setup));
    const double mass = body.mass_properties().mass;
    (void)entry.world.add_rigid(std::move(body));
    give(mass);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_world_remove_rigid(int world, int rigid) {
  return guarded([&] { (void)find_world(world).world.remove_rigid(rigid); });
}

/// Position, rotation (x, y, z, w), velocity and angular velocity.
EMSCRIPTEN_KEEPALIVE bool limber_rigid_state(int world, int rigid) {
  return guarded([&] {
    const RigidBody& body = find_world(world).world.rigid(rigid);
    const Pose pose = body.pose();
    give_vectors(pose.position, pose.rotation.coeffs(), body.velocity(), body.angular_velocity());
  });
}

/// Of the same.  moves: whether the velocities are new. Others stay at home in the middle of the last step.
EMSCRIPTEN_KEEPALIVE bool limber_rigid_set_state(int world, int rigid, bool moves) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    RigidBody& body = entry.world.rigid(rigid);
    const double* const x = entry.room.data();
    body.set_pose(pose_at(x));
    if (moves) body.set_velocity(vector_at(x + 7), vector_at(x + 10));
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_rigid_set_gravity(int world, int rigid, double x, double y, double z) {
  return guarded([&] { find_world(world).world.rigid(rigid).set_gravity({x, y, z}); });
}

/// Of the hand: position, rotation, velocity, angular velocity, stiffness, damping, and these of turning.
EMSCRIPTEN_KEEPALIVE bool limber_rigid_set_grip(int world, int rigid) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    const double* const x = entry.room.data();
    entry.world.rigid(rigid).set_grip(RigidGrip{.pose = pose_at(x),
                                                .velocity = vector_at(x + 7),
                                                .angular_velocity = vector_at(x + 10),
                                                .stiffness = x[13],
                                                .damping = x[14],
                                                .turning_stiffness = x[15],
                                                .turning_damping = x[16]});
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_rigid_let_go(int world, int rigid) {
  return guarded([&] { find_world(world).world.rigid(rigid).set_grip({}); });
}

/// Force and torque of the grip on the body, in the last step.
EMSCRIPTEN_KEEPALIVE bool limber_rigid_grip_load(int world, int rigid) {
  return guarded([&] {
    const RigidLoad& load = find_world(world).world.rigid(rigid).grip_load();
    give_vectors(load.force, load.torque);
  });
}

/// Of a shape and a material.
EMSCRIPTEN_KEEPALIVE bool limber_world_add_host(int world) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    const double* const x = entry.room.data();
    (void)entry.world.add_host({"a host body", shape_at(x), material_at(x + 4)});
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_world_remove_host(int world, int host) {
  return guarded([&] { find_world(world).world.remove_host(host); });
}

/// Of a pose, the centre of mass, velocity, angular velocity, their rates, inverse mass and inverse
/// inertia by rows, and whether it is asleep.
EMSCRIPTEN_KEEPALIVE bool limber_host_set_state(int world, int host) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    const double* const x = entry.room.data();
    entry.world.host(host).set_state({.pose = pose_at(x),
                                      .center = vector_at(x + 7),
                                      .velocity = vector_at(x + 10),
                                      .angular_velocity = vector_at(x + 13),
                                      .acceleration = vector_at(x + 16),
                                      .angular_acceleration = vector_at(x + 19),
                                      .inverse_mass = x[22],
                                      .inverse_inertia = Eigen::Map<const Matrix3>(x + 23),
                                      .asleep = x[32] != 0.0});
  });
}

/// Impulse and angular impulse of the last step.
EMSCRIPTEN_KEEPALIVE bool limber_host_push(int world, int host) {
  return guarded([&] {
    const HostPush& push = find_world(world).world.host(host).push();
    give_vectors(push.impulse, push.angular_impulse);
  });
}

/// Where a step fails, those before it stay taken.
EMSCRIPTEN_KEEPALIVE bool limber_world_step(int world, double h, int count) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    for (int i = 0; i < count; ++i) {
      const StepReport report = entry.world.step(h);
      require(report.ok(), "a step of {} s failed ({}); take smaller ones, or reset the bodies", h,
              name_of(report.status));
      entry.last_step = h;
    }
  });
}

/// The time and the rigid bodies, as bytes.
EMSCRIPTEN_KEEPALIVE bool limber_world_save(int world) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    StateWriter out;
    entry.world.save(out);
    give_array(entry.saved = out.bytes());
  });
}

/// Of so many bytes.
EMSCRIPTEN_KEEPALIVE bool limber_world_restore(int world, std::size_t bytes) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    const std::string_view state(reinterpret_cast<const char*>(entry.room.data()), bytes);
    StateWriter before;
    entry.world.save(before);
    try {
      StateReader in(state, "the state");
      entry.world.restore(in);
      in.finish();
    } catch (...) {
      StateReader back(before.bytes(), "the state");
      entry.world.restore(back);
      throw;
    }
  });
}

/// Time, number of contacts, of those that push, deepest, length of the last step, whether contacts were
/// solved, pairs that were not tested.
EMSCRIPTEN_KEEPALIVE bool limber_world_state(int world) {
  return guarded([&] {
    const WorldEntry& entry = find_world(world);
    const ContactReport& report = entry.world.contact_report();
    give(entry.world.time(), entry.world.contacts().size(), report.active, report.deepest, entry.last_step,
         report.converged, report.untested);
  });
}

/// Address and number of doubles, of records: which two (each as what it is and its number), position,
/// normal, impulse, velocity, distance.
EMSCRIPTEN_KEEPALIVE bool limber_world_contacts(int world) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    entry.numbers.clear();
    for (const ContactPoint& contact : entry.world.contacts()) {
      for (const Touching& one : {contact.first, contact.second}) {
        entry.numbers.push_back(static_cast<double>(one.of));
        entry.numbers.push_back(static_cast<double>(one.number));
      }
      for (const Vector3& vector : {contact.position, contact.normal, contact.impulse, contact.velocity})
        entry.numbers.insert(entry.numbers.end(), vector.begin(), vector.end());
      entry.numbers.push_back(contact.distance);
    }
    give_array(entry.numbers);
  });
}

/// N s, of all contacts of the last step on one of those that touch. of: as in Touching.
EMSCRIPTEN_KEEPALIVE bool limber_world_impulse(int world, int of, int index) {
  return guarded([&] {
    give_vectors(find_world(world).world.contact_impulse({static_cast<Touching::Of>(of), index}));
  });
}

}  // extern "C"
