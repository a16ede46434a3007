#include "limber/precompute/reduce.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/option_uses.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "apps/limber/reduce_body.hpp"
#include "apps/limber/reduce_options.hpp"
#include "apps/limber/reduce_text.hpp"
#include "apps/limber/reduce_to_tree.hpp"
#include "apps/limber/report.hpp"
#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/png.hpp"
#include "limber/run/output_files.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace limber::app {
namespace {

/// What the report page says of the body and of what was asked for.
ReportFacts facts(const ReduceCommand& options, const BodyToReduce& loaded,
                  const nlohmann::ordered_json& json) {
  const FullModel& model = loaded.body.model;
  ReportFacts result;
  result.name = std::filesystem::path(options.output).stem().string();
  result.elements = model.mesh().element_count();
  result.vertices = model.mesh().vertex_count();
  result.unknowns = model.dof_count();
  result.total_seconds = json["seconds"]["total"].get<double>();
  result.peak_memory_bytes = json["peak_memory_bytes"].get<std::int64_t>();
  result.up = loaded.body.source.up;
  result.held = loaded.body.source.holding.vertices;
  result.held_where = loaded.body.source.holding.how;
  result.options = {"body: " + options.body.mesh, "basis: " + json["description"].get<std::string>(),
                    "forces: " + options.forces};
  return result;
}

void run_reduce(const ReduceCommand& options) {
  OutputPlan outputs;
  outputs.add(OutputFile{options.output, ".glb", "the reduced model"});
  outputs.add(OutputFile{options.picture, ".png", "the picture"});
  outputs.add(OutputFolder{options.report, is_report_file});
  check_outputs(outputs);
  const Timer total;
  Timer stage;
  ReduceReport report;
  std::optional<BodyToReduce> loaded;
  Model model;
  std::vector<std::string> warnings;
  {
    ProgressBar bar;
    loaded.emplace(load_to_reduce(options, bar.callback()));
    check_spares(outputs, loaded->body.source.inputs);
    report.stages.emplace_back("mesh", stage.seconds());
    model = reduce_body(options, *loaded, report, warnings, bar.callback());
  }
  for (const std::string& warning : warnings) print_warning(warning);
  const FullModel& full = loaded->body.model;
  model.name = model.parts.front().model.name = std::filesystem::path(options.output).stem().string();
  stage.restart();
  write_results([&] {
    write_model(options.output, model);
    if (!options.picture.empty())
      write_png(options.picture,
                draw_held(full.mesh(), loaded->body.source.fixed, model.up, full.executor()));
  });
  report.stages.emplace_back("file", stage.seconds());
  const ReducedModel& reduced = model.parts.front().model;
  nlohmann::ordered_json json = reduce_json(options.output, full, reduced, report, total.seconds());
  json.update(source_json(loaded->body.source));
  if (options.json) {
    print_json(json);
  } else {
    print(reduce_text(options.body.mesh, json));
  }
  if (options.report.empty()) return;
  write_results(
      [&] { write_report(options.report, reduced, report, facts(options, *loaded, json), full.executor()); });
  if (!options.json) print(fmt::format("wrote {}/index.html\n", options.report));
}

}  // namespace

Command add_reduce(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("reduce", "Precompute a reduced model: a body that moves in real time");
  const auto options = std::make_shared<ReduceCommand>();
  add_reduce_options(*parser, *options);
  parser->footer(
      "Several sources of a basis are mixed; '--modes 0' leaves only the others. Materials other than stvk "
      "take "
      "cubature.\n\n"
      "Example:\n  limber reduce bunny.obj -o bunny.glb --hold bottom --picture bunny.png\n"
      "  limber reduce builtin:spoon -o spoon.glb --modes 20 --rank 30\n"
      "  limber reduce builtin:heart -o heart.glb --law neo-hookean --report heart\n"
      "  limber reduce builtin:octopus -o soft.glb --free --contact\n"
      "  limber reduce builtin:tower -o tower.glb --basis inertia --modes 12 --condense random --forces "
      "modal-cubature\n"
      "  limber reduce builtin:lily -o lily.glb --domains regions\n"
      "  limber reduce builtin:oak -o oak.glb");
  return {parser, [parser, options] {
            options->stated = stated_options(*parser);
            check_reduce_options(*options);
            if (task_of(*options) == ReduceTask::one_body) {
              run_reduce(*options);
            } else {
              reduce_to_tree(*options);
            }
          }};
}

}  // namespace limber::app
