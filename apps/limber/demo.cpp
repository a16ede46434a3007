#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/progress_bar.hpp"
#include "apps/limber/scene_report.hpp"
#include "apps/limber/scene_run.hpp"
#include "apps/limber/viewer_page.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/timer.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/run/output_files.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace limber::app {
namespace {

constexpr std::string_view demo_body = "builtin:octopus";

constexpr std::string_view demo_scene = R"({
  "description": "A rubber octopus, held under its arms, sways under a push at its head: a reduced model",
  "bodies": [
    {
      "name": "octopus",
      "model": "octopus.glb",
      "method": "reduced",
      "loads": [{"where": "z > 0.2", "force": [-0.05, -0.02, 0], "from": 0, "to": 0.25}],
      "damping": {"mass": 0.5, "stiffness": 0.002}
    }
  ],
  "gravity": [0, 0, -9.81],
  "solver": {"type": "dynamic", "timestep": 0.002, "steps": 1000},
  "output": {"animation": "motion.glb", "every": 10, "displacements": "u.csv", "picture": "octopus.png",
             "picture_of": "appearance"}
}
)";

/// The reduced model of the demo's body.
ReducedModel reduce_demo_body(Rows& stages) {
  const Executor executor;
  Timer timer;
  const BuiltinBody body = make_builtin(demo_body, executor);
  const FullModel full(body.mesh, body.materials, body.fixed, {MassKind::consistent, executor});
  stages.emplace_back("mesh",
                      fmt::format("{:.2f} s, {} elements", timer.seconds(), full.mesh().element_count()));
  ProgressBar bar;
  ReduceOptions options;
  options.progress = bar.callback();
  ReduceReport report;
  ReducedModel model = reduce(full, body.render, body.part_colors, options, report);
  for (const auto& [stage, seconds] : report.stages)
    stages.emplace_back(stage, fmt::format("{:.2f} s", seconds));
  model.name = "octopus";
  return model;
}

void run_demo(const std::filesystem::path& folder) {
  const auto path = [&](std::string_view name) { return (folder / name).lexically_normal().string(); };
  OutputPlan outputs;
  outputs.coming = folder;
  for (const char* name : {"octopus.glb", "octopus.html", "scene.json", "motion.glb", "u.csv", "octopus.png"})
    outputs.add(OutputFile{folder / name});
  check_outputs(outputs);
  Rows stages;
  const ReducedModel model = reduce_demo_body(stages);
  NewFolders folders;
  write_results(folders, [&] {
    folders.make(folder);
    write_model(path("octopus.glb"), make_model(model));
    write_file(path("scene.json"), demo_scene);
    if (has_viewer_page()) {
      const PageModels octopus{{{"octopus.glb", read_file(path("octopus.glb"))}}, {0}};
      write_file(path("octopus.html"), page_with_models(viewer_page(), octopus, "octopus - limber"));
    }
  });
  print(fmt::format("reduced {} to rank {}: {}\n{}wrote {}\n\n", demo_body, model.rank, model.description,
                    to_text(stages), path("octopus.glb")));

  const Scene scene = parse_scene(demo_scene, folder, "the demo's scene");
  const RunResult result = run_on_console(scene, {.folder = folder});
  require_success(result, "the demo");
  print(fmt::format(
      "{}wrote {}\n\nNext:\n"
      "{}"
      "  look at {}\n"
      "  open {} in Blender, Windows' 3D viewer or any other glTF viewer and press play\n"
      "  edit {} and run: limber simulate {}\n",
      to_text(result), path("scene.json"),
      has_viewer_page()
          ? fmt::format("  open {} in a browser and pull at the octopus (or run: limber view {})\n",
                        path("octopus.html"), path("octopus.glb"))
          : "",
      path("octopus.png"), path("motion.glb"), path("scene.json"), path("scene.json")));
}

}  // namespace

Command add_demo(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("demo",
                                            "Reduce a built-in octopus and let it move: no input needed, "
                                            "ends with a picture and a page to pull at it");
  const auto folder = std::make_shared<std::string>("demo");
  parser->add_option("-o,--output-dir", *folder, "Folder for the results, made where missing")
      ->type_name("DIR")
      ->capture_default_str();
  parser->footer("Example:\n  limber demo -o demo");
  return {parser, [folder] { run_demo(*folder); }};
}

}  // namespace limber::app
