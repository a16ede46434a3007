// The runtime as JavaScript sees it: plain functions over the numbers of bodies and trees of domains.
// index.ts wraps them; nobody else calls them.
//
// Nothing is thrown across the boundary. Functions return whether they succeeded; limber_message() then says
// why not, and numbers that they give back are in limber_results(). Addresses in there are valid until the
// next call.

#include "bindings.hpp"

#include "limber/base/error.hpp"
#include "limber/io/model_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <emscripten.h>
#include <memory>

namespace limber::bindings {
namespace {

std::vector<std::unique_ptr<Entry>> entries;  ///< body number i is entries[i - 1]; null where it was released
std::array<char, 1024> message{};

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
  nlohmann::json regions = nlohmann::json::array();
  for (const ReducedRegion& each : model.regions) {
    regions.push_back(describe(each.region, each.volume, each.material));
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
          {"parts", describe_parts(model.surface.mesh, model.surface.colors)},
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

}  // namespace

// Of bodies, as those of trees in bindings.hpp.

static void take_steps(LiveBody& body, double h, int count, int iterations, bool conjugate_gradient) {
  ReducedStepOptions options;
  options.newmark.max_iterations = iterations;
  if (conjugate_gradient) options.solver = ReducedSolver::conjugate_gradient;
  for (int i = 0; i < count; ++i) {
    const SolveReport report = body.step(h, options);
    require(report.ok(), "a step of {} s failed ({}); take smaller ones, or reset the body", h,
            name_of(report.status));
  }
}

static void give_array(const Entry&, const LiveBody& body, Array which) {
  const ReducedModel& model = body.model();
  const ReducedSurface& surface = model.surface;
  if (which == Array::vertices) return give_array(surface.mesh.vertices);
  if (which == Array::triangles) return give_array(surface.mesh.triangles);
  if (which == Array::triangle_parts) return give_array(surface.mesh.part);
  if (which == Array::surface_basis) return give_array(surface.basis);
  if (which == Array::surface_rotations && model.warp) return give_array(model.warp->surface_rotations);
  if (which == Array::surface_rotations) return give_array(nullptr, 0);
  if (which == Array::cubature_elements && model.cubature) return give_array(model.cubature->element);
  if (which >= Array::vertex_domains) return give_array(nullptr, 0);
  if (which == Array::cubature_elements || !model.simulation) return give_array(nullptr, 0);
  const SimulationMesh& simulation = *model.simulation;
  if (which == Array::mesh_vertices) return give_array(simulation.mesh.vertices);
  if (which == Array::mesh_elements) return give_array(simulation.mesh.elements);
  if (which == Array::fixed) return give_array(simulation.fixed);
  give_array(simulation.basis);
}

static void give_state(Entry&, const LiveBody& body) {
  const DynamicState& state = body.state();
  give(state.time, state.u.size(), address_of(state.u.data()), address_of(state.v.data()));
}

static Index state_size(const LiveBody& body) { return body.rank(); }
static void set_state(LiveBody& body, const Vector& q, const Vector& v) { body.set_state(q, v); }

static const SurfaceMesh& surface_of(const LiveBody& body) { return body.model().surface.mesh; }
static const SurfaceMesh& surface_of(const LiveTree& tree) { return tree.surface().mesh(); }

namespace {

std::unique_ptr<Entry> make_entry(std::string_view content) {
  if (looks_like_tree(content)) {
    auto entry = std::make_unique<Entry>(parse_tree(content, "model"));
    const LiveTree& tree = std::get<LiveTree>(entry->live);
    entry->description = describe_tree(tree.tree(), tree.surface()).dump();
    prepare(*entry, tree);
    return entry;
  }
  auto entry = std::make_unique<Entry>(parse_model(content, "model"));
  entry->description = describe(std::get<LiveBody>(entry->live).model()).dump();
  return entry;
}

}  // namespace

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

LiveBody& find_body(int number) {
  LiveBody* body = std::get_if<LiveBody>(&find(number).live);
  require(body != nullptr, "this is of single bodies only, and number {} is a tree of domains", number);
  return *body;
}

LiveTree& find_tree(int number) {
  LiveTree* tree = std::get_if<LiveTree>(&find(number).live);
  require(tree != nullptr, "this is of trees of domains only, and number {} is a single body", number);
  return *tree;
}

nlohmann::json describe_parts(const SurfaceMesh& mesh, const std::vector<Vector3>& colors) {
  nlohmann::json parts = nlohmann::json::array();
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const Vector3& color = colors[i];
    parts.push_back({{"name", mesh.parts[i]}, {"color", {color.x(), color.y(), color.z()}}});
  }
  return parts;
}

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

/// The number of the body or tree in a .glb file, 0 where there is none.
EMSCRIPTEN_KEEPALIVE int limber_load(const char* content, std::size_t size) {
  int number = 0;
  (void)guarded([&] {
    auto entry = make_entry({content, size});
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
  return guarded([&] {
    Entry& entry = find(number);
    std::visit([&](const auto& live) { give_array(entry, live, static_cast<Array>(which)); }, entry.live);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_rank(int number, int rank) {
  return guarded([&] { find_body(number).set_rank(rank); });
}

/// NaN leaves a number as it is.
EMSCRIPTEN_KEEPALIVE bool limber_set_material(int number, int region, double young, double poisson,
                                              double density) {
  return guarded([&] {
    LiveBody& body = find_body(number);
    body.set_material(region, changed(body.material(region), young, poisson, density));
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_material(int number, int region) {
  return guarded([&] {
    const Material& material = find_body(number).material(region);
    const LameParameters lame = lame_of(material.law);
    give(young_modulus(lame), poisson_ratio(lame), material.density);
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_damping(int number, double mass, double stiffness) {
  return guarded(
      [&] { with(number, [&](auto& live) { live.set_damping({.mass = mass, .stiffness = stiffness}); }); });
}

/// Numbers as in Method.
EMSCRIPTEN_KEEPALIVE bool limber_set_method(int number, int method) {
  return guarded([&] { find_body(number).set_method(static_cast<Method>(method)); });
}

EMSCRIPTEN_KEEPALIVE bool limber_method(int number) {
  return guarded([&] { give(static_cast<int>(find_body(number).method())); });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_gravity(int number, double x, double y, double z) {
  return guarded([&] { with(number, [&](auto& live) { live.set_gravity({x, y, z}); }); });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_force(int number, int vertex, double x, double y, double z) {
  return guarded([&] { with(number, [&](auto& live) { live.set_force(vertex, {x, y, z}); }); });
}

EMSCRIPTEN_KEEPALIVE bool limber_clear_forces(int number) {
  return guarded([&] { with(number, [&](auto& live) { live.clear_forces(); }); });
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
    with(number, [&](auto& live) { live.set_pulls(entry.pulls); });
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_pull_force(int number, int pull) {
  return guarded([&] { with(number, [&](auto& live) { give_vector(live.pull_force(pull)); }); });
}

EMSCRIPTEN_KEEPALIVE bool limber_stiffness_at(int number, int vertex) {
  return guarded([&] { with(number, [&](auto& live) { give(live.stiffness_at(vertex)); }); });
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
    find_body(number).set_handles(
        entry.handles, orientation_first ? ConstraintPriority::orientation : ConstraintPriority::position);
  });
}

/// Whether they were met, largest distance and angle from a target.
EMSCRIPTEN_KEEPALIVE bool limber_handle_report(int number) {
  return guarded([&] {
    const ConstraintReport& report = find_body(number).handle_report();
    give(report.met, report.position_error, report.orientation_error);
  });
}

/// Acceleration, angular velocity and angular acceleration.
EMSCRIPTEN_KEEPALIVE bool limber_set_frame_motion(int number, double ax, double ay, double az, double wx,
                                                  double wy, double wz, double bx, double by, double bz) {
  return guarded([&] { find_body(number).set_frame_motion({{ax, ay, az}, {wx, wy, wz}, {bx, by, bz}}); });
}

/// Where a step fails, those before it stay taken.
EMSCRIPTEN_KEEPALIVE bool limber_step(int number, double h, int count, int iterations,
                                      bool conjugate_gradient) {
  return guarded(
      [&] { with(number, [&](auto& live) { take_steps(live, h, count, iterations, conjugate_gradient); }); });
}

EMSCRIPTEN_KEEPALIVE bool limber_reset(int number) {
  return guarded([&] { with(number, [&](auto& live) { live.reset(); }); });
}

/// Time, coordinates in use, addresses of q and v.
EMSCRIPTEN_KEEPALIVE bool limber_state(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    std::visit([&](const auto& live) { give_state(entry, live); }, entry.live);
  });
}

/// Addresses of room for q and v, which limber_set_state takes.
EMSCRIPTEN_KEEPALIVE bool limber_state_room(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    const Index size = std::visit([](const auto& live) { return state_size(live); }, entry.live);
    entry.q.resize(size);
    entry.v.resize(size);
    give(address_of(entry.q.data()), address_of(entry.v.data()));
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_state(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    std::visit([&](auto& live) { set_state(live, entry.q, entry.v); }, entry.live);
  });
}

/// Elastic and kinetic.
EMSCRIPTEN_KEEPALIVE bool limber_energy(int number) {
  return guarded([&] {
    with(number, [](const auto& live) {
      const BodyEnergy energy = live.energy();
      give(energy.elastic, energy.kinetic);
    });
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_position(int number, int vertex) {
  return guarded([&] { with(number, [&](auto& live) { give_vector(live.position(vertex)); }); });
}

/// x, y, z, w.
EMSCRIPTEN_KEEPALIVE bool limber_orientation(int number, int vertex) {
  return guarded([&] {
    const Eigen::Quaterniond rotation = find_body(number).orientation(vertex);
    give(rotation.x(), rotation.y(), rotation.z(), rotation.w());
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_positions(int number) {
  return guarded([&] {
    Entry& entry = find(number);
    std::visit(
        [&](const auto& live) {
          entry.positions.resize(3, surface_of(live).vertex_count());
          live.positions(entry.positions);
        },
        entry.live);
    give_array(entry.positions);
  });
}

/// Vertex (-1: none), distance and whether the ray meets the surface. origin, direction: x, y, z.
EMSCRIPTEN_KEEPALIVE bool limber_pick(int number, double ox, double oy, double oz, double dx, double dy,
                                      double dz) {
  return guarded([&] {
    with(number, [&](const auto& live) {
      const Pick pick = live.pick({ox, oy, oz}, {dx, dy, dz}).value_or(Pick{});
      give(pick.vertex, pick.distance, pick.hit);
    });
  });
}

EMSCRIPTEN_KEEPALIVE bool limber_frequencies(int number) {
  return guarded([&] { give_array(find_body(number).frequencies()); });
}

EMSCRIPTEN_KEEPALIVE bool limber_mode_shape(int number, int mode) {
  return guarded([&] {
    Entry& entry = find(number);
    entry.shape = find_body(number).mode_shape(mode);
    give_array(entry.shape);
  });
}

}  // extern "C"
