#include "limber/base/bits.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/model_mesh.hpp"

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

json make_parts(const ReducedSurface& surface) {
  const std::vector<int> primitives = primitive_numbers(surface.mesh);
  json parts = json::array();
  for (std::size_t p = 0; p < primitives.size(); ++p) {
    const Vector3& color = surface.colors[p];
    json part = {{"name", surface.mesh.parts[p]}, {"color", {color.x(), color.y(), color.z()}}};
    if (primitives[p] >= 0) part["primitive"] = primitives[p];
    parts.push_back(std::move(part));
  }
  return parts;
}

template <class Values>
int add_doubles(GlbBuilder& builder, const Values& values) {
  return builder.add_doubles({values.data(), static_cast<std::size_t>(values.size())});
}

json make_region(GlbBuilder& builder, const ReducedRegion& region, bool exact) {
  const MaterialLaw& law = region.material.law;
  json result = {{"name", region.region.name},
                 {"tag", region.region.tag},
                 {"law", name_of(law)},
                 {"lambda", lame_of(law).lambda},
                 {"mu", lame_of(law).mu},
                 {"density", region.material.density},
                 {"volume", region.volume},
                 {"mass", add_doubles(builder, region.mass)},
                 {"weight", add_doubles(builder, region.weight)}};
  if (std::holds_alternative<MooneyRivlin>(law)) result["mooney_share"] = constants_of(law).mooney_share;
  if (std::holds_alternative<ArrudaBoyce>(law)) result["locking_stretch"] = constants_of(law).locking_stretch;
  if (exact) {
    result["lambda_energy"] = add_doubles(builder, region.lambda_energy);
    result["mu_energy"] = add_doubles(builder, region.mu_energy);
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
  json result = {{"element", builder.add_integers(rule.element)},
                 {"point", builder.add_integers(rule.point)},
                 {"region", builder.add_integers(rule.region)},
                 {"gradients", add_doubles(builder, rule.gradients)},
                 {"weights", add_doubles(builder, rule.weights)},
                 {"training",
                  {{"error_asked_for", training.error_asked_for},
                   {"training_error", training.training_error},
                   {"held_out_error", training.held_out_error},
                   {"amplitude", training.amplitude},
                   {"poses", training.poses}}}};
  if (!same_numbers(rule.weights, rule.energy_weights)) {
    result["energy_weights"] = add_doubles(builder, rule.energy_weights);
  }
  return result;
}

/// Regions, vertices of the embedding and its count of them follow from the rest: check_model saw to it.
json make_simulation(GlbBuilder& builder, const SimulationMesh& simulation) {
  const VolumeMesh& mesh = simulation.mesh;
  const Embedding& embedding = simulation.embedding;
  const std::span<const int> corners(mesh.elements.data(), static_cast<std::size_t>(mesh.elements.size()));
  json result = {{"element", name_of(mesh.kind)},
                 {"vertices", add_doubles(builder, mesh.vertices)},
                 {"elements", builder.add_integers(corners)},
                 {"element_regions", builder.add_integers(mesh.region)},
                 {"basis", add_doubles(builder, simulation.basis)},
                 {"embedding",
                  {{"element", builder.add_integers(embedding.element)},
                   {"weights", add_doubles(builder, embedding.weights)},
                   {"outside", embedding.outside},
                   {"farthest", embedding.farthest}}}};
  if (!simulation.fixed.empty()) result["fixed"] = builder.add_integers(simulation.fixed);
  return result;
}

json make_warp(GlbBuilder& builder, const WarpData& warp, std::string_view where) {
  const Lumps& lumps = warp.lumps;
  require(lumps.count() > 0, "{}: the warp data have no lumps, expected one at least", where);
  const Eigen::MatrixXf& turns = warp.surface_rotations;
  return {{"surface_rotations", builder.add_singles({turns.data(), static_cast<std::size_t>(turns.size())})},
          {"lumps",
           {{"region", builder.add_integers(lumps.region)},
            {"volume", add_doubles(builder, lumps.volume)},
            {"center", add_doubles(builder, lumps.center)},
            {"moment", add_doubles(builder, lumps.moment)},
            {"rotations", add_doubles(builder, lumps.rotations)}}}};
}

}  // namespace

std::string encode_model(const ReducedModel& model, std::string_view where) {
  check_model(model, where);  // all numbers are finite, as JSON needs them
  GlbBuilder builder;
  add_morph_node(builder, model.surface, make_shape(model), model.name);
  add_scene(builder);
  json extension = {{"version", model_version}, {"name", model.name}, {"description", model.description},
                    {"rank", model.rank},       {"mesh", 0},          {"parts", make_parts(model.surface)},
                    {"regions", json::array()}};
  const std::vector<int>& part = model.surface.mesh.part;
  if (!std::is_sorted(part.begin(), part.end())) extension["triangle_parts"] = builder.add_integers(part);
  for (const ReducedRegion& region : model.regions) {
    extension["regions"].push_back(make_region(builder, region, !model.cubature));
  }
  if (model.cubature) extension["cubature"] = make_cubature(builder, *model.cubature);
  if (model.simulation) extension["simulation"] = make_simulation(builder, *model.simulation);
  if (model.warp) extension["warp"] = make_warp(builder, *model.warp, where);
  builder.document["extensions"][std::string(model_extension)] = std::move(extension);
  builder.document["extensionsUsed"] = {model_extension};
  return builder.encode(where, "lower the rank or leave out the simulation mesh");
}

void write_model(const std::filesystem::path& path, const ReducedModel& model) {
  write_file(path, encode_model(model, path.string()));
}

}  // namespace limber
