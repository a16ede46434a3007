#pragma once

#include "limber/reduced/reduced_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace limber::test {

template <class Values>
bool same_bits(const Values& a, const Values& b) {
  if (a.size() != b.size()) return false;
  if constexpr (requires { a.rows(); }) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  }
  return a.size() == 0 ||
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(*a.data())) == 0;
}

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

/// What differs between two reduced models, "" for nothing; to the bit.
inline std::string difference(const ReducedModel& a, const ReducedModel& b) {
  std::string found;
  const auto note = [&](bool same, std::string_view what) {
    if (!same) found += fmt::format("{} ", what);
  };
  note(a.name == b.name, "name");
  note(a.description == b.description, "description");
  note(a.rank == b.rank, "rank");
  note(a.regions.size() == b.regions.size(), "regions");
  for (std::size_t i = 0; i < std::min(a.regions.size(), b.regions.size()); ++i) {
    const ReducedRegion& x = a.regions[i];
    const ReducedRegion& y = b.regions[i];
    note(x.region == y.region, "region");
    note(name_of(x.material.law) == name_of(y.material.law), "law");
    note(same_bits(lame_of(x.material.law).lambda, lame_of(y.material.law).lambda), "lambda");
    note(same_bits(lame_of(x.material.law).mu, lame_of(y.material.law).mu), "mu");
    note(constants_of(x.material.law) == constants_of(y.material.law), "constants");
    note(same_bits(x.material.density, y.material.density), "density");
    note(same_bits(x.volume, y.volume), "volume");
    note(same_bits(x.lambda_energy, y.lambda_energy), "lambda_energy");
    note(same_bits(x.mu_energy, y.mu_energy), "mu_energy");
    note(same_bits(x.mass, y.mass), "mass");
    note(same_bits(x.weight, y.weight), "weight");
    note(same_bits(x.moments.first, y.moments.first), "first moment");
    note(same_bits(x.moments.second, y.moments.second), "second moment");
    note(same_bits(x.moments.second_rows, y.moments.second_rows), "second rows");
    note(same_bits(x.moments.second_pairs, y.moments.second_pairs), "second pairs");
  }
  note(a.cubature.has_value() == b.cubature.has_value(), "cubature");
  if (a.cubature && b.cubature) {
    const CubatureRule& x = *a.cubature;
    const CubatureRule& y = *b.cubature;
    note(x.element == y.element, "cubature element");
    note(x.point == y.point, "cubature point");
    note(x.region == y.region, "cubature region");
    note(same_bits(x.gradients, y.gradients), "cubature gradients");
    note(same_bits(x.weights, y.weights), "cubature weights");
    note(same_bits(x.energy_weights, y.energy_weights), "cubature energy weights");
    note(x.training == y.training, "cubature training");
  }
  note(same_bits(a.surface.mesh.vertices, b.surface.mesh.vertices), "surface vertices");
  note(a.surface.mesh.triangles == b.surface.mesh.triangles, "triangles");
  note(a.surface.mesh.part == b.surface.mesh.part, "part");
  note(a.surface.mesh.parts == b.surface.mesh.parts, "parts");
  note(a.surface.colors.size() == b.surface.colors.size(), "colors");
  for (std::size_t i = 0; i < std::min(a.surface.colors.size(), b.surface.colors.size()); ++i) {
    note(same_bits(a.surface.colors[i], b.surface.colors[i]), "color");
  }
  note(same_bits(a.surface.basis, b.surface.basis), "surface basis");
  note(a.warp.has_value() == b.warp.has_value(), "warp");
  if (a.warp && b.warp) {
    const Lumps& x = a.warp->lumps;
    const Lumps& y = b.warp->lumps;
    note(same_bits(a.warp->surface_rotations, b.warp->surface_rotations), "surface rotations");
    note(x.region == y.region, "lump region");
    note(same_bits(x.volume, y.volume), "lump volume");
    note(same_bits(x.center, y.center), "lump center");
    note(same_bits(x.moment, y.moment), "lump moment");
    note(same_bits(x.rotations, y.rotations), "lump rotations");
  }
  note(a.simulation.has_value() == b.simulation.has_value(), "simulation");
  if (!a.simulation || !b.simulation) return found;
  const SimulationMesh& x = *a.simulation;
  const SimulationMesh& y = *b.simulation;
  note(x.mesh.kind == y.mesh.kind, "kind");
  note(same_bits(x.mesh.vertices, y.mesh.vertices), "vertices");
  note(x.mesh.elements == y.mesh.elements, "elements");
  note(x.mesh.region == y.mesh.region, "element regions");
  note(x.mesh.regions == y.mesh.regions, "mesh regions");
  note(x.fixed == y.fixed, "fixed");
  note(same_bits(x.basis, y.basis), "basis");
  note(x.embedding.element == y.embedding.element, "embedding element");
  note(same_bits(x.embedding.weights, y.embedding.weights), "embedding weights");
  note(x.embedding.vertices == y.embedding.vertices, "embedding vertices");
  note(x.embedding.mesh_vertices == y.embedding.mesh_vertices, "embedding mesh_vertices");
  note(x.embedding.outside == y.embedding.outside, "embedding outside");
  note(same_bits(x.embedding.farthest, y.embedding.farthest), "embedding farthest");
  return found;
}

}  // namespace limber::test
