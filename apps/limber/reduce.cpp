#include "limber/precompute/reduce.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/option_uses.hpp"
#include "apps/limber/progress_bar.hpp"
#include "apps/limber/reduce_options.hpp"
#include "apps/limber/reduce_text.hpp"
#include "apps/limber/reduce_to_tree.hpp"
#include "apps/limber/report.hpp"
#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/displacement_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/run/output_files.hpp"
#include "limber/scene/selection.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

namespace limber::app {
namespace {

/// With what is read from files, which become inputs.
ReduceOptions reduce_options(const ReduceCommand& options, const FullModel& model, FileList& inputs) {
  const Index vertices = model.mesh().vertex_count();
  ReduceOptions result = reduce_settings(options, all_stvk(model.materials()));
  if (!options.sketch.empty()) {
    result.basis.sketch = read_sketch(options.sketch);
    inputs.emplace_back(options.sketch);
  }
  if (!options.snapshots.empty())
    result.basis.snapshots = read_displacements(options.snapshots, vertices, &inputs);
  if (!options.contact_where.empty()) {
    result.basis.contact_vertices =
        select_vertices(model.mesh(), {.where = options.contact_where}, "--contact-where");
  }
  if (!options.training.empty())
    result.training_snapshots = read_displacements(options.training, vertices, &inputs);
  return result;
}

/// What the report page says of the body and of what was asked for.
ReportFacts facts(const ReduceCommand& options, const FullModel& model, const nlohmann::ordered_json& json) {
  ReportFacts result;
  result.name = std::filesystem::path(options.output).stem().string();
  result.elements = model.mesh().element_count();
  result.vertices = model.mesh().vertex_count();
  result.unknowns = model.dof_count();
  result.total_seconds = json["seconds"]["total"].get<double>();
  result.peak_memory_bytes = json["peak_memory_bytes"].get<std::int64_t>();
  result.options = {"body: " + options.body.mesh, "basis: " + json["description"].get<std::string>(),
                    "forces: " + options.forces};
  return result;
}

bool holds_something(const FullModel& model) {
  const std::vector<char> used = used_vertices(model.mesh());
  return static_cast<Index>(std::count(used.begin(), used.end(), 1)) > model.dof_count() / 3;
}

/// Says where a body has fewer modes, or a basis fewer vectors, than were asked for.
void warn_of_small_basis(const ReduceCommand& options, const FullModel& model, const BasisSettings& asked,
                         const ReduceReport& report, Index rank) {
  const Index most = model.dof_count() - report.rigid_modes;
  if (report.modes < asked.modes && options.stated.contains("--modes")) {
    print_warning(fmt::format("{} linear modes, not {}: {}", report.modes, asked.modes,
                              report.modes == most
                                  ? fmt::format("the body has no more, with {} unknowns", model.dof_count())
                                  : "no more were found that are independent; --basis modal finds all"));
  }
  if (rank == asked.rank) return;
  print_warning(fmt::format("the basis has rank {}, not {}: {}", rank, asked.rank,
                            rank == most
                                ? fmt::format("the body has no more, with {} unknowns", model.dof_count())
                                : "what it is made of spans no more"));
}

void run_reduce(const ReduceCommand& options) {
  OutputPlan outputs;
  outputs.add(OutputFile{options.output, ".glb", "the reduced model"});
  outputs.add(OutputFolder{options.report, is_report_file});
  check_outputs(outputs);
  const Timer total;
  Timer stage;
  LoadedBody body = load_body(options.body);
  if (!options.render.empty()) {
    body.surface = read_surface(options.render, {}, &body.inputs);
    body.colors.clear();
  }
  require(options.body.free || holds_something(body.model),
          "{}: nothing holds the body; say what does by --fixed-where or --fixed-vertices, or --free for a "
          "body that flies",
          options.body.mesh);
  ReduceOptions reducing = reduce_options(options, body.model, body.inputs);
  check_spares(outputs, body.inputs);
  ReduceReport report;
  report.stages.emplace_back("mesh", stage.seconds());
  ReducedModel reduced;
  {
    ProgressBar bar;
    reducing.progress = bar.callback();
    reduced = reduce(body.model, body.surface, body.colors, reducing, report);
  }
  reduced.name = std::filesystem::path(options.output).stem().string();
  stage.restart();
  const bool free = !holds_something(body.model);
  write_results([&] { write_model(options.output, make_model(reduced, free)); });
  report.stages.emplace_back("file", stage.seconds());
  const nlohmann::ordered_json json =
      reduce_json(options.output, body.model, reduced, report, total.seconds());
  warn_of_small_basis(options, body.model, reducing.basis, report, reduced.rank);
  if (report.cubature && !report.cubature->reached) {
    print_warning(
        fmt::format("the error of the forces is {:.2g} % in poses not trained with, {:.2g} % was asked for",
                    100.0 * reduced.cubature->training.held_out_error,
                    100.0 * reduced.cubature->training.error_asked_for));
  }
  if (options.json) {
    print_json(json);
  } else {
    print(reduce_text(options.body.mesh, json));
  }
  if (options.report.empty()) return;
  write_results([&] {
    write_report(options.report, reduced, report, facts(options, body.model, json), body.model.executor());
  });
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
      "Example:\n  limber reduce builtin:spoon -o spoon.glb --modes 20 --rank 30\n"
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
