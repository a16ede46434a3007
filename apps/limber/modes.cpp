#include "apps/limber/body_options.hpp"
#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/option_uses.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/png.hpp"
#include "limber/io/vtu.hpp"
#include "limber/run/output_files.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace limber::app {
namespace {

struct ModesCommand {
  BodyOptions body;
  int count = 12;
  bool json = false;
  std::string output;
  std::string picture;
};

struct Seconds {
  double setup = 0.0;
  double solve = 0.0;
};

LinearModes solve(const FullModel& model, int count) {
  ProgressBar bar;
  LinearModesOptions options;
  options.eigen.progress = bar.callback();
  return compute_linear_modes(model, count, options);
}

void write_shapes(const std::string& path, const FullModel& model, const LinearModes& modes) {
  const std::size_t digits = std::max<std::size_t>(2, std::to_string(modes.shapes.cols()).size());
  VtuFields fields;
  for (Index i = 0; i < modes.shapes.cols(); ++i) {
    fields.vertices.push_back(
        {fmt::format("mode_{:0{}}", i + 1, digits), model.dofs().expand(modes.shapes.col(i))});
  }
  write_vtu(path, model.mesh(), fields,
            [](std::span<const std::string> contents) { (void)parse_mesh(contents[0], "its content"); });
}

void write_outputs(const ModesCommand& options, const FullModel& model, UpAxis up, const LinearModes& modes) {
  write_results([&] {
    if (!options.output.empty()) write_shapes(options.output, model, modes);
    if (!options.picture.empty()) write_png(options.picture, draw_modes(model, modes, up));
  });
}

nlohmann::ordered_json modes_json(const LinearModes& modes, const Seconds& seconds) {
  nlohmann::ordered_json json;
  json["eigenvalues"] = std::vector<double>(modes.eigenvalues.begin(), modes.eigenvalues.end());
  json["frequencies_hz"] = std::vector<double>(modes.frequencies_hz.begin(), modes.frequencies_hz.end());
  json["report"] = {{"status", name_of(modes.report.status)},
                    {"iterations", modes.report.iterations},
                    {"residual", modes.report.residual}};
  json["seconds"] = {{"setup", seconds.setup}, {"solve", seconds.solve}};
  return json;
}

std::string modes_text(const ModesCommand& options, const LoadedBody& body, const LinearModes& modes,
                       const Seconds& seconds) {
  std::string text =
      fmt::format("{}: {} elements, {} unknowns\n{}\n", options.body.mesh, body.model.mesh().element_count(),
                  body.model.dof_count(), source_text(source_json(body.source)));
  text += fmt::format("{:>5}  {:>22}  {:>15}\n", "mode", "eigenvalue (rad^2/s^2)", "frequency (Hz)");
  for (Index i = 0; i < modes.eigenvalues.size(); ++i) {
    text +=
        fmt::format("{:>5}  {:>22.9g}  {:>15.6g}\n", i + 1, modes.eigenvalues(i), modes.frequencies_hz(i));
  }
  text += fmt::format("\nseconds: setup {:.2f}, solve {:.2f}\n", seconds.setup, seconds.solve);
  for (const std::string& path : {options.output, options.picture}) {
    if (!path.empty()) text += fmt::format("wrote {}\n", path);
  }
  return text;
}

void check_uses(const ModesCommand& options, const std::set<std::string>& stated) {
  std::vector<OptionUse> uses;
  add_body_uses(uses, options.body, !is_builtin(options.body.mesh), is_surface_file(options.body.mesh));
  check_options("modes", stated, uses);
}

void run_modes(const ModesCommand& options) {
  OutputPlan outputs;
  outputs.add(OutputFile{options.output, ".vtu", "the file of mode shapes"});
  outputs.add(OutputFile{options.picture, ".png", "the picture"});
  check_outputs(outputs);
  Seconds seconds;
  Timer timer;
  std::optional<LoadedBody> body;
  {
    ProgressBar bar;
    body.emplace(load_body(options.body, bar.callback()));
  }
  check_spares(outputs, body->source.inputs);
  for (const std::string& warning : body->source.warnings) print_warning(warning);
  const FullModel& model = body->model;
  seconds.setup = timer.seconds();
  timer.restart();
  const LinearModes modes = solve(model, options.count);
  seconds.solve = timer.seconds();
  if (!modes.report.ok()) {
    throw Failure(fmt::format("{}: the modes were not found: {} after {} iterations, residual {:.2g}",
                              options.body.mesh, name_of(modes.report.status), modes.report.iterations,
                              modes.report.residual));
  }
  write_outputs(options, model, body->source.up, modes);
  if (options.json) {
    nlohmann::ordered_json json = source_json(body->source);
    json.update(modes_json(modes, seconds));
    print_json(json);
  } else {
    print(modes_text(options, *body, modes, seconds));
  }
}

}  // namespace

Command add_modes(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("modes", "Compute natural frequencies and mode shapes");
  const auto options = std::make_shared<ModesCommand>();
  add_body_argument(*parser, options->body);
  add_body_options(*parser, options->body);
  parser->add_option("--count", options->count, "How many, the lowest first")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->capture_default_str();
  parser->add_flag("--json", options->json, "Print {\"eigenvalues\": [...], \"frequencies_hz\": [...], ...}");
  parser->add_option("-o,--output", options->output, "Write the mode shapes, one vector field each")
      ->type_name("FILE.vtu");
  parser->add_option("--picture", options->picture, "Draw the first twelve mode shapes")
      ->type_name("FILE.png");
  parser->footer(
      "A body that nothing holds is allowed: its first six frequencies are zero.\n\n"
      "Example:\n  limber modes \"builtin:beam?size=1,0.1,0.1&cells=40,4,4\" --fixed-where \"x < 0.001\" "
      "--count 6");
  return {parser, [parser, options] {
            check_uses(*options, stated_options(*parser));
            run_modes(*options);
          }};
}

}  // namespace limber::app
