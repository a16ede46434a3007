#include "apps/limber/describe_tree.hpp"

#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/multidomain/tree_shape.hpp"
#include "limber/reduced/quartic.hpp"
#include "limber/reduced/reduced_dynamics.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index most_tree_coordinates = 600;  ///< whose frequencies are found in a second or two

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

Json describe_part(const ReducedPart& part, Index uses) {
  const ReducedModel& model = part.model;
  Json json{{"name", model.name},
            {"rank", model.rank},
            {"uses", uses},
            {"mass", mass_of(model)},
            {"ports", part.ports.size()},
            {"forces", model.rank == 0           ? "rigid"
                       : !model.cubature         ? "exact"
                       : model.cubature->modal() ? "modal-cubature"
                                                 : "cubature"},
            {"frequencies_hz", Json::array()},
            {"render_vertices", model.surface.mesh.vertex_count()},
            {"render_triangles", model.surface.mesh.triangle_count()},
            {"bytes",
             {{"basis", 4 * model.surface.basis.size()},
              {"forces", model.rank == 0 ? 0 : force_bytes(model)},
              {"coupling", coupling_bytes(part)}}}};
  if (model.rank > 0) json["frequencies_hz"] = to_list(natural_frequencies(make_equations(model)));
  if (const auto& simulation = model.simulation) {
    json["kind"] = name_of(simulation->mesh.kind);
    json["vertices"] = simulation->mesh.vertex_count();
    json["elements"] = simulation->mesh.element_count();
  }
  return json;
}

std::string lowest_text(const Json& frequencies) {
  return frequencies.empty() ? "-" : number_text(frequencies.front());
}

std::string tree_frequencies_text(const Json& tree) {
  const Json& frequencies = tree["frequencies_hz"];
  if (frequencies.is_null())
    return fmt::format("not computed: more than {} coordinates", most_tree_coordinates);
  if (frequencies.empty()) return "none: all domains are rigid";
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, frequencies.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", number_text(frequencies[i]));
  return text + (frequencies.size() > most ? ", ... Hz" : " Hz");
}

Json describe_tree(const std::shared_ptr<const Model>& tree) {
  std::vector<Index> uses(tree->parts.size(), 0);
  double mass = 0.0;
  for (const Domain& domain : tree->domains) {
    const auto part = static_cast<std::size_t>(domain.part);
    ++uses[part];
    mass += mass_of(tree->parts[part].model) * std::pow(domain.scale, 3);
  }
  const TreeSurface surface(tree);
  const BoundingBox box = bounding_box(surface.mesh());
  Json json{{"type", "reduced model"},
            {"valid", true},
            {"name", tree->name},
            {"description", tree->description},
            {"domains", tree->domain_count()},
            {"coordinates", tree->coordinate_count()},
            {"depth", tree->depth()},
            {"free", tree->free},
            {"mass", mass},
            {"frequencies_hz", nullptr},
            {"render_vertices", surface.mesh().vertex_count()},
            {"render_triangles", surface.mesh().triangle_count()},
            {"bounding_box", {{"min", to_json(box.min)}, {"max", to_json(box.max)}}},
            {"parts", Json::array()}};
  if (tree->coordinate_count() <= most_tree_coordinates)
    json["frequencies_hz"] = to_list(TreeDynamics(tree).natural_frequencies());
  Json bytes{{"basis", 0}, {"forces", 0}, {"coupling", 0}};
  for (std::size_t k = 0; k < tree->parts.size(); ++k) {
    json["parts"].push_back(describe_part(tree->parts[k], uses[k]));
    for (const auto& [what, count] : json["parts"].back()["bytes"].items())
      bytes[what] = bytes[what].get<std::int64_t>() + count.get<std::int64_t>();
  }
  json["bytes"] = std::move(bytes);
  return json;
}

std::string tree_text(const Json& tree) {
  const Json& bytes = tree["bytes"];
  const Json& box = tree["bounding_box"];
  std::string text = to_text(
      {{"reduced model", fmt::format("{}, a tree of domains", words(tree["name"]))},
       {"made", words(tree["description"])},
       {"domains", fmt::format("{} of {} part{}, {} deep, {}", count_text(tree["domains"]),
                               tree["parts"].size(), tree["parts"].size() == 1 ? "" : "s",
                               count_text(tree["depth"]), tree["free"].get<bool>() ? "free" : "held")},
       {"coordinates", count_text(tree["coordinates"])},
       {"frequencies", tree_frequencies_text(tree)},
       {"mass", number_text(tree["mass"]) + " kg"},
       {"surface", fmt::format("{} vertices, {} triangles", count_text(tree["render_vertices"]),
                               count_text(tree["render_triangles"]))},
       {"bounding box", fmt::format("{} to {} m", point_text(box["min"]), point_text(box["max"]))},
       {"memory",
        fmt::format("surface bases {}, forces {}, coupling {}", bytes_text(bytes["basis"].get<double>()),
                    bytes_text(bytes["forces"].get<double>()),
                    bytes_text(bytes["coupling"].get<double>()))}});
  std::vector<std::vector<std::string>> rows{
      {"part", "elements", "rank", "uses", "ports", "mass (kg)", "lowest (Hz)", "forces"}};
  for (const Json& part : tree["parts"]) {
    rows.push_back({words(part["name"]),
                    part.contains("elements") ? count_text(part["elements"]) : "left out",
                    count_text(part["rank"]), count_text(part["uses"]), count_text(part["ports"]),
                    number_text(part["mass"]), lowest_text(part["frequencies_hz"]), words(part["forces"])});
  }
  return text + "\n" + table_text(rows);
}

}  // namespace

Json describe_model(const std::shared_ptr<const Model>& model) {
  return model->domain_count() == 1 ? describe_single(*model) : describe_tree(model);
}

std::string model_text(const Json& model) {
  return model["domains"] == 1 ? single_text(model) : tree_text(model);
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
