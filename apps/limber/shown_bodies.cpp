#include "apps/limber/shown_bodies.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/progress_bar.hpp"
#include "apps/limber/reduce_body.hpp"
#include "apps/limber/tree_parts.hpp"
#include "limber/base/error.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/bodies/part_tree.hpp"
#include "limber/io/clip_file.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/scene/body_model.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace limber::app {
namespace {

bool is_builtin_body(const std::string& name) { return is_builtin(name) || is_builtin_tree(name); }

/// "spoon" for "builtin:spoon?cells=60", "bunny" for "scans/bunny.obj".
std::string body_name(const std::string& name) {
  if (!is_builtin_body(name)) return std::filesystem::path(display_name(name)).stem().string();
  const std::size_t begin = name.find(':') + 1;
  return name.substr(begin, name.find('?') - begin);
}

bool is_model_file(const std::string& name) {
  return !is_builtin_body(name) && looks_like_model(read_file(name));
}

/// A motion that was recorded, by limber or by another program: it is played.
bool is_clip_file(const std::string& name) {
  if (is_builtin_body(name)) return false;
  const std::string content = read_file(name);
  return !looks_like_model(content) && looks_like_clip(content, [&](const std::string& beside) {
    return read_file(std::filesystem::path(name).parent_path() / beside);
  });
}

/// Whether the page shows the file as it is.
bool is_finished(const std::string& name) { return is_model_file(name) || is_clip_file(name); }

PageModel page_model(std::string name, Model model, UpAxis up) {
  model.name = name;
  model.up = up;
  if (model.parts.size() == 1) model.parts.front().model.name = name;
  std::string content = encode_model(model, name);
  return {std::move(name) + ".glb", std::move(content)};
}

/// All bodies of a scene by reduced models, whatever it moves them by, in its axes. gravity: gets that of the
/// scene.
std::vector<PageModel> scene_models(const std::string& file, int threads, FileList& inputs,
                                    std::optional<Vector3>& gravity) {
  Scene scene = read_scene(file);
  for (const std::string& warning : scene.warnings) print_warning(warning);
  inputs.emplace_back(file);
  inputs.insert(inputs.end(), scene.inputs.begin(), scene.inputs.end());
  scene.solver.type = SimulationType::dynamics;  // a page moves what it shows
  if (!scene.gravity.isZero(0.0)) gravity = scene.gravity;
  std::vector<PageModel> models;
  for (SceneBody& body : scene.bodies) {
    if (uses_mesh(body.method)) body.method = Method::reduced;
    ProgressBar bar;
    const std::shared_ptr<const Model> model = find_model(scene, body, Executor(threads), bar.callback());
    models.push_back(page_model(body.name, *model, body.up));
  }
  print_note(fmt::format("{}: its {} as reduced model{}; limber simulate plays what the scene does to {}",
                         file, models.size() == 1 ? "body" : fmt::format("{} bodies", models.size()),
                         models.size() == 1 ? "" : "s", models.size() == 1 ? "it" : "them"));
  return models;
}

/// Content of a clip as one .glb, whatever of it is text or in files beside it.
std::string packed_clip(const std::string& name, FileList& inputs) {
  std::string content = read_file(name);
  inputs.emplace_back(name);
  if (content.starts_with("glTF")) return content;
  const GltfContainer file(content, name, [&](const std::string& beside) {
    inputs.push_back(std::filesystem::path(name).parent_path() / beside);
    return read_file(inputs.back());
  });
  return GlbBuilder(file).encode(name);
}

PageModel clip_file(const ShowCommand& options, const std::string& name, FileList& inputs) {
  require(options.names.size() == 1, "{}: is a clip, which is shown alone; name nothing else", name);
  std::string content = packed_clip(name, inputs);
  check_playable(content, name);
  return {body_name(name) + ".glb", std::move(content)};
}

PageModel reduced_model(const ShowCommand& options, const std::string& name, FileList& inputs) {
  ReduceCommand command = options.reduce;
  command.body.mesh = name;
  Model model = reduce_to_show(command, inputs);
  const UpAxis up = model.up;
  return page_model(body_name(name), std::move(model), up);
}

/// Options about bodies that are made on the way are refused where there is none, and those about one of one
/// piece where there is only what is a tree of parts.
void check_show_options(const ShowCommand& options) {
  std::vector<OptionUse> uses;
  const auto any = [&](const auto& test) {
    return std::any_of(options.names.begin(), options.names.end(), test);
  };
  const bool made = any([](const std::string& name) { return !is_scene_file(name) && !is_finished(name); });
  const std::string_view without =
      options.names.empty() ? "a page without a body" : "a model, a clip or a scene, which says that itself,";
  for (const char* option : {"--material", "--young", "--poisson", "--density", "--law", "--fixed-vertices",
                             "--fixed-where", "--hold", "--free", "--mass", "--rank", "--modes"})
    uses.push_back({option, made, without});
  const bool whole = any([](const std::string& name) {
    return !is_builtin_tree(name) && !is_scene_file(name) && !is_finished(name);
  });
  for (const char* option : {"--modes", "--hold", "--fixed-vertices", "--fixed-where"})
    uses.push_back({option, whole, "a tree of parts"});
  for (const char* option : {"--up", "--unit"}) uses.push_back({option, made, without});
  const bool computed = any([](const std::string& name) { return !is_finished(name); });
  uses.push_back({"--threads", computed,
                  options.names.empty() ? without : "a reduced model or a clip, which is shown as it is,"});
  const bool read = any([](const std::string& name) {
    return !is_builtin_body(name) && !is_scene_file(name) && !is_finished(name);
  });
  add_body_uses(uses, options.reduce.body, read, any([](const std::string& name) {
                  return !is_builtin_body(name) && !is_scene_file(name) && is_surface_file(name) &&
                         !is_finished(name);
                }));
  check_options(options.command, options.reduce.stated, uses);
}

}  // namespace

CLI::Option* add_show_options(CLI::App& parser, ShowCommand& options) {
  CLI::Option* names =
      parser
          .add_option(
              "BODY", options.names,
              "Reduced models (.glb), or what becomes one on the way: surfaces (" + surface_format_names() +
                  "), volume meshes, built-in bodies as builtin:spoon, scenes (.json). Several stand side by "
                  "side in one scene; one given twice is two bodies. Or a clip (.glb with an animation)")
          ->type_name("");
  add_body_options(parser, options.reduce.body);
  add_law_option(parser, options.reduce.body);
  parser.add_option("--modes", options.reduce.modes, "Linear modes in the basis")
      ->type_name("N")
      ->check(CLI::Range(1, 200).description(""))
      ->capture_default_str();
  parser.add_option("--rank", options.reduce.rank, "Coordinates of a body, at most [30; each domain 20]")
      ->type_name("R")
      ->check(CLI::Range(1, 500).description(""));
  options.reduce.no_check = true;  // nobody would see it
  return names;
}

PageModels read_shown_bodies(const ShowCommand& options, const ModelContent& content, FileList& inputs) {
  check_show_options(options);
  std::optional<Vector3> gravity, unused;  // in the axes of the first body, which are those of the page
  bool first = true;
  PageModels shown = read_page_models(options.names, [&](const std::string& name) -> std::vector<PageModel> {
    std::vector<PageModel> models;
    if (is_scene_file(name)) {
      models = scene_models(name, options.reduce.body.threads, inputs, first ? gravity : unused);
    } else if (is_clip_file(name)) {
      return {clip_file(options, name, inputs)};
    } else if (is_model_file(name)) {
      inputs.emplace_back(name);
      models.push_back({display_name(name), read_file(name)});
    } else {
      models.push_back(reduced_model(options, name, inputs));
    }
    first = false;
    for (PageModel& model : models) model.content = content(name, std::move(model.content));
    return models;
  });
  shown.gravity = gravity;
  return shown;
}

}  // namespace limber::app
