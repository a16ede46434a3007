// The runtime as JavaScript sees it: plain functions over the numbers of bodies. body.ts wraps them; nobody
// else calls them.
//
// Nothing is thrown across the boundary. Functions return whether they succeeded; limber_message() then says
// why not, and numbers that they give back are in limber_results(). Lists come in as doubles, in the room of
// a body. Addresses are valid until the next call.

#include "description.hpp"
#include "limber/base/error.hpp"
#include "limber/body/world.hpp"
#include "limber/io/model_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <emscripten.h>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

namespace limber::bindings {
namespace {

struct Entry;

/// A world, and the memory that it exchanges arrays through.
struct WorldEntry {
  WorldEntry() = default;
  WorldEntry(const WorldEntry&) = delete;
  WorldEntry& operator=(const WorldEntry&) = delete;
  ~WorldEntry();

  [[nodiscard]] Index number_of(const Entry& entry) const {
    return std::find(members.begin(), members.end(), &entry) - members.begin();
  }
  [[nodiscard]] Body& body_of(const Entry& entry) { return world.body(number_of(entry)); }
  void add(Entry& entry, const ContactMaterial& material);
  void remove(Entry& entry);

  World world;
  std::vector<Entry*> members;  ///< body i of the world is that of members[i]
  double last_step = 0.0;       ///< s; 0: there was none
  std::vector<double> room, numbers;
};

/// A body, and the memory that it exchanges arrays through.
struct Entry {
  explicit Entry(Model model)
      : own(std::move(model)), text(describe(own)), triangles(triangle_domains(own.model())) {}
  /// Of a copy of its body, which is in no world.
  Entry(const Entry& other) : own(other.body()), text(other.text), triangles(other.triangles) {
    own.set_coupled(false);
  }

  [[nodiscard]] Body& body() { return world != nullptr ? world->body_of(*this) : own; }
  [[nodiscard]] const Body& body() const { return world != nullptr ? world->body_of(*this) : own; }

  Body own;                     ///< while it is in no world
  WorldEntry* world = nullptr;  ///< that has it
  std::string text;             ///< what it is, in JSON
  std::string saved;            ///< its state as it was last saved
  std::vector<int> triangles;   ///< the domain of each
  std::vector<double> room;     ///< for what JavaScript writes
  Vector numbers;               ///< for what it reads
  Eigen::Matrix3Xf positions;
};

void WorldEntry::add(Entry& entry, const ContactMaterial& material) {
  require(entry.world == nullptr, "{} is in a world already; take it out first", entry.body().name());
  check_material(material, entry.own.name());
  entry.own.set_coupled(true);  // throws where it cannot touch, before anything has moved
  members.push_back(&entry);
  const Index number = world.add(std::move(entry.own));
  entry.world = this;
  try {
    world.set_contact(number, material);
  } catch (...) {
    remove(entry);
    throw;
  }
}

void WorldEntry::remove(Entry& entry) {
  const Index number = number_of(entry);
  entry.own = world.remove(number);
  members.erase(members.begin() + number);
  entry.world = nullptr;
}

WorldEntry::~WorldEntry() {
  while (!members.empty()) remove(*members.back());
}

std::vector<std::unique_ptr<WorldEntry>> worlds;  ///< numbered as bodies are
std::vector<std::unique_ptr<Entry>> entries;  ///< body number i is entries[i - 1]; null where it was released
std::array<char, 1024> message{};
std::array<double, 16> results{};

Entry& find(int number) {
  const auto index = static_cast<std::size_t>(number) - 1;
  require(index < entries.size() && entries[index] != nullptr, "there is no body {}; it was disposed of",
          number);
  return *entries[index];
}

WorldEntry& find_world(int number) {
  const auto index = static_cast<std::size_t>(number) - 1;
  require(index < worlds.size() && worlds[index] != nullptr, "there is no world {}; it was disposed of",
          number);
  return *worlds[index];
}

/// The number that a body or a world has from now on.
template <class Item>
int keep(std::unique_ptr<Item> item, std::vector<std::unique_ptr<Item>>& items) {
  auto slot = std::find(items.begin(), items.end(), nullptr);
  if (slot == items.end()) slot = items.insert(slot, nullptr);
  *slot = std::move(item);
  return static_cast<int>(slot - items.begin()) + 1;
}

/// Longer texts are cut. Allocates nothing: it may be about memory.
void set_message(const char* text) {
  const std::size_t size = std::min(std::strlen(text), message.size() - 1);
  std::memcpy(message.data(), text, size);
  message[size] = '\0';
}

/// Runs what may throw. Whether it did not.
template <class Action>
bool guarded(const Action& action) {
  constexpr const char* no_memory = "not enough memory; WebAssembly has 4 GB at most";
  try {
    action();
    return true;
  } catch (const std::bad_alloc&) {
    set_message(no_memory);
  } catch (const std::length_error&) {  // of a standard container that would need more than half of it
    set_message(no_memory);
  } catch (const std::exception& error) {
    set_message(error.what());
  }
  return false;
}

/// The same with the body of a number.
template <class Action>
bool with(int number, const Action& action) {
  return guarded([&] { action(find(number).body()); });
}

// What goes to JavaScript.

template <class... Numbers>
void give(Numbers... numbers) {
  results = {static_cast<double>(numbers)...};
}
template <class... Vectors>
void give_vectors(const Vectors&... vectors) {
  std::size_t i = 0;
  const auto append = [&](const auto& vector) {
    for (const double x : vector) results[i++] = x;
  };
  (append(vectors), ...);
}
double address_of(const void* data) { return static_cast<double>(reinterpret_cast<std::uintptr_t>(data)); }
template <class Container>
void give_array(const Container& values) {
  give(address_of(values.data()), values.size());
}
void give_nothing() { give(0, 0); }

/// Arrays of a body; numbers as in model_arrays.ts.
enum class Array {
  vertices,
  triangles,
  triangle_parts,
  vertex_domains,
  triangle_domains,
  surface_basis,
  surface_rotations,
  mesh_vertices,
  mesh_elements,
  fixed,
  cubature_elements,
  mesh_basis,
  reach
};

/// Of a body of one domain.
void give_array(const ReducedModel& model, Array which) {
  if (which == Array::surface_basis) return give_array(model.surface.basis);
  if (which == Array::surface_rotations)
    return model.warp ? give_array(model.warp->surface_rotations) : give_nothing();
  if (which == Array::cubature_elements)
    return model.cubature ? give_array(model.cubature->element) : give_nothing();
  if (!model.simulation) return give_nothing();
  if (which == Array::mesh_vertices) return give_array(model.simulation->mesh.vertices);
  if (which == Array::mesh_elements) return give_array(model.simulation->mesh.elements);
  if (which == Array::fixed) return give_array(model.simulation->fixed);
  give_array(model.simulation->basis);
}

void give_array(Entry& entry, Array which) {
  const BodySurface& surface = entry.body().surface();
  if (which == Array::vertices) return give_array(surface.mesh().vertices);
  if (which == Array::triangles) return give_array(surface.mesh().triangles);
  if (which == Array::triangle_parts) return give_array(surface.mesh().part);
  if (which == Array::vertex_domains) return give_array(entry.body().vertex_domains());
  if (which == Array::triangle_domains) return give_array(entry.triangles);
  if (which == Array::reach) return give_array(entry.numbers = reach(entry.body()));
  const ReducedModel* const single = domain_as_made(entry.body().model());
  if (single == nullptr) return give_nothing();
  give_array(*single, which);
}

// What comes from JavaScript, in a room.

Vector3 vector_at(const double* numbers) { return {numbers[0], numbers[1], numbers[2]}; }
Eigen::Quaterniond quaternion_at(const double* numbers) {
  return Eigen::Quaterniond(numbers);
}  ///< x, y, z, w

/// Numbered as in body.ts.
constexpr std::array methods{Method::reduced, Method::linear, Method::warped};

/// body.ts has made sure that it is an integer from 0 on.
int vertex_of(double number) { return static_cast<int>(number); }

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

/// One item for each record of so many numbers.
template <class Read>
auto records(const Entry& entry, std::size_t size, const Read& read) {
  std::vector<decltype(read(entry.room.data()))> result;
  for (std::size_t i = 0; i + size <= entry.room.size(); i += size) result.push_back(read(&entry.room[i]));
  return result;
}

/// The same law with other numbers; NaN leaves one as it is.
Material changed(const Material& material, double young, double poisson, double density) {
  Material result = material;
  if (!std::isnan(young) || !std::isnan(poisson)) {
    const LameParameters lame = lame_of(material.law);
    result.law = make_law(name_of(material.law),
                          lame_from_young(std::isnan(young) ? young_modulus(lame) : young,
                                          std::isnan(poisson) ? poisson_ratio(lame) : poisson),
                          constants_of(material.law));
  }
  if (!std::isnan(density)) result.density = density;
  return result;
}

}  // namespace
}  // namespace limber::bindings

using namespace limber;
using namespace limber::bindings;

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* limber_message() { return message.data(); }
EMSCRIPTEN_KEEPALIVE const double* limber_results() { return results.data(); }

EMSCRIPTEN_KEEPALIVE void* limber_allocate(std::size_t bytes) {
  return std::malloc(bytes);
}  ///< null: no room
EMSCRIPTEN_KEEPALIVE void limber_free(void* data) { std::free(data); }

/// The number of the body in a .glb file, 0 where there is none.
EMSCRIPTEN_KEEPALIVE int limber_load(const char* content, std::size_t size) {
  int number = 0;
  (void)guarded([&] {
    number = keep(std::make_unique<Entry>(parse_model({content, size}, "model")), entries);
  });
  return number;
}

/// The number of a copy of a body, which shares its model; 0 where there is none.
EMSCRIPTEN_KEEPALIVE int limber_copy(int number) {
  int copy = 0;
  (void)guarded([&] { copy = keep(std::make_unique<Entry>(find(number)), entries); });
  return copy;
}

EMSCRIPTEN_KEEPALIVE void limber_release(int number) {
  (void)guarded([&] {
    Entry& entry = find(number);
    if (entry.world != nullptr) entry.world->remove(entry);
    entries[static_cast<std::size_t>(number) - 1] = nullptr;
  });
}

/// Address and bytes of a text in JSON.
EMSCRIPTEN_KEEPALIVE bool limber_describe(int number) {
  return guarded([&] { give_array(find(number).text); });
}

/// Address and number of entries.
EMSCRIPTEN_KEEPALIVE bool limber_array(int number, int which) {
  return guarded([&] { give_array(find(number), static_cast<Array>(which)); });
}

/// Address of room for that many doubles, for the next call.
EMSCRIPTEN_KEEPALIVE bool limber_room(int number, std::size_t count) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.room.resize(count);
    give_array(entry.room);
  });
}

// What it is made of.

EMSCRIPTEN_KEEPALIVE bool limber_set_rank(int number, int part, int rank) {
  return with(number, [&](Body& body) { body.set_rank(rank, part); });
}

EMSCRIPTEN_KEEPALIVE bool limber_rank(int number, int part) {
  return with(number, [&](const Body& body) { give(body.rank(part)); });
}

/// NaN leaves a number as it is.
EMSCRIPTEN_KEEPALIVE bool limber_set_material(int number, int part, int region, double young, double poisson,
                                              double density) {
  return with(number, [&](Body& body) {
    body.set_material(region, changed(body.material(region, part), young, poisson, density), part);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_material(int number, int part, int region) {
  return with(number, [&](const Body& body) {
    const Material& material = body.material(region, part);
    const LameParameters lame = lame_of(material.law);
    give(young_modulus(lame), poisson_ratio(lame), material.density);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_damping(int number, double mass, double stiffness) {
  return with(number, [&](Body& body) { body.set_damping({.mass = mass, .stiffness = stiffness}); });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_stiffness(int number, int domain, double factor) {
  return with(number, [&](Body& body) { body.set_stiffness(domain, factor); });
}

EMSCRIPTEN_KEEPALIVE bool limber_stiffness(int number, int domain) {
  return with(number, [&](const Body& body) { give(body.stiffness(domain)); });
}

/// Numbers as in SubtreeInertia.
EMSCRIPTEN_KEEPALIVE bool limber_set_inertia(int number, int inertia) {
  return with(number, [&](Body& body) { body.set_inertia(static_cast<SubtreeInertia>(inertia)); });
}

EMSCRIPTEN_KEEPALIVE bool limber_inertia(int number) {
  return with(number, [&](const Body& body) { give(static_cast<int>(body.inertia())); });
}

/// Numbered as in `methods`.
EMSCRIPTEN_KEEPALIVE bool limber_set_method(int number, int method) {
  return with(number, [&](Body& body) { body.set_method(methods.at(static_cast<std::size_t>(method))); });
}

EMSCRIPTEN_KEEPALIVE bool limber_method(int number) {
  return with(number, [&](const Body& body) {
    give(static_cast<int>(std::find(methods.begin(), methods.end(), body.method()) - methods.begin()));
  });
}

// What acts on it.

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

// Motion.

/// Where a step fails, those before it stay taken.
EMSCRIPTEN_KEEPALIVE bool limber_step(int number, double h, int count, int iterations,
                                      bool conjugate_gradient) {
  return with(number, [&](Body& body) {
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

// Worlds: bodies that touch, and what they meet. Bodies keep their numbers; rigid bodies, obstacles and
// bodies of another engine are numbered as in World.

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

/// Of the same.
EMSCRIPTEN_KEEPALIVE bool limber_rigid_set_state(int world, int rigid) {
  return guarded([&] {
    WorldEntry& entry = find_world(world);
    RigidBody& body = entry.world.rigid(rigid);
    const double* const x = entry.room.data();
    body.set_pose(pose_at(x));
    body.set_velocity(vector_at(x + 7), vector_at(x + 10));
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_rigid_set_gravity(int world, int rigid, double x, double y, double z) {
  return guarded([&] { find_world(world).world.rigid(rigid).set_gravity({x, y, z}); });
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

/// Time, number of contacts, of those that push, deepest, length of the last step.
EMSCRIPTEN_KEEPALIVE bool limber_world_state(int world) {
  return guarded([&] {
    const WorldEntry& entry = find_world(world);
    const ContactReport& report = entry.world.contact_report();
    give(entry.world.time(), entry.world.contacts().size(), report.active, report.deepest, entry.last_step);
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
