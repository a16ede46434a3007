#include "apps/limber/reduce_body.hpp"

#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/progress_bar.hpp"
#include "apps/limber/reduce_to_tree.hpp"
#include "limber/base/error.hpp"
#include "limber/base/grouped.hpp"
#include "limber/base/timer.hpp"
#include "limber/base/words.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/displacement_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/scene/selection.hpp"

#include <algorithm>
#include <string>
#include <utility>

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

/// Says where a body has fewer modes, or a basis fewer vectors, than were asked for.
void warn_of_small_basis(const ReduceCommand& options, const FullModel& model, const BasisSettings& asked,
                         const ReduceReport& report, Index rank, std::vector<std::string>& warnings) {
  const Index most = model.dof_count() - report.rigid_modes;
  if (report.modes < asked.modes && options.stated.contains("--modes")) {
    warnings.push_back(fmt::format(
        "{} linear modes, not {}: {}", report.modes, asked.modes,
        report.modes == most ? fmt::format("the body has no more, with {} unknowns", model.dof_count())
                             : "no more were found that are independent; --basis modal finds all"));
  }
  if (rank == asked.rank) return;
  warnings.push_back(
      fmt::format("the basis has rank {}, not {}: {}", rank, asked.rank,
                  rank == most ? fmt::format("the body has no more, with {} unknowns", model.dof_count())
                               : "what it is made of spans no more"));
}

void warn_of_forces(const ReducedModel& reduced, const ReduceReport& report,
                    std::vector<std::string>& warnings) {
  if (!report.cubature || report.cubature->reached) return;
  warnings.push_back(fmt::format(
      "the error of the forces is {:.2g} % in poses not trained with, {:.2g} % was asked for",
      100.0 * reduced.cubature->training.held_out_error, 100.0 * reduced.cubature->training.error_asked_for));
}

/// Most files do not say which way is up.
std::string_view up_hint(const BodyOptions& options) {
  const bool known = options.up || is_builtin(options.mesh) || up_of(options) != UpAxis::z;
  return known ? "" : " (else --up y)";
}

/// What became of it, in a line for standard error.
std::string shown_text(const ReduceCommand& options, const BodyToReduce& loaded, const Model& model,
                       double seconds) {
  const FullModel& full = loaded.body.model;
  const Holding& holding = loaded.body.source.holding;
  const std::optional<MesherReport>& meshing = loaded.body.source.meshing;
  const std::string noted = meshing ? meshing_note(*meshing) : "";
  return fmt::format("{}: {} is up{}; {}{} elements -> rank {} in {:.1f} s; {}{}{}", options.body.mesh,
                     word_of(model.up, up_axis_words), up_hint(options.body), meshing ? "meshed, " : "",
                     grouped(full.mesh().element_count()), model.rank(0), seconds,
                     holding.vertices == 0
                         ? "nothing holds it"
                         : fmt::format("held at {} vertices: {}", grouped(holding.vertices), holding.how),
                     noted.empty() ? "" : "; ", noted);
}

}  // namespace

bool is_held(const FullModel& model) {
  const std::vector<char> used = used_vertices(model.mesh());
  return static_cast<Index>(std::count(used.begin(), used.end(), 1)) > model.dof_count() / 3;
}

BodyToReduce load_to_reduce(const ReduceCommand& options, const Progress& progress) {
  BodyOptions body = options.body;
  body.stands = true;
  LoadedBody loaded = load_body(body, progress);
  if (!options.render.empty()) {
    loaded.source.surface = read_render(options.body, options.render, loaded.source.inputs);
    loaded.source.colors.clear();
  }
  ReduceOptions how = reduce_options(options, loaded.model, loaded.source.inputs);
  return {std::move(loaded), std::move(how)};
}

Model reduce_body(const ReduceCommand& options, const BodyToReduce& loaded, ReduceReport& report,
                  std::vector<std::string>& warnings, const Progress& progress) {
  const auto& [model, source] = loaded.body;
  ReduceOptions how = loaded.how;
  how.progress = progress;
  ReducedModel reduced = reduce(model, source.surface, source.colors, how, report);
  warnings = source.warnings;
  warn_of_small_basis(options, model, how.basis, report, reduced.rank, warnings);
  warn_of_forces(reduced, report, warnings);
  Model result = make_model(std::move(reduced), !is_held(model));
  result.up = source.up;
  return result;
}

Model reduce_to_show(const ReduceCommand& options, FileList& inputs) {
  const Timer timer;
  if (task_of(options) != ReduceTask::one_body) return reduce_tree_to_show(options, inputs);
  ReduceReport report;
  std::optional<BodyToReduce> loaded;
  Model model;
  std::vector<std::string> warnings;
  {
    ProgressBar bar;
    loaded.emplace(load_to_reduce(options, bar.callback()));
    inputs.insert(inputs.end(), loaded->body.source.inputs.begin(), loaded->body.source.inputs.end());
    model = reduce_body(options, *loaded, report, warnings, bar.callback());
  }
  for (const std::string& warning : warnings) print_warning(warning);
  print_note(shown_text(options, *loaded, model, timer.seconds()));
  return model;
}

}  // namespace limber::app
