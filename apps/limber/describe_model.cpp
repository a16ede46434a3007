#include "apps/limber/describe_model.hpp"

#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/multidomain/tree_shape.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/reduced/quartic.hpp"
#include "limber/reduced/reduced_dynamics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index most_described_coordinates = 600;  ///< whose frequencies are found in a second or two

Index force_bytes(const ReducedModel& model) {
  if (const auto& rule = model.cubature) return 8 * (rule->gradients.size() + rule->weights.size());
  return 8 * monomial_count(model.rank);
}

Index coupling_bytes(const ReducedPart& part) {
  Index numbers = 0;
  for (const ReducedRegion& region : part.model.regions)
    numbers += 12 + region.moments.second_rows.size() + region.moments.second_pairs.size();
  for (const InterfacePort& port : part.ports)
    numbers += 12 + port.center_rows.size() + port.covariance_rows.size() + 2 * port.weights.size();
  return 8 * numbers;
}

double mass_of(const ReducedModel& model) {
  double sum = 0.0;
  for (const ReducedRegion& region : model.regions) sum += region.material.density * region.volume;
  return sum;
}

/// How a part computes its elastic forces.
void describe_forces(Json& json, const ReducedModel& model) {
  if (model.rank == 0) {
    json["forces"] = "rigid";
  } else if (const auto& rule = model.cubature) {
    json["forces"] = name_of(forces_of(*rule));
    json["cubature"] = {{"points", rule->point_count()},
                        {"error_asked_for", rule->training.error_asked_for},
                        {"training_error", rule->training.training_error},
                        {"held_out_error", rule->training.held_out_error},
                        {"amplitude", rule->training.amplitude},
                        {"poses", rule->training.poses}};
  } else {
    json["forces"] = name_of(ForceKind::exact);
    json["coefficients"] = monomial_count(model.rank);
  }
}

Json describe_part(const ReducedPart& part, Index uses) {
  const ReducedModel& model = part.model;
  Json json{{"name", model.name},
            {"rank", model.rank},
            {"uses", uses},
            {"mass", mass_of(model)},
            {"ports", part.ports.size()},
            {"frequencies_hz", Json::array()},
            {"render_vertices", model.surface.mesh.vertex_count()},
            {"render_triangles", model.surface.mesh.triangle_count()},
            {"materials", Json::array()},
            {"bytes",
             {{"basis", 4 * model.surface.basis.size()},
              {"forces", model.rank == 0 ? 0 : force_bytes(model)},
              {"coupling", coupling_bytes(part)}}}};
  describe_forces(json, model);
  if (model.rank > 0) {
    const ReducedEquations equations = make_equations(model);
    json["frequencies_hz"] = to_list(natural_frequencies(equations));
    json["explicit_timestep"] = critical_timestep(equations);
  }
  for (const ReducedRegion& region : model.regions)
    json["materials"].push_back(describe_material(region.region, region.material));
  if (model.warp) json["warp"] = {{"lumps", model.warp->lumps.count()}};
  if (const auto& simulation = model.simulation) {
    json["kind"] = name_of(simulation->mesh.kind);
    json["vertices"] = simulation->mesh.vertex_count();
    json["elements"] = simulation->mesh.element_count();
    json["fixed_vertices"] = simulation->fixed.size();
  }
  return json;
}

std::string lowest_text(const Json& frequencies) {
  return frequencies.empty() ? "-" : number_text(frequencies.front());
}

std::string described_frequencies_text(const Json& model) {
  const Json& frequencies = model["frequencies_hz"];
  if (frequencies.is_null())
    return fmt::format("not computed: more than {} coordinates", most_described_coordinates);
  if (frequencies.empty()) return "none: all domains are rigid";
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, frequencies.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", number_text(frequencies[i]));
  return text + (frequencies.size() > most ? ", ... Hz" : " Hz");
}

std::string described_forces_text(const Json& part) {
  if (part.contains("coefficients"))
    return fmt::format("exact, {} coefficients", count_text(part["coefficients"]));
  if (!part.contains("cubature")) return words(part["forces"]);
  const Json& cubature = part["cubature"];
  return fmt::format("{}, {} points, error {:.2g} % in poses up to {:.2g} of the size", words(part["forces"]),
                     count_text(cubature["points"]), 100.0 * cubature["held_out_error"].get<double>(),
                     cubature["amplitude"].get<double>());
}

/// Each region once, with each material that it has in any part.
void append_part_materials(Rows& rows, const Json& parts) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Json& part : parts) {
    for (const Json& material : part["materials"]) {
      const std::string label = "material of " + words(material["region"]), text = material_text(material);
      if (seen.emplace(label, text).second) rows.emplace_back(label, text);
    }
  }
}

}  // namespace

Json describe_model(const std::shared_ptr<const Model>& model) {
  std::vector<Index> uses(model->parts.size(), 0);
  double mass = 0.0;
  for (const Domain& domain : model->domains) {
    const auto part = static_cast<std::size_t>(domain.part);
    ++uses[part];
    mass += mass_of(model->parts[part].model) * std::pow(domain.scale, 3);
  }
  const TreeSurface surface(model);
  Json json{{"type", "reduced model"},
            {"valid", true},
            {"name", model->name},
            {"description", model->description},
            {"domains", model->domain_count()},
            {"coordinates", model->coordinate_count()},
            {"depth", model->depth()},
            {"free", model->free},
            {"up", word_of(model->up, up_axis_words)},
            {"mass", mass},
            {"frequencies_hz", nullptr},
            {"render_vertices", surface.mesh().vertex_count()},
            {"render_triangles", surface.mesh().triangle_count()},
            {"bounding_box", box_json(bounding_box(surface.mesh()))},
            {"parts", Json::array()}};
  if (model->coordinate_count() <= most_described_coordinates)
    json["frequencies_hz"] = to_list(TreeDynamics(model).natural_frequencies());
  Json bytes{{"basis", 0}, {"forces", 0}, {"coupling", 0}};
  for (std::size_t k = 0; k < model->parts.size(); ++k) {
    json["parts"].push_back(describe_part(model->parts[k], uses[k]));
    for (const auto& [what, count] : json["parts"].back()["bytes"].items())
      bytes[what] = bytes[what].get<std::int64_t>() + count.get<std::int64_t>();
  }
  json["bytes"] = std::move(bytes);
  return json;
}

std::string model_text(const Json& model) {
  const Json& bytes = model["bytes"];
  const Json& parts = model["parts"];
  Rows rows{
      {"reduced model", words(model["name"])},
      {"made", words(model["description"])},
      {"domains", fmt::format("{} of {} part{}, {} deep, {}", count_text(model["domains"]), parts.size(),
                              parts.size() == 1 ? "" : "s", count_text(model["depth"]),
                              model["free"].get<bool>() ? "free" : "held")},
      {"up", words(model["up"])},
      {"coordinates", count_text(model["coordinates"])},
      {"frequencies", described_frequencies_text(model)},
      {"mass", number_text(model["mass"]) + " kg"},
      {"surface", fmt::format("{} vertices, {} triangles", count_text(model["render_vertices"]),
                              count_text(model["render_triangles"]))},
      {"bounding box", box_text(model["bounding_box"])},
      {"memory",
       fmt::format("surface bases {}, forces {}, coupling {}", bytes_text(bytes["basis"].get<double>()),
                   bytes_text(bytes["forces"].get<double>()), bytes_text(bytes["coupling"].get<double>()))}};
  append_part_materials(rows, parts);
  std::vector<std::vector<std::string>> table{{"part", "elements", "vertices", "fixed", "rank", "uses",
                                               "ports", "lumps", "mass (kg)", "lowest (Hz)",
                                               "explicit step (s)", "forces"}};
  for (const Json& part : parts) {
    const auto of_mesh = [&](const char* key) {
      return part.contains(key) ? count_text(part[key]) : std::string("left out");
    };
    table.push_back({words(part["name"]), of_mesh("elements"), of_mesh("vertices"), of_mesh("fixed_vertices"),
                     count_text(part["rank"]), count_text(part["uses"]), count_text(part["ports"]),
                     part.contains("warp") ? count_text(part["warp"]["lumps"]) : "-",
                     number_text(part["mass"]), lowest_text(part["frequencies_hz"]),
                     part.contains("explicit_timestep") ? number_text(part["explicit_timestep"]) : "-",
                     described_forces_text(part)});
  }
  return to_text(rows) + "\n" + table_text(table);
}

Json describe_parts(const PartTree& tree) {
  std::vector<Index> uses(tree.parts.size(), 0), level(tree.placements.size(), 1);
  for (std::size_t i = 0; i < tree.placements.size(); ++i) {
    const Placement& placement = tree.placements[i];
    ++uses[static_cast<std::size_t>(placement.part)];
    if (placement.parent >= 0) level[i] = level[static_cast<std::size_t>(placement.parent)] + 1;
  }
  Json json{{"type", "part tree"},
            {"name", tree.name},
            {"domains", tree.placements.size()},
            {"depth", *std::max_element(level.begin(), level.end())},
            {"free", tree.free},
            {"up", word_of(tree.up, up_axis_words)},
            {"elements", 0},
            {"render_triangles", 0},
            {"parts", Json::array()}};
  Index elements = 0, triangles = 0;
  for (std::size_t p = 0; p < tree.parts.size(); ++p) {
    const Part& part = tree.parts[p];
    const Index drawn = part.render.triangle_count();
    elements += uses[p] * part.mesh.element_count();
    triangles += uses[p] * drawn;
    json["parts"].push_back({{"name", part.name},
                             {"kind", name_of(part.mesh.kind)},
                             {"elements", part.mesh.element_count()},
                             {"vertices", part.mesh.vertex_count()},
                             {"fixed_vertices", part.fixed.size()},
                             {"sites", part.sites.size()},
                             {"uses", uses[p]},
                             {"rank", part.rank},
                             {"rigid", part.rigid},
                             {"render_triangles", drawn},
                             {"materials", Json::array()}});
    for (std::size_t r = 0; r < part.materials.size(); ++r)
      json["parts"].back()["materials"].push_back(describe_material(part.mesh.regions[r], part.materials[r]));
  }
  json["elements"] = elements;
  json["render_triangles"] = triangles;
  return json;
}

std::string parts_text(const Json& tree) {
  const std::string text =
      to_text({{"part tree", words(tree["name"])},
               {"domains",
                fmt::format("{} of {} parts, {} deep, {}", count_text(tree["domains"]), tree["parts"].size(),
                            count_text(tree["depth"]), tree["free"].get<bool>() ? "free" : "held")},
               {"up", words(tree["up"])},
               {"elements", fmt::format("{} in all", count_text(tree["elements"]))},
               {"render triangles", fmt::format("{} in all", count_text(tree["render_triangles"]))}});
  std::vector<std::vector<std::string>> rows{
      {"part", "elements", "vertices", "fixed", "sites", "uses", "rank"}};
  for (const Json& part : tree["parts"]) {
    rows.push_back({words(part["name"]), count_text(part["elements"]), count_text(part["vertices"]),
                    count_text(part["fixed_vertices"]), count_text(part["sites"]), count_text(part["uses"]),
                    part["rigid"].get<bool>() ? "rigid"
                    : part["rank"] == 0       ? "-"
                                              : count_text(part["rank"])});
  }
  return text + "\n" + table_text(rows);
}

}  // namespace limber::app
