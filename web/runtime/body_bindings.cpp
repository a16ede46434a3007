// Bodies: how they come and go, their arrays, and what they are made of. body.ts wraps all of it.

#include "description.hpp"
#include "entries.hpp"
#include "limber/base/error.hpp"
#include "limber/io/model_file.hpp"

#include <array>
#include <cmath>
#include <emscripten.h>

namespace limber::bindings {
namespace {

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
void give_model_array(const ReducedModel& model, Array which) {
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

void give_body_array(Entry& entry, Array which) {
  const BodySurface& surface = entry.body().surface();
  if (which == Array::vertices) return give_array(surface.mesh().vertices);
  if (which == Array::triangles) return give_array(surface.mesh().triangles);
  if (which == Array::triangle_parts) return give_array(surface.mesh().part);
  if (which == Array::vertex_domains) return give_array(entry.body().vertex_domains());
  if (which == Array::triangle_domains) return give_array(entry.triangles);
  if (which == Array::reach) return give_array(entry.numbers = reach(entry.body()));
  const ReducedModel* const single = domain_as_made(entry.body().model());
  if (single == nullptr) return give_nothing();
  give_model_array(*single, which);
}

/// Numbered as in body.ts.
constexpr std::array methods{Method::reduced, Method::linear, Method::warped};

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
  return guarded([&] { give_body_array(find(number), static_cast<Array>(which)); });
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

}  // extern "C"
