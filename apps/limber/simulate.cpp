#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/scene_run.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/scene_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string scene;
  std::string output_dir;
  std::optional<int> threads;
  bool json = false;
};

/// The path as it would be with the scene file in `to` instead of `from`; absolute paths elsewhere stay.
fs::path moved(const fs::path& path, const fs::path& from, const fs::path& to) {
  if (path.empty()) return path;
  auto [rest_of_from, rest] = std::mismatch(from.begin(), from.end(), path.begin(), path.end());
  if (rest_of_from != from.end()) return path;
  fs::path result = to;
  for (; rest != path.end(); ++rest) result /= *rest;
  return result;
}

void run(const Options& options) {
  const Timer timer;
  const fs::path file(options.scene);
  Scene scene = read_scene(file);
  const double read_seconds = timer.seconds();
  if (options.threads) scene.solver.threads = *options.threads;
  if (!options.output_dir.empty()) {
    for (fs::path* path : {&scene.output.displacements, &scene.output.vtu, &scene.output.picture}) {
      *path = moved(*path, file.parent_path(), options.output_dir);
    }
  }
  RunResult result = run_scene(scene, options.output_dir);
  result.read_seconds = read_seconds;
  if (options.json) {
    print_json(to_json(result));
  } else if (result.report.ok()) {
    print(to_text(result));
  }
  require_success(result, options.scene);
}

}  // namespace

Command add_simulate(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("simulate", "Run a scene: statics or dynamics with the full model");
  const auto options = std::make_shared<Options>();
  parser
      ->add_option("SCENE", options->scene, "Scene file (JSON; 'limber schema --markdown' explains its keys)")
      ->required()
      ->type_name("");
  parser->add_flag("--json", options->json, "Print the report and timings as JSON");
  parser
      ->add_option("--threads", options->threads,
                   "Number of threads, in place of the scene's; 0 takes one per core")
      ->check(threads_range())
      ->type_name("N");
  parser
      ->add_option(
          "--output-dir", options->output_dir,
          "Folder that the scene's output paths start from, made where missing; else the scene's own")
      ->type_name("DIR");
  parser->footer(
      "Writes what the scene's \"output\" asks for: displacements (.csv), a series for ParaView (.vtu, "
      ".pvd)\n"
      "and a picture (.png).\n\nExample:\n  limber simulate scene.json --output-dir results");
  return {parser, [options] { run(*options); }};
}

}  // namespace limber::app
