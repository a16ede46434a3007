#include "apps/limber/tree_parts.hpp"

#include "apps/limber/console.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/element_sets_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/scene/body_tree.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace limber::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view automatic_word = "auto:";

/// How parts of whatever materials are reduced, as the options say.
ReduceOptions part_settings(const ReduceCommand& options, const SceneBody& body) {
  const bool stvk =
      all_stvk(body.materials) && std::all_of(body.parts.parts.begin(), body.parts.parts.end(),
                                              [](const Part& part) { return all_stvk(part.materials); });
  return reduce_settings(options, stvk);
}

SceneBody body_of_mesh(const ReduceCommand& options, FileList& inputs, nlohmann::ordered_json& json) {
  SceneBody body;
  read_domains(options.domains, body.domains.emplace());
  BodyOptions stated = options.body;
  stated.stands = true;
  stated.whole = body.domains->from == DomainSource::sets;
  std::optional<BodySource> loaded;
  {
    ProgressBar bar;
    loaded.emplace(load_source(stated, bar.callback()));
  }
  BodySource& source = *loaded;
  json = source_json(source);
  for (const std::string& warning : source.warnings) print_warning(warning);
  body.up = source.up;
  body.mesh = std::move(source.mesh);
  if (body.domains->from == DomainSource::sets)
    body.domains->sets = read_element_sets(options.domains, body.mesh.element_count());
  body.materials = std::move(source.materials);
  body.fixed.vertices = std::move(source.fixed);
  body.render = std::move(source.surface);
  body.render_colors = std::move(source.colors);
  if (!options.render.empty()) {
    body.render = read_render(options.body, options.render, source.inputs);
    body.render_colors.clear();
  }
  inputs = std::move(source.inputs);
  if (body.domains->from == DomainSource::sets) inputs.emplace_back(options.domains);
  return body;
}

SceneBody body_of_parts(const ReduceCommand& options) {
  SceneBody body;
  body.parts = make_builtin_tree(options.body.mesh, Executor(options.body.threads));
  require(!options.body.free || !body.parts.free, "--free: nothing holds {} anyway; leave the option out",
          options.body.mesh);
  if (options.body.free) release_root(body.parts);
  for (Part& part : body.parts.parts) {
    if (options.rank || options.total_rank > 0) part.rank = 0;  // what is asked for counts, not its own
    for (Material& material : part.materials) material = changed_material(material, options.body);
  }
  return body;
}

SceneBody body_of_scene(const ReduceCommand& options, FileList& inputs) {
  Scene scene = read_scene(options.body.mesh);
  require(scene.bodies.size() == 1, "{}: it has {} bodies; a tree is made of a scene with one",
          options.body.mesh, scene.bodies.size());
  for (const std::string& warning : scene.warnings) print_warning(warning);
  SceneBody& body = scene.bodies.front();
  require(!body.model, "{}: its body names a 'model': it is reduced already", options.body.mesh);
  require(body.is_tree(), "{}: its body is no tree of domains; give it 'domains' or an 'assembly'",
          options.body.mesh);
  inputs = std::move(scene.inputs);
  inputs.emplace_back(options.body.mesh);
  return std::move(body);
}

}  // namespace

void read_domains(const std::string& word, DomainSettings& settings) {
  static constexpr std::array<std::string_view, 3> known{"regions", "auto:K", "FILE.json"};
  if (word == "regions") {
    settings.from = DomainSource::regions;
  } else if (word.starts_with(automatic_word)) {
    const std::optional<int> parts = parse_integer(word.substr(automatic_word.size()));
    require(parts.has_value() && *parts >= 1, "--domains {}: expected a number of parts from 1, as auto:8",
            word);
    settings.from = DomainSource::automatic;
    settings.count = *parts;
  } else {
    require(fs::path(word).extension() == ".json", "--domains: unknown word '{}'; {}", word,
            suggestion(word, known));
    settings.from = DomainSource::sets;
  }
}

bool is_scene_file(const std::string& name) { return fs::path(name).extension() == ".json"; }

SceneBody load_tree_body(const ReduceCommand& options, FileList& inputs, nlohmann::ordered_json& source) {
  require(!options.rank || options.total_rank == 0, "--rank and --total-rank exclude each other");
  SceneBody body;
  const ReduceTask task = task_of(options);
  if (task == ReduceTask::tree_of_scene) {
    body = body_of_scene(options, inputs);
  } else {
    body = task == ReduceTask::tree_of_parts ? body_of_parts(options) : body_of_mesh(options, inputs, source);
    body.reduction = part_settings(options, body);
    body.mass = mass_kind(options.body);
  }
  body.name = options.body.mesh;
  body.reduction.keep_simulation_mesh = !options.no_mesh;
  if (!body.domains) body.domains.emplace();
  DomainSettings& domains = *body.domains;
  if (!options.root.empty()) domains.root = options.root;
  if (options.rank) domains.rank = *options.rank;
  if (options.rank || options.total_rank > 0) domains.total_rank = options.total_rank;
  domains.rigid.insert(domains.rigid.end(), options.rigid.begin(), options.rigid.end());
  return body;
}

}  // namespace limber::app
