#include "limber/base/bits.hpp"
#include "limber/base/error.hpp"
#include "limber/io/model_mesh.hpp"
#include "limber/io/model_object.hpp"

#include <algorithm>
#include <cstdint>

namespace limber {
namespace {

using nlohmann::json;

/// The surface at rest with a target per coordinate.
MorphShape make_shape(const ReducedModel& model) {
  const ReducedSurface& surface = model.surface;
  MorphShape shape;
  shape.positions = surface.mesh.vertices.cast<float>();
  shape.targets = surface.basis;
  shape.normals = linear_normals(surface.mesh.vertices, surface.mesh.triangles, surface.basis);
  shape.weights.assign(static_cast<std::size_t>(model.rank), 0.0);
  for (Index i = 1; i <= model.rank; ++i) shape.names.push_back(fmt::format("q{}", i));
  return shape;
}

json make_pieces(const ReducedSurface& surface) {
  const std::vector<int> primitives = primitive_numbers(surface.mesh);
  json pieces = json::array();
  for (std::size_t p = 0; p < primitives.size(); ++p) {
    const Vector3& color = surface.colors[p];
    json piece = {{"name", surface.mesh.parts[p]}, {"color", {color.x(), color.y(), color.z()}}};
    if (primitives[p] >= 0) piece["primitive"] = primitives[p];
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

json make_moments_object(GlbBuilder& builder, const RegionMoments& moments) {
  json result = {{"first", list_of(moments.first)}, {"second", list_of(moments.second)}};
  add_array(builder, result, "second_rows", moments.second_rows);
  add_array(builder, result, "second_pairs", moments.second_pairs);
  return result;
}

json make_region(GlbBuilder& builder, const ReducedRegion& region, bool exact) {
  const MaterialLaw& law = region.material.law;
  json result = {{"name", region.region.name}, {"tag", region.region.tag},
                 {"law", name_of(law)},        {"lambda", lame_of(law).lambda},
                 {"mu", lame_of(law).mu},      {"density", region.material.density},
                 {"volume", region.volume}};
  add_array(builder, result, "mass", region.mass);
  add_array(builder, result, "weight", region.weight);
  result["moments"] = make_moments_object(builder, region.moments);
  if (std::holds_alternative<MooneyRivlin>(law)) result["mooney_share"] = constants_of(law).mooney_share;
  if (std::holds_alternative<ArrudaBoyce>(law)) result["locking_stretch"] = constants_of(law).locking_stretch;
  if (exact) {
    add_array(builder, result, "lambda_energy", region.lambda_energy);
    add_array(builder, result, "mu_energy", region.mu_energy);
  }
  return result;
}

/// To the bit: 0 and -0 differ.
bool same_numbers(const Matrix& a, const Vector& b) {
  return a.cols() == 1 && a.rows() == b.rows() &&
         std::equal(b.begin(), b.end(), a.data(), [](double x, double y) {
           return bits_as<std::uint64_t>(x) == bits_as<std::uint64_t>(y);
         });
}

json make_cubature(GlbBuilder& builder, const CubatureRule& rule) {
  const CubatureTraining& training = rule.training;
  json result = {{"training",
                  {{"error_asked_for", training.error_asked_for},
                   {"training_error", training.training_error},
                   {"held_out_error", training.held_out_error},
                   {"amplitude", training.amplitude},
                   {"poses", training.poses}}}};
  add_array(builder, result, "element", rule.element);
  add_array(builder, result, "point", rule.point);
  add_array(builder, result, "region", rule.region);
  add_array(builder, result, "gradients", rule.gradients);
  add_array(builder, result, "weights", rule.weights);
  if (!same_numbers(rule.weights, rule.energy_weights)) {
    add_array(builder, result, "energy_weights", rule.energy_weights);
  }
  return result;
}

/// Regions, vertices of the embedding and its count of them follow from the rest: check_model saw to it.
json make_simulation(GlbBuilder& builder, const SimulationMesh& simulation) {
  const VolumeMesh& mesh = simulation.mesh;
  const Embedding& embedding = simulation.embedding;
  json result = {{"element", name_of(mesh.kind)},
                 {"embedding", {{"outside", embedding.outside}, {"farthest", embedding.farthest}}}};
  add_array(builder, result, "vertices", mesh.vertices);
  add_array(builder, result, "elements", mesh.elements);
  add_array(builder, result, "element_regions", mesh.region);
  add_array(builder, result, "basis", simulation.basis);
  add_array(builder, result["embedding"], "element", embedding.element);
  add_array(builder, result["embedding"], "weights", embedding.weights);
  add_array(builder, result, "fixed", simulation.fixed);
  return result;
}

json make_warp(GlbBuilder& builder, const WarpData& warp, std::string_view where) {
  const Lumps& lumps = warp.lumps;
  require(lumps.count() > 0, "{}: the warp data have no lumps, expected one at least", where);
  json result;
  add_array(builder, result, "surface_rotations", warp.surface_rotations);
  json& item = result["lumps"];
  add_array(builder, item, "region", lumps.region);
  add_array(builder, item, "volume", lumps.volume);
  add_array(builder, item, "center", lumps.center);
  add_array(builder, item, "moment", lumps.moment);
  add_array(builder, item, "rotations", lumps.rotations);
  return result;
}

}  // namespace

json add_reduced_object(GlbBuilder& builder, const ReducedModel& model, std::string_view where) {
  const int mesh = add_morph_mesh(builder, model.surface, make_shape(model), model.name);
  json object = {{"name", model.name}, {"description", model.description},     {"rank", model.rank},
                 {"mesh", mesh},       {"pieces", make_pieces(model.surface)}, {"regions", json::array()}};
  const std::vector<int>& part = model.surface.mesh.part;
  if (!std::is_sorted(part.begin(), part.end())) add_array(builder, object, "triangle_pieces", part);
  for (const ReducedRegion& region : model.regions) {
    object["regions"].push_back(make_region(builder, region, !model.cubature));
  }
  if (model.cubature) object["cubature"] = make_cubature(builder, *model.cubature);
  if (model.simulation) object["simulation"] = make_simulation(builder, *model.simulation);
  if (model.warp) object["warp"] = make_warp(builder, *model.warp, where);
  return object;
}

void add_extension(GlbBuilder& builder, std::string_view name, json extension) {
  builder.document["extensions"][std::string(name)] = std::move(extension);
  builder.document["extensionsUsed"] = {name};
}

}  // namespace limber
