#include "apps/limber/body_options.hpp"
#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/describe_model.hpp"
#include "apps/limber/option_uses.hpp"
#include "apps/limber/picture.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/words.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/clip_file.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/png.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/multidomain/tree_shape.hpp"
#include "limber/run/output_files.hpp"
#include "limber/run/scene_picture.hpp"
#include "limber/scene/body_tree.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

struct InspectCommand {
  std::string file;
  bool json = false;
  std::string picture;
  std::optional<std::string> up;
  bool render = false;
};

Json describe_law(const Region& region, const Material& material) {
  return describe_material(region, material);
}

/// As the scene says, or as the reduced model was made; 0 where that is not known.
std::size_t fixed_count(const SceneBody& body) {
  return body.mesh.element_count() == 0
             ? 0
             : select_vertices(body.mesh, body.fixed, body.name + ": fixed").size();
}

Json describe_body(const Scene& scene, const SceneState& state, std::size_t i) {
  const SceneBody& stated = scene.bodies[i];
  const Body& body = state.body(i);
  Json json{{"name", stated.name},
            {"method", name_of(body.method())},
            {"kind", name_of(stated.mesh.kind)},
            {"vertices", stated.mesh.vertex_count()},
            {"elements", element_count(scene, state, i)},
            {"unknowns", body.freedoms()},
            {"fixed_vertices", fixed_count(stated)},
            {"loads", stated.loads.size() + stated.surface_loads.size() + stated.accelerations.size()},
            {"constraints", stated.constraints.size()},
            {"moving_support", static_cast<bool>(stated.support)},
            {"mass", body.momentum().mass},
            {"materials", Json::array()}};
  if (body.has_model()) {
    json["domains"] = body.model().domain_count();
    json["parts"] = body.model().parts.size();
    json["depth"] = body.model().depth();
    json["free"] = body.model().free;
  }
  const std::vector<Region> regions = stated.regions();
  for (std::size_t r = 0; r < stated.materials.size(); ++r) {
    json["materials"].push_back(describe_law(regions[r], stated.materials[r]));
  }
  return json;
}

std::string_view modal_integrator_name(ModalIntegrator integrator) {
  switch (integrator) {
    case ModalIntegrator::semi_implicit:
      return "semi-implicit";
    case ModalIntegrator::newmark:
      return "newmark";
    case ModalIntegrator::exact:
      return "exact";
  }
  return "unknown";
}

/// By which its bodies are stepped: some by that of natural modes, others by that of all else.
std::string integrator_text(const Scene& scene, const SceneState& state) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < state.body_count(); ++i) {
    const Body& body = state.body(i);
    const bool modal = body.method() == Method::warped ||
                       (body.method() == Method::linear && body.model().domain_count() == 1);
    names.insert(modal ? modal_integrator_name(scene.solver.modal_integrator)
                 : scene.solver.integrator == Integrator::newmark ? "newmark"
                                                                  : "central-differences");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string_view type_name(SimulationType type) {
  switch (type) {
    case SimulationType::statics:
      return "static";
    case SimulationType::dynamics:
      return "dynamic";
    case SimulationType::quasistatic:
      return "quasistatic";
  }
  return "unknown";
}

Json describe_solver(const Scene& scene, const SceneState& state) {
  const SolverSettings& solver = scene.solver;
  Json json{{"type", type_name(solver.type)}};
  if (solver.type == SimulationType::dynamics) json["integrator"] = integrator_text(scene, state);
  if (solver.type != SimulationType::statics) {
    json["timestep"] = solver.timestep;
    json["steps"] = solver.steps;
  }
  return json;
}

Json describe_scene(const Scene& scene, const SceneState& state) {
  Json json{{"type", "scene"},
            {"valid", true},
            {"up", to_json(up_of(scene))},
            {"gravity", to_json(scene.gravity)},
            {"solver", describe_solver(scene, state)},
            {"bodies", Json::array()},
            {"output", Json::object()}};
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    json["bodies"].push_back(describe_body(scene, state, i));
  }
  const OutputSettings& output = scene.output;
  if (!output.displacements.empty()) json["output"]["displacements"] = output.displacements.string();
  if (!output.vtu.empty()) json["output"]["vtu"] = output.vtu.string();
  if (!output.picture.empty()) json["output"]["picture"] = output.picture.string();
  if (!output.animation.empty()) json["output"]["animation"] = output.animation.string();
  return json;
}

void append_materials(Rows& rows, const Json& materials) {
  for (const Json& material : materials)
    rows.emplace_back("material of " + words(material["region"]), material_text(material));
}

std::string domains_text(const Json& body) {
  return fmt::format("{} of {} part{}, {} deep, {}", count_text(body["domains"]), count_text(body["parts"]),
                     body["parts"] == 1 ? "" : "s", count_text(body["depth"]),
                     body["free"].get<bool>() ? "free" : "held");
}

std::string scene_text(const Json& scene) {
  const Json& solver = scene["solver"];
  std::string how = words(solver["type"]);
  if (solver.contains("integrator")) how += ", " + words(solver["integrator"]);
  if (solver.contains("steps"))
    how += fmt::format(", {} steps of {} s", count_text(solver["steps"]), number_text(solver["timestep"]));
  Rows rows{{"scene", "valid"},
            {"solver", how},
            {"up", point_text(scene["up"])},
            {"gravity", point_text(scene["gravity"]) + " m/s^2"}};
  for (const auto& [key, path] : scene["output"].items()) rows.emplace_back("output " + key, words(path));
  std::string text = to_text(rows);
  for (const Json& body : scene["bodies"]) {
    Rows lines{{"method", words(body["method"])},
               {"elements", fmt::format("{} ({})", count_text(body["elements"]), words(body["kind"]))},
               {"vertices", fmt::format("{} ({} fixed)", count_text(body["vertices"]),
                                        count_text(body["fixed_vertices"]))},
               {"unknowns", count_text(body["unknowns"])},
               {"loads", count_text(body["loads"])},
               {"mass", number_text(body["mass"]) + " kg"}};
    if (body.contains("domains") && (body["domains"] != 1 || body["free"].get<bool>()))
      lines.emplace_back("domains", domains_text(body));
    if (body["constraints"] != 0) lines.emplace_back("constraints", count_text(body["constraints"]));
    if (body["moving_support"].get<bool>()) lines.emplace_back("support", "moves");
    append_materials(lines, body["materials"]);
    text += fmt::format("\nbody {}\n{}", words(body["name"]), to_text(lines));
  }
  return text;
}

bool is_scene(std::string_view content) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && content[first] == '{' && !looks_like_surface(content);
}

OutputPlan output_plan(const InspectCommand& options) {
  OutputPlan outputs;
  outputs.add(OutputFile{options.picture, ".png", "the picture"});
  return outputs;
}

/// inputs: files that were read.
void write_picture(const InspectCommand& options, const FileList& inputs, const auto& draw) {
  if (options.picture.empty()) return;
  check_spares(output_plan(options), inputs);
  write_results([&] { write_png(options.picture, draw()); });
}

Json inspect_scene(const InspectCommand& options, const std::string& content) {
  const std::filesystem::path folder = std::filesystem::path(options.file).parent_path();
  const Scene scene = parse_scene(content, folder, options.file);
  for (const std::string& warning : scene.warnings) print_warning(warning);
  const SceneState state = make_state(scene);
  FileList inputs = scene.inputs;
  inputs.emplace_back(options.file);
  write_picture(options, inputs, [&] { return draw_state(scene, state, Executor(scene.solver.threads)); });
  return describe_scene(scene, state);
}

Json inspect_builtin(const InspectCommand& options) {
  const BuiltinBody body = make_builtin(options.file);
  Json found = describe_mesh(body.mesh);
  found["render_triangles"] = body.render.triangle_count();
  found["fixed_vertices"] = body.fixed.size();
  found["materials"] = Json::array();
  for (std::size_t r = 0; r < body.materials.size(); ++r) {
    found["materials"].push_back(describe_law(body.mesh.regions[r], body.materials[r]));
  }
  write_picture(options, {}, [&] {
    return options.render ? draw_surface(body.render, body.part_colors, UpAxis::z, Executor())
                          : draw_mesh(body.mesh, UpAxis::z, Executor());
  });
  return found;
}

Json inspect_model(const InspectCommand& options, std::string_view content) {
  const auto model = std::make_shared<const Model>(parse_model(content, options.file));
  write_picture(options, {options.file}, [&] {
    const TreeSurface surface(model);
    return draw_surface(surface.mesh(), surface.colors(), model->up, Executor());
  });
  Json found = describe_model(model);
  found["file_bytes"] = content.size();
  return found;
}

FileLoader files_beside(const std::string& file) {
  return [folder = std::filesystem::path(file).parent_path()](const std::string& name) {
    return read_file(folder / name);
  };
}

Json inspect_clip(const InspectCommand& options, std::string_view content) {
  const ClipContents clip = describe_clip(content, options.file, files_beside(options.file));
  write_picture(options, {options.file}, [&] {
    return draw_surface(read_surface(options.file), {}, usual_up(options.file), Executor());
  });
  const double seconds = clip.to - clip.from;
  Json json{
      {"type", "clip"},
      {"frames", clip.frames},
      {"seconds", seconds},
      {"frames_per_second", seconds > 0.0 ? Json(static_cast<double>(clip.frames - 1) / seconds) : Json()},
      {"nodes", Json::array()}};
  for (const ClipContents::Shown& node : clip.nodes)
    json["nodes"].push_back(
        {{"name", node.name}, {"vertices", node.vertices}, {"triangles", node.triangles}});
  return json;
}

Json inspect_parts(const InspectCommand& options) {
  const PartTree parts = make_builtin_tree(options.file);
  write_picture(options, {}, [&] {
    const WholeBody whole = join_parts(parts);
    return options.render || whole.mesh.element_count() == 0
               ? draw_surface(whole.surface, whole.colors, parts.up, Executor())
               : draw_mesh(whole.mesh, parts.up, Executor());
  });
  return describe_parts(parts);
}

Json inspect_file(const InspectCommand& options, std::string_view content) {
  if (looks_like_model(content)) return inspect_model(options, content);
  if (looks_like_clip(content, files_beside(options.file))) return inspect_clip(options, content);
  const UpAxis up = up_of({.mesh = options.file, .up = options.up});
  FileList inputs;
  if (looks_like_surface(content) || has_surface_extension(options.file)) {
    const SurfaceMesh surface = read_surface(options.file, {}, &inputs);
    Json found = describe_surface(surface);
    found["up"] = word_of(up, up_axis_words);
    found["up_stated"] = options.up.has_value() || up != UpAxis::z;
    write_picture(options, inputs, [&] { return draw_surface(surface, {}, up, Executor()); });
    return found;
  }
  const VolumeMesh mesh = read_mesh(options.file, &inputs);
  write_picture(options, inputs, [&] { return draw_mesh(mesh, up, Executor()); });
  return describe_mesh(mesh);
}

std::string builtin_text(const Json& body) {
  Rows rows{{"fixed vertices", count_text(body["fixed_vertices"])},
            {"render triangles", count_text(body["render_triangles"])}};
  append_materials(rows, body["materials"]);
  return to_text(rows);
}

/// What a file of a surface may not say, and limber takes until somebody does.
Rows guesses(const Json& surface) {
  const std::string up = words(surface["up"]);
  return {
      {"up", surface["up_stated"].get<bool>() ? up : up + ", because nothing says it; else --up y"},
      {"unit", "metres, because files do not say it; else --unit mm, cm or in of reduce, view and export"}};
}

std::string clip_text(const Json& clip) {
  Rows rows{{"kind", "clip, a motion that was recorded; any glTF viewer plays it"},
            {"frames", count_text(clip["frames"])},
            {"seconds", number_text(clip["seconds"])},
            {"frames per second", number_text(clip["frames_per_second"])}};
  for (const Json& node : clip["nodes"])
    rows.emplace_back(printable(words(node["name"])),
                      fmt::format("{} vertices, {} triangles", count_text(node["vertices"]),
                                  count_text(node["triangles"])));
  return to_text(rows);
}

std::string found_text(const Json& found) {
  if (found["type"] == "scene") return scene_text(found);
  if (found["type"] == "surface") return surface_text(found) + to_text(guesses(found));
  if (found["type"] == "clip") return clip_text(found);
  if (found["type"] == "reduced model") return model_text(found);
  if (found["type"] == "part tree") return parts_text(found);
  return mesh_text(found) + (found.contains("materials") ? builtin_text(found) : "");
}

/// Whether a file is a model or a scene.
bool says_up(const std::string& file) {
  const std::string content = read_file(file);
  return is_scene(content) || looks_like_model(content);
}

void run_inspect(const InspectCommand& options, const std::set<std::string>& stated) {
  const bool drawn = is_builtin(options.file) || is_builtin_tree(options.file);
  check_options(
      "inspect", stated,
      {{"--render", !options.picture.empty(), "a description without --picture"},
       {"--render", drawn, "a file, which is drawn as it is,"},
       {"--up", !options.picture.empty(), "a description without --picture"},
       {"--up", !drawn && (!options.up || !says_up(options.file)), "what says itself which way is up"}});
  check_outputs(output_plan(options));
  Json found;
  if (is_builtin_tree(options.file)) {
    found = inspect_parts(options);
  } else if (is_builtin(options.file)) {
    found = inspect_builtin(options);
  } else if (const std::string content = read_file(options.file); is_scene(content)) {
    found = inspect_scene(options, content);
  } else {
    found = inspect_file(options, content);
  }
  if (options.json) {
    Json named{{"file", options.file}};
    named.update(found);
    print_json(named);
  } else {
    print(options.file + "\n" + found_text(found));
  }
}

}  // namespace

Command add_inspect(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("inspect",
                                            "Say what is in a mesh, a surface, a reduced model, a tree of "
                                            "domains or a scene, and whether it is valid");
  const auto options = std::make_shared<InspectCommand>();
  parser
      ->add_option("FILE", options->file,
                   fmt::format("Volume mesh ({}), surface ({}), scene (.json), reduced model or tree of "
                               "domains (.glb), or a built-in body: builtin:{}|{}",
                               volume_format_names(), surface_format_names(), fmt::join(builtin_names(), "|"),
                               fmt::join(builtin_tree_names(), "|")))
      ->required()
      ->type_name("");
  parser->add_flag("--json", options->json, "Print JSON");
  parser->add_option("--picture", options->picture, "Draw it at rest; a mesh also cut open")
      ->type_name("FILE.png");
  parser
      ->add_option("--up", options->up,
                   "In the picture of a file: axis that points upward [y for glTF, else z]")
      ->type_name("AXIS");
  parser->add_flag("--render", options->render,
                   "In the picture of a built-in body: the surface to draw, not the mesh");
  parser->footer("Example:\n  limber inspect \"builtin:beam?element=brick&cells=20,4,4\" --picture beam.png");
  return {parser, [parser, options] { run_inspect(*options, stated_options(*parser)); }};
}

}  // namespace limber::app
