#include "apps/limber/describe.hpp"

#include "apps/limber/console.hpp"
#include "limber/base/error.hpp"
#include "limber/mesh/quality.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

Json defects_json(const SurfaceDefects& defects) {
  return {{"closed", defects.closed},
          {"components", defects.components},
          {"duplicate_vertices", defects.duplicate_vertices},
          {"unused_vertices", defects.unused_vertices},
          {"degenerate_triangles", defects.degenerate_triangles},
          {"duplicate_triangles", defects.duplicate_triangles},
          {"flipped_triangles", defects.flipped_triangles},
          {"nonmanifold_edges", defects.nonmanifold_edges},
          {"boundary_edges", defects.boundary_edges},
          {"holes", defects.holes},
          {"found", describe(defects)}};
}

/// How many angles fall into each class of ten degrees, as bars of one line.
std::string histogram_text(const Json& counts) {
  static constexpr std::array<std::string_view, 9> bars{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double largest = 1.0;
  for (const Json& count : counts) largest = std::max(largest, count.get<double>());
  std::string text = "0 ";
  for (const Json& count : counts) {
    const double share = count.get<double>() / largest;
    text += bars[share == 0.0 ? 0 : static_cast<std::size_t>(std::max(1.0, std::round(8.0 * share)))];
  }
  return text + " 180, each bar 10 degrees";
}

void append_defects(Rows& rows, const Json& defects) {
  std::string label = "defects";
  for (const Json& line : defects["found"]) {
    rows.emplace_back(label, words(line));
    label.clear();
  }
}

}  // namespace

std::string words(const Json& text) { return text.get<std::string>(); }

std::string number_text(const Json& value) {
  return value.is_null() ? "unknown" : fmt::format("{:.6g}", value.get<double>());
}
std::string count_text(const Json& value) { return fmt::format("{}", value.get<std::int64_t>()); }
std::string point_text(const Json& value) {
  return fmt::format("({}, {}, {})", number_text(value[0]), number_text(value[1]), number_text(value[2]));
}

Json to_json(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

Json box_json(const BoundingBox& box) { return {{"min", to_json(box.min)}, {"max", to_json(box.max)}}; }

std::string box_text(const Json& box) {
  return fmt::format("{} to {} m", point_text(box["min"]), point_text(box["max"]));
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_list(const VectorRef& values) { return std::vector<double>(values.begin(), values.end()); }

std::string bytes_text(double bytes) {
  return bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3) : fmt::format("{:.1f} MB", bytes / 1e6);
}

Json describe_material(const Region& region, const Material& material) {
  const LameParameters lame = lame_of(material.law);
  return {{"region", region.name.empty() ? std::to_string(region.tag) : region.name},
          {"law", name_of(material.law)},
          {"young", young_modulus(lame)},
          {"poisson", poisson_ratio(lame)},
          {"density", material.density}};
}

std::string material_text(const Json& material) {
  return fmt::format("{}, young {} Pa, poisson {}, density {} kg/m^3", words(material["law"]),
                     number_text(material["young"]), number_text(material["poisson"]),
                     number_text(material["density"]));
}

Json describe_mesh(const VolumeMesh& mesh) {
  const MeshQuality quality = measure_quality(mesh);
  const std::vector<int> part = connected_parts(mesh);
  const auto unused = std::count(part.begin(), part.end(), -1);
  Json json{{"type", "mesh"},
            {"kind", name_of(mesh.kind)},
            {"vertices", mesh.vertex_count()},
            {"unused_vertices", unused},
            {"elements", mesh.element_count()},
            {"parts", *std::max_element(part.begin(), part.end()) + 1},
            {"unknowns", 3 * (mesh.vertex_count() - unused)},
            {"bounding_box", box_json(bounding_box(mesh))},
            {"volume", quality.volume},
            {"smallest_element_volume", quality.smallest_volume},
            {"largest_element_volume", quality.largest_volume},
            {"smallest_dihedral_degrees", quality.smallest_dihedral},
            {"largest_dihedral_degrees", quality.largest_dihedral},
            {"dihedral_histogram", quality.dihedral_histogram},
            {"largest_edge_ratio", quality.largest_edge_ratio},
            {"regions", Json::array()}};
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
    json["regions"].push_back({{"tag", mesh.regions[r].tag},
                               {"name", mesh.regions[r].name},
                               {"elements", quality.regions[r].elements},
                               {"volume", quality.regions[r].volume}});
  }
  return json;
}

std::string mesh_text(const Json& mesh) {
  Rows rows{
      {"kind", words(mesh["kind"])},
      {"vertices",
       fmt::format("{} ({} unused)", count_text(mesh["vertices"]), count_text(mesh["unused_vertices"]))},
      {"elements", count_text(mesh["elements"])},
      {"connected parts", count_text(mesh["parts"])},
      {"unknowns", fmt::format("{} with nothing fixed", count_text(mesh["unknowns"]))},
      {"bounding box", box_text(mesh["bounding_box"])},
      {"volume", number_text(mesh["volume"]) + " m^3"},
      {"element volumes", fmt::format("{} to {} m^3", number_text(mesh["smallest_element_volume"]),
                                      number_text(mesh["largest_element_volume"]))},
      {"dihedral angles", fmt::format("{} to {} degrees", number_text(mesh["smallest_dihedral_degrees"]),
                                      number_text(mesh["largest_dihedral_degrees"]))}};
  if (mesh["kind"] == "tetrahedron") rows.emplace_back("", histogram_text(mesh["dihedral_histogram"]));
  rows.emplace_back("largest edge ratio", number_text(mesh["largest_edge_ratio"]));
  for (const Json& region : mesh["regions"]) {
    rows.emplace_back(fmt::format("region {}", count_text(region["tag"])),
                      fmt::format("{}{} elements, {} m^3",
                                  words(region["name"]).empty() ? "" : "'" + words(region["name"]) + "', ",
                                  count_text(region["elements"]), number_text(region["volume"])));
  }
  return to_text(rows);
}

Json describe_surface(const SurfaceMesh& surface) {
  RepairedSurface repaired{surface, {}};
  std::string flaw;
  try {
    repaired = repair_surface(surface, "as a body");
  } catch (const Error& error) {
    flaw = error.what();
  }
  Json json{{"type", "surface"},
            {"vertices", surface.vertex_count()},
            {"triangles", surface.triangle_count()},
            {"parts", surface.parts},
            {"bounding_box", box_json(bounding_box(surface))},
            {"area", surface_area(surface)},
            {"volume", nullptr},
            {"defects", defects_json(repaired.defects)}};
  if (repaired.defects.closed) json["volume"] = enclosed_volume(repaired.surface);
  if (!flaw.empty()) json["defects"]["found"].push_back(flaw);
  return json;
}

std::string surface_text(const Json& surface) {
  const Json& defects = surface["defects"];
  const bool closed = defects["closed"].get<bool>();
  Rows rows{
      {"kind", "surface"},
      {"vertices", count_text(surface["vertices"])},
      {"triangles", count_text(surface["triangles"])},
      {"parts", fmt::format("{}", surface["parts"].size())},
      {"connected pieces", count_text(defects["components"])},
      {"bounding box", box_text(surface["bounding_box"])},
      {"area", number_text(surface["area"]) + " m^2"},
      {"volume", closed ? number_text(surface["volume"]) + " m^3" : "unknown: the surface is not closed"},
      {"closed", closed ? "yes" : "no"}};
  append_defects(rows, defects);
  return to_text(rows);
}

Json describe_meshing(const MesherReport& report) {
  Json json{{"cell", report.cell},
            {"surface_shift", report.level},
            {"surface_volume", report.surface_volume},
            {"mesh_volume", report.mesh_volume},
            {"volume_sampled", report.volume_sampled},
            {"volume_error", nullptr},
            {"split_vertices", report.cleanup.split_vertices},
            {"dropped_parts", report.cleanup.dropped_parts},
            {"dropped_elements", report.cleanup.dropped_elements},
            {"uncovered_share", report.uncovered.share},
            {"uncovered_farthest", report.uncovered.farthest},
            {"uncovered_at", to_json(report.uncovered.at)},
            {"surfaces", Json::array()},
            {"warnings", report.warnings}};
  if (report.surface_volume > 0.0) json["volume_error"] = report.mesh_volume / report.surface_volume - 1.0;
  for (const SurfaceDefects& defects : report.defects) json["surfaces"].push_back(defects_json(defects));
  return json;
}

std::string meshing_note(const MesherReport& report) {
  constexpr double noticeable = 0.02;  // of the volume; less is what the shape of cells explains
  std::vector<std::string> defects, losses;
  for (const SurfaceDefects& one : report.defects)
    for (std::string& line : describe(one)) defects.push_back(std::move(line));
  if (const Index dropped = report.cleanup.dropped_parts; dropped > 0)
    losses.push_back(fmt::format("{} loose part{} dropped", dropped, dropped == 1 ? "" : "s"));
  const double change = report.surface_volume > 0.0 ? report.mesh_volume / report.surface_volume - 1.0 : 0.0;
  if (!report.shell && std::abs(change) > noticeable)
    losses.push_back(fmt::format("{:+.1f} % of volume", 100.0 * change));
  if (report.uncovered.share >= 1e-3)
    losses.push_back(fmt::format("{:.1f} % of the surface not followed", 100.0 * report.uncovered.share));
  std::string text;
  if (!defects.empty())
    text = fmt::format("its surface has {}: repaired for the mesh, drawn as it is", fmt::join(defects, ", "));
  if (!losses.empty())
    text += fmt::format("{}the mesh: {}", text.empty() ? "" : "; ", fmt::join(losses, ", "));
  return text;
}

std::string meshing_text(const Json& meshing) {
  Rows rows{{"cell", number_text(meshing["cell"]) + " m"}};
  if (!meshing["volume_error"].is_null()) {
    rows.emplace_back(
        "volume inside the surface",
        fmt::format("{}{} m^3; the mesh has {:+.3f} %", meshing["volume_sampled"].get<bool>() ? "about " : "",
                    number_text(meshing["surface_volume"]), 100.0 * meshing["volume_error"].get<double>()));
  }
  if (meshing["surface_shift"].get<double>() != 0.0) {
    rows.emplace_back("surface shifted",
                      fmt::format("{:+.3f} cells outward, to meet the volume",
                                  meshing["surface_shift"].get<double>() / meshing["cell"].get<double>()));
  }
  if (meshing["dropped_parts"].get<std::int64_t>() > 0) {
    rows.emplace_back("dropped",
                      fmt::format("{} loose parts with {} elements", count_text(meshing["dropped_parts"]),
                                  count_text(meshing["dropped_elements"])));
  }
  if (meshing["split_vertices"].get<std::int64_t>() > 0) {
    rows.emplace_back("hinges opened", fmt::format("at {} vertices", count_text(meshing["split_vertices"])));
  }
  if (meshing["uncovered_farthest"].get<double>() > 0.0) {
    rows.emplace_back("not followed", fmt::format("{:.2g} % of the surface, up to {:.3g} m away at {}",
                                                  100.0 * meshing["uncovered_share"].get<double>(),
                                                  meshing["uncovered_farthest"].get<double>(),
                                                  point_text(meshing["uncovered_at"])));
  }
  for (const Json& surface : meshing["surfaces"]) append_defects(rows, surface);
  return to_text(rows);
}

}  // namespace limber::app
