#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/output_files.hpp"
#include "apps/limber/picture.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/png.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/mesh/builtin.hpp"
#include "limber/mesh/quality.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string file;
  bool json = false;
  std::string picture;
};

// What is found goes into one JSON value; the text for people is made from it, so that both say the same.

Json to_json(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

Json describe_mesh(const VolumeMesh& mesh) {
  const MeshQuality quality = measure_quality(mesh);
  const std::vector<int> part = connected_parts(mesh);
  const auto unused = std::count(part.begin(), part.end(), -1);
  const BoundingBox box = bounding_box(mesh);
  Json json{{"type", "mesh"},
            {"kind", name_of(mesh.kind)},
            {"vertices", mesh.vertex_count()},
            {"unused_vertices", unused},
            {"elements", mesh.element_count()},
            {"parts", *std::max_element(part.begin(), part.end()) + 1},
            {"unknowns", 3 * (mesh.vertex_count() - unused)},
            {"bounding_box", {{"min", to_json(box.min)}, {"max", to_json(box.max)}}},
            {"volume", quality.volume},
            {"smallest_element_volume", quality.smallest_volume},
            {"largest_element_volume", quality.largest_volume},
            {"smallest_dihedral_degrees", quality.smallest_dihedral},
            {"largest_dihedral_degrees", quality.largest_dihedral},
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

Json describe_material(const Region& region, const Material& material) {
  const LameParameters lame = std::visit([](const auto& law) { return law.lame; }, material.law);
  return {{"region", region.name.empty() ? std::to_string(region.tag) : region.name},
          {"model", name_of(material.law)},
          {"young", young_modulus(lame)},
          {"poisson", poisson_ratio(lame)},
          {"density", material.density}};
}

Json describe_body(const Body& body, const FullModel& model) {
  Json json{{"name", body.name},
            {"kind", name_of(body.mesh.kind)},
            {"vertices", body.mesh.vertex_count()},
            {"elements", body.mesh.element_count()},
            {"unknowns", model.dof_count()},
            {"fixed_vertices", select_vertices(body.mesh, body.fixed, body.name + ": fixed").size()},
            {"loads", body.loads.size()},
            {"mass", model.vertex_masses().sum()},
            {"materials", Json::array()}};
  for (std::size_t r = 0; r < body.materials.size(); ++r) {
    json["materials"].push_back(describe_material(body.mesh.regions[r], body.materials[r]));
  }
  return json;
}

Json describe_solver(const SolverSettings& solver) {
  Json json{{"type", solver.type == SimulationType::statics ? "static" : "dynamic"}};
  if (solver.type == SimulationType::dynamics) {
    json["integrator"] = solver.integrator == Integrator::newmark ? "newmark" : "central-differences";
    json["timestep"] = solver.timestep;
    json["steps"] = solver.steps;
  }
  return json;
}

Json describe_scene(const Scene& scene, const SceneState& state) {
  Json json{{"type", "scene"},
            {"valid", true},
            {"gravity", to_json(scene.gravity)},
            {"solver", describe_solver(scene.solver)},
            {"bodies", Json::array()},
            {"output", Json::object()}};
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    json["bodies"].push_back(describe_body(scene.bodies[i], *state.bodies[i].model));
  }
  const OutputSettings& output = scene.output;
  if (!output.displacements.empty()) json["output"]["displacements"] = output.displacements.string();
  if (!output.vtu.empty()) json["output"]["vtu"] = output.vtu.string();
  if (!output.picture.empty()) json["output"]["picture"] = output.picture.string();
  return json;
}

std::string number(const Json& value) { return fmt::format("{:.6g}", value.get<double>()); }
std::string count(const Json& value) { return fmt::format("{}", value.get<std::int64_t>()); }
std::string words(const Json& value) { return value.get<std::string>(); }

std::string point(const Json& value) {
  return fmt::format("({}, {}, {})", number(value[0]), number(value[1]), number(value[2]));
}

std::string mesh_text(const Json& mesh) {
  Rows rows{
      {"kind", words(mesh["kind"])},
      {"vertices", fmt::format("{} ({} unused)", count(mesh["vertices"]), count(mesh["unused_vertices"]))},
      {"elements", count(mesh["elements"])},
      {"connected parts", count(mesh["parts"])},
      {"unknowns", fmt::format("{} with nothing fixed", count(mesh["unknowns"]))},
      {"bounding box",
       fmt::format("{} to {} m", point(mesh["bounding_box"]["min"]), point(mesh["bounding_box"]["max"]))},
      {"volume", number(mesh["volume"]) + " m^3"},
      {"element volumes", fmt::format("{} to {} m^3", number(mesh["smallest_element_volume"]),
                                      number(mesh["largest_element_volume"]))},
      {"dihedral angles", fmt::format("{} to {} degrees", number(mesh["smallest_dihedral_degrees"]),
                                      number(mesh["largest_dihedral_degrees"]))},
      {"largest edge ratio", number(mesh["largest_edge_ratio"])}};
  for (const Json& region : mesh["regions"]) {
    rows.emplace_back(fmt::format("region {}", count(region["tag"])),
                      fmt::format("{}{} elements, {} m^3",
                                  words(region["name"]).empty() ? "" : "'" + words(region["name"]) + "', ",
                                  count(region["elements"]), number(region["volume"])));
  }
  return to_text(rows);
}

std::string scene_text(const Json& scene) {
  const Json& solver = scene["solver"];
  std::string how = words(solver["type"]);
  if (solver.contains("steps")) {
    how += fmt::format(", {}, {} steps of {} s", words(solver["integrator"]), count(solver["steps"]),
                       number(solver["timestep"]));
  }
  Rows rows{{"scene", "valid"}, {"solver", how}, {"gravity", point(scene["gravity"]) + " m/s^2"}};
  for (const auto& [key, path] : scene["output"].items()) rows.emplace_back("output " + key, words(path));
  std::string text = to_text(rows);
  for (const Json& body : scene["bodies"]) {
    Rows lines{
        {"elements", fmt::format("{} ({})", count(body["elements"]), words(body["kind"]))},
        {"vertices", fmt::format("{} ({} fixed)", count(body["vertices"]), count(body["fixed_vertices"]))},
        {"unknowns", count(body["unknowns"])},
        {"loads", count(body["loads"])},
        {"mass", number(body["mass"]) + " kg"}};
    for (const Json& material : body["materials"]) {
      lines.emplace_back(
          "region " + words(material["region"]),
          fmt::format("{}, young {} Pa, poisson {}, density {} kg/m^3", words(material["model"]),
                      number(material["young"]), number(material["poisson"]), number(material["density"])));
    }
    text += fmt::format("\nbody {}\n{}", words(body["name"]), to_text(lines));
  }
  return text;
}

bool is_scene(std::string_view content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && content[first] == '{';
}

void write_picture(const Options& options, const auto& draw) {
  if (options.picture.empty()) return;
  try {
    write_png(options.picture, draw());
  } catch (const Error& error) {
    throw Failure(error.what());  // the input was good
  }
}

void run(const Options& options) {
  if (!options.picture.empty()) {
    check_extension(options.picture, ".png", "the picture");
    check_output_file(options.picture);
  }
  const bool builtin = is_builtin(options.file);
  const std::string content = builtin ? std::string() : read_file(options.file);
  Json found;
  if (is_scene(content)) {
    const std::filesystem::path folder = std::filesystem::path(options.file).parent_path();
    const Scene scene = parse_scene(content, folder, options.file);
    const SceneState state = make_state(scene);
    found = describe_scene(scene, state);
    write_picture(options, [&] { return draw_state(state); });
  } else {
    const VolumeMesh mesh = builtin ? make_builtin(options.file) : parse_mesh(content, options.file);
    found = describe_mesh(mesh);
    write_picture(options, [&] { return draw_mesh(mesh); });
  }
  if (options.json) {
    Json named{{"file", options.file}};
    named.update(found);
    print_json(named);
  } else {
    print(options.file + "\n" + (found["type"] == "scene" ? scene_text(found) : mesh_text(found)));
  }
}

}  // namespace

Command add_inspect(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("inspect", "Say what is in a mesh or a scene, and whether it is valid");
  const auto options = std::make_shared<Options>();
  parser->add_option("FILE", options->file, "Mesh file (Gmsh .msh), builtin:beam, or scene file (.json)")
      ->required()
      ->type_name("");
  parser->add_flag("--json", options->json, "Print JSON");
  parser->add_option("--picture", options->picture, "Draw it at rest")->type_name("FILE.png");
  parser->footer("Example:\n  limber inspect \"builtin:beam?element=brick&cells=20,4,4\" --picture beam.png");
  return {parser, [options] { run(*options); }};
}

}  // namespace limber::app
