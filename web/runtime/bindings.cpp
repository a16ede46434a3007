// The runtime as JavaScript sees it: plain functions over the numbers of bodies. index.ts wraps them; nobody else calls them.
//
// Nothing is thrown across the boundary. Functions return whether they succeeded; limber_message() then says why not, and numbers
// that they give back are in limber_results(). Addresses in there are valid until the next call.

#include "limber/base/error.hpp"
#include "limber/io/model_file.hpp"
#include "limber/live/live_body.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <emscripten.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace limber {
namespace {

/// As records.ts writes it.
struct PullRecord {
  double target[3];
  double stiffness;
  std::int32_t vertex;
  std::int32_t unused;
};
static_assert(sizeof(PullRecord) == 40);

/// As records.ts writes it.
struct HandleRecord {
  double position[3];
  double rotation[4];  ///< x, y, z, w
  std::int32_t vertex;
  std::int32_t holds;  ///< 1: the position, 2: the orientation, 3: both
};
static_assert(sizeof(HandleRecord) == 64);

/// A body and the memory that it exchanges arrays through: it only grows.
struct Entry {
  explicit Entry(ReducedModel model) : body(std::move(model)) {}

  LiveBody body;
  std::string description;
  std::vector<PullRecord> pull_records;
  std::vector<Pull> pulls;
  std::vector<HandleRecord> handle_records;
  std::vector<Handle> handles;
  Vector q, v, shape;
  Eigen::Matrix3Xf positions;
};

std::vector<std::unique_ptr<Entry>> entries;  ///< body number i is entries[i - 1]; null where it was released
std::array<double, 8> results{};
std::array<char, 1024> message{};

constexpr const char* no_memory = "not enough memory; WebAssembly has 4 GB at most";

/// Longer texts are cut. Allocates nothing: it may be about memory.
void set_message(const char* text) {
  const std::size_t size = std::min(std::strlen(text), message.size() - 1);
  std::memcpy(message.data(), text, size);
  message[size] = '\0';
}

Entry& find(int number) {
  const auto index = static_cast<std::size_t>(number) - 1;
  require(index < entries.size() && entries[index] != nullptr, "there is no body {}; it was disposed of",
          number);
  return *entries[index];
}

/// Runs what may throw. Whether it did not.
template <class Action>
bool guarded(const Action& action) {
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

template <class... Numbers>
void give(Numbers... numbers) {
  results = {static_cast<double>(numbers)...};
}

double address_of(const void* data) { return static_cast<double>(reinterpret_cast<std::uintptr_t>(data)); }

void give_vector(const Vector3& x) { give(x.x(), x.y(), x.z()); }

void give_array(const void* data, std::size_t size) { give(address_of(data), size); }
template <class Derived>
void give_array(const Eigen::PlainObjectBase<Derived>& values) {
  give(address_of(values.data()), values.size());
}
void give_array(const std::vector<int>& values) { give_array(values.data(), values.size()); }

nlohmann::json describe(const Region& region, double volume, const Material& material) {
  const LameParameters lame = lame_of(material.law);
  return {{"name", region.name},
          {"tag", region.tag},
          {"volume", volume},
          {"material",
           {{"law", name_of(material.law)},
            {"young", young_modulus(lame)},
            {"poisson", poisson_ratio(lame)},
            {"density", material.density}}}};
}

/// BodyInfo of types.ts, the parts of the surface and the kind of element.
nlohmann::json describe(const ReducedModel& model) {
  nlohmann::json regions = nlohmann::json::array(), parts = nlohmann::json::array();
  for (const ReducedRegion& each : model.regions) {
    regions.push_back(describe(each.region, each.volume, each.material));
  }
  for (std::size_t i = 0; i < model.surface.colors.size(); ++i) {
    const Vector3& color = model.surface.colors[i];
    parts.push_back({{"name", model.surface.mesh.parts[i]}, {"color", {color.x(), color.y(), color.z()}}});
  }
  const bool mesh = model.simulation.has_value();
  return {{"info",
           {{"name", model.name},
            {"description", model.description},
            {"rank", model.rank},
            {"regions", regions},
            {"vertexCount", model.surface.mesh.vertex_count()},
            {"triangleCount", model.surface.mesh.triangle_count()},
            {"exact", !model.cubature.has_value()},
            {"cubaturePoints", model.cubature ? model.cubature->point_count() : 0},
            {"elementCount", mesh ? model.simulation->mesh.element_count() : 0},
            {"fixedCount", mesh ? model.simulation->fixed.size() : 0},
            {"warpable", model.warp.has_value()}}},
          {"parts", parts},
          {"element", mesh ? nlohmann::json(name_of(model.simulation->mesh.kind)) : nlohmann::json()}};
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

void take_steps(LiveBody& body, double h, int count, const ReducedStepOptions& options) {
  for (int i = 0; i < count; ++i) {
    const SolveReport report = body.step(h, options);
    require(report.ok(), "a step of {} s failed ({}); take smaller ones, or reset the body", h,
            name_of(report.status));
  }
}

/// Numbers as in model_arrays.ts.
enum class Array {
  vertices,
  triangles,
  triangle_parts,
  surface_basis,
  mesh_vertices,
  mesh_elements,
  fixed,
  cubature_elements,
  mesh_basis,
  surface_rotations
};

void give_array(const ReducedModel& model, Array which) {
  const ReducedSurface& surface = model.surface;
  if (which == Array::vertices) return give_array(surface.mesh.vertices);
  if (which == Array::triangles) return give_array(surface.mesh.triangles);
  if (which == Array::triangle_parts) return give_array(surface.mesh.part);
  if (which == Array::surface_basis) return give_array(surface.basis);
  if (which == Array::surface_rotations && model.warp) return give_array(model.warp->surface_rotations);
  if (which == Array::surface_rotations) return give_array(nullptr, 0);
  if (which == Array::cubature_elements && model.cubature) return give_array(model.cubature->element);
  if (which == Array::cubature_elements || !model.simulation) return give_array(nullptr, 0);
  const SimulationMesh& simulation = *model.simulation;
  if (which == Array::mesh_vertices) return give_array(simulation.mesh.vertices);
  if (which == Array::mesh_elements) return give_array(simulation.mesh.elements);
  if (which == Array::fixed) return give_array(simulation.fixed);
  give_array(simulation.basis);
}

}  // namespace
}  // namespace limber

using namespace limber;

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
    auto entry = std::make_unique<Entry>(parse_model({content, size}, "model"));
    entry->description = describe(entry->body.model()).dump();
    auto slot = std::find(entries.begin(), entries.end(), nullptr);
    if (slot == entries.end()) slot = entries.insert(slot, nullptr);
    *slot = std::move(entry);
    number = static_cast<int>(slot - entries.begin()) + 1;
  });
  return number;
}

EMSCRIPTEN_KEEPALIVE void limber_release(int number) {
  (void)guarded([&] {
    (void)find(number);
    entries[static_cast<std::size_t>(number) - 1] = nullptr;
  });
}

/// Address and bytes of a text in JSON.
EMSCRIPTEN_KEEPALIVE bool limber_describe(int number) {
  return guarded([&] {
    const std::string& text = find(number).description;
    give_array(text.data(), text.size());
  });
}

/// Address and number of entries.
EMSCRIPTEN_KEEPALIVE bool limber_array(int number, int which) {
  return guarded([&] { give_array(find(number).body.model(), static_cast<Array>(which)); });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_rank(int number, int rank) {
  return guarded([&] { find(number).body.set_rank(rank); });
}

/// NaN leaves a number as it is.
EMSCRIPTEN_KEEPALIVE bool limber_set_material(int number, int region, double young, double poisson,
                                              double density) {
  return guarded([&] {
    LiveBody& body = find(number).body;
    body.set_material(region, changed(body.material(region), young, poisson, density));
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_material(int number, int region) {
  return guarded([&] {
    const Material& material = find(number).body.material(region);
    const LameParameters lame = lame_of(material.law);
    give(young_modulus(lame), poisson_ratio(lame), material.density);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_damping(int number, double mass, double stiffness) {
  return guarded([&] { find(number).body.set_damping({.mass = mass, .stiffness = stiffness}); });
}

/// Numbers as in Method.
EMSCRIPTEN_KEEPALIVE bool limber_set_method(int number, int method) {
  return guarded([&] { find(number).body.set_method(static_cast<Method>(method)); });
}

EMSCRIPTEN_KEEPALIVE bool limber_method(int number) {
  return guarded([&] { give(static_cast<int>(find(number).body.method())); });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_gravity(int number, double x, double y, double z) {
  return guarded([&] { find(number).body.set_gravity({x, y, z}); });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_force(int number, int vertex, double x, double y, double z) {
  return guarded([&] { find(number).body.set_force(vertex, {x, y, z}); });
}

EMSCRIPTEN_KEEPALIVE bool limber_clear_forces(int number) {
  return guarded([&] { find(number).body.clear_forces(); });
}

/// Address of room for that many records, which limber_set_pulls takes.
EMSCRIPTEN_KEEPALIVE bool limber_pull_records(int number, int count) {
  return guarded([&] {
    std::vector<PullRecord>& records = find(number).pull_records;
    records.resize(static_cast<std::size_t>(count));
    give_array(records.data(), records.size());
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_pulls(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.pulls.clear();
    for (const PullRecord& each : entry.pull_records) {
      entry.pulls.push_back({each.vertex, Vector3(each.target), each.stiffness});
    }
    entry.body.set_pulls(entry.pulls);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_pull_force(int number, int pull) {
  return guarded([&] { give_vector(find(number).body.pull_force(pull)); });
}

EMSCRIPTEN_KEEPALIVE bool limber_stiffness_at(int number, int vertex) {
  return guarded([&] { give(find(number).body.stiffness_at(vertex)); });
}

/// Address of room for that many records, which limber_set_handles takes.
EMSCRIPTEN_KEEPALIVE bool limber_handle_records(int number, int count) {
  return guarded([&] {
    std::vector<HandleRecord>& records = find(number).handle_records;
    records.resize(static_cast<std::size_t>(count));
    give_array(records.data(), records.size());
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_handles(int number, bool orientation_first) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.handles.clear();
    for (const HandleRecord& each : entry.handle_records) {
      entry.handles.push_back({each.vertex, (each.holds & 1) != 0, (each.holds & 2) != 0,
                               Vector3(each.position), Eigen::Quaterniond(each.rotation)});
    }
    entry.body.set_handles(
        entry.handles, orientation_first ? ConstraintPriority::orientation : ConstraintPriority::position);
  });
}

/// Whether they were met, largest distance and angle from a target.
EMSCRIPTEN_KEEPALIVE bool limber_handle_report(int number) {
  return guarded([&] {
    const ConstraintReport& report = find(number).body.handle_report();
    give(report.met, report.position_error, report.orientation_error);
  });
}

/// Acceleration, angular velocity and angular acceleration.
EMSCRIPTEN_KEEPALIVE bool limber_set_frame_motion(int number, double ax, double ay, double az, double wx,
                                                  double wy, double wz, double bx, double by, double bz) {
  return guarded([&] { find(number).body.set_frame_motion({{ax, ay, az}, {wx, wy, wz}, {bx, by, bz}}); });
}

/// Where a step fails, those before it stay taken.
EMSCRIPTEN_KEEPALIVE bool limber_step(int number, double h, int count, int iterations,
                                      bool conjugate_gradient) {
  return guarded([&] {
    ReducedStepOptions options;
    options.newmark.max_iterations = iterations;
    if (conjugate_gradient) options.solver = ReducedSolver::conjugate_gradient;
    take_steps(find(number).body, h, count, options);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_reset(int number) {
  return guarded([&] { find(number).body.reset(); });
}

/// Time, coordinates in use, addresses of q and v.
EMSCRIPTEN_KEEPALIVE bool limber_state(int number) {
  return guarded([&] {
    const DynamicState& state = find(number).body.state();
    give(state.time, state.u.size(), address_of(state.u.data()), address_of(state.v.data()));
  });
}

/// Addresses of room for q and v, which limber_set_state takes.
EMSCRIPTEN_KEEPALIVE bool limber_state_room(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.q.resize(entry.body.rank());
    entry.v.resize(entry.body.rank());
    give(address_of(entry.q.data()), address_of(entry.v.data()));
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_state(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.body.set_state(entry.q, entry.v);
  });
}

/// Elastic and kinetic.
EMSCRIPTEN_KEEPALIVE bool limber_energy(int number) {
  return guarded([&] {
    const BodyEnergy energy = find(number).body.energy();
    give(energy.elastic, energy.kinetic);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_position(int number, int vertex) {
  return guarded([&] { give_vector(find(number).body.position(vertex)); });
}

/// x, y, z, w.
EMSCRIPTEN_KEEPALIVE bool limber_orientation(int number, int vertex) {
  return guarded([&] {
    const Eigen::Quaterniond rotation = find(number).body.orientation(vertex);
    give(rotation.x(), rotation.y(), rotation.z(), rotation.w());
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_positions(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.positions.resize(3, entry.body.model().surface.mesh.vertex_count());
    entry.body.positions(entry.positions);
    give_array(entry.positions);
  });
}

/// Vertex (-1: none), distance and whether the ray meets the surface. origin, direction: x, y, z.
EMSCRIPTEN_KEEPALIVE bool limber_pick(int number, double ox, double oy, double oz, double dx, double dy,
                                      double dz) {
  return guarded([&] {
    const Pick pick = find(number).body.pick({ox, oy, oz}, {dx, dy, dz}).value_or(Pick{});
    give(pick.vertex, pick.distance, pick.hit);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_frequencies(int number) {
  return guarded([&] { give_array(find(number).body.frequencies()); });
}

EMSCRIPTEN_KEEPALIVE bool limber_mode_shape(int number, int mode) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.shape = entry.body.mode_shape(mode);
    give_array(entry.shape);
  });
}

}  // extern "C"
