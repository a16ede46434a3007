#include "limber/precompute/reduce.hpp"

#include "apps/limber/body_options.hpp"
#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/memory.hpp"
#include "apps/limber/output_files.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/displacement_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/io/surface_file.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <numeric>
#include <string>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  BodyOptions body;
  int modes = 20;
  int rank = 30;
  bool no_derivatives = false;
  std::string sketch;
  double load_separation = SketchOptions{}.load_separation;
  double shape_separation = SketchOptions{}.shape_separation;
  std::string snapshots;
  std::string render;
  bool no_mesh = false;
  std::string output;
  bool json = false;
};

ReduceOptions reduce_options(const Options& options, const FullModel& model) {
  ReduceOptions result;
  result.basis.modes = options.modes;
  result.basis.derivatives = !options.no_derivatives;
  result.basis.rank = options.rank;
  if (!options.sketch.empty()) result.basis.sketch = read_sketch(options.sketch);
  result.basis.sketching.load_separation = options.load_separation;
  result.basis.sketching.shape_separation = options.shape_separation;
  if (!options.snapshots.empty())
    result.basis.snapshots = read_displacements(options.snapshots, model.mesh().vertex_count());
  result.keep_simulation_mesh = !options.no_mesh;
  return result;
}

Json to_json(const Options& options, const FullModel& model, const ReducedModel& reduced,
             const ReduceReport& report, double seconds) {
  Json json{{"output", options.output},
            {"rank", reduced.rank},
            {"vertices", model.mesh().vertex_count()},
            {"elements", model.mesh().element_count()},
            {"unknowns", model.dof_count()},
            {"render_vertices", reduced.surface.mesh.vertex_count()},
            {"description", reduced.description},
            {"frequencies_hz", to_list(report.frequencies_hz)},
            {"rigid_modes", report.rigid_modes},
            {"singular_values", to_list(report.singular_values)},
            {"orthonormality", report.orthonormality}};
  if (report.sketch.recorded > 0) {
    json["sketch"] = {{"recorded", report.sketch.recorded},
                      {"solved", report.sketch.solved},
                      {"failed", report.sketch.failed},
                      {"kept", report.sketch.kept}};
  }
  json["seconds"] = Json::object();
  for (const auto& [stage, time] : report.stages) json["seconds"][stage] = time;
  json["seconds"]["total"] = seconds;
  json["peak_memory_bytes"] = peak_memory();
  json["file_bytes"] = std::filesystem::file_size(options.output);
  return json;
}

/// What the supports leave free, which a reduced model has no motion for.
std::string rigid_text(int rigid) {
  if (rigid == 0) return "";
  if (rigid == 6) return "; nothing holds the body: it deforms in its own frame";
  return fmt::format("; the body can still move in {} way{} without strain, which the model leaves out",
                     rigid, rigid == 1 ? "" : "s");
}

std::string to_text(const Options& options, const Json& json) {
  std::string text = fmt::format("{}: {} elements, {} unknowns -> rank {}\n{}\n", options.body.mesh,
                                 count_text(json["elements"]), count_text(json["unknowns"]),
                                 json["rank"].get<int>(), json["description"].get<std::string>());
  if (const Json& frequencies = json["frequencies_hz"]; !frequencies.empty()) {
    text += fmt::format("linear modes from {:.4g} to {:.4g} Hz{}\n", frequencies.front().get<double>(),
                        frequencies.back().get<double>(), rigid_text(json["rigid_modes"].get<int>()));
  }
  if (json.contains("sketch")) {
    const Json& sketch = json["sketch"];
    text += fmt::format("sketch: {} forces, {} solved, {} shapes kept{}\n", sketch["recorded"].get<int>(),
                        sketch["solved"].get<int>(), sketch["kept"].get<int>(),
                        sketch["failed"] == 0
                            ? std::string()
                            : fmt::format(", {} without a solution", sketch["failed"].get<int>()));
  }
  text += fmt::format("\n{:<20} {:>8}\n", "stage", "seconds");
  for (const auto& [stage, time] : json["seconds"].items())
    text += fmt::format("{:<20} {:>8.2f}\n", stage, time.get<double>());
  return text + fmt::format("\npeak memory {}\nwrote {} ({})\n",
                            bytes_text(json["peak_memory_bytes"].get<double>()), options.output,
                            bytes_text(json["file_bytes"].get<double>()));
}

void run(const Options& options) {
  check_extension(options.output, ".glb", "the reduced model");
  check_output_file(options.output);
  check_spares(options.output, {options.body.mesh, options.sketch, options.snapshots, options.render});
  const Timer total;
  Timer stage;
  LoadedBody body = load_body(options.body);
  if (!options.render.empty()) {
    body.surface = read_surface(options.render);
    body.colors.clear();
  }
  ReduceOptions reducing = reduce_options(options, body.model);
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
  try {
    write_model(options.output, reduced);
  } catch (const Error& error) {
    throw Failure(error.what());  // the input was good
  }
  report.stages.emplace_back("file", stage.seconds());
  const Json json = to_json(options, body.model, reduced, report, total.seconds());
  if (reduced.rank < options.rank) {
    print_warning(fmt::format("the basis has rank {}, not {}: what it is made of spans no more", reduced.rank,
                              options.rank));
  }
  if (options.json) {
    print_json(json);
  } else {
    print(to_text(options, json));
  }
}

void add_basis_options(CLI::App& parser, Options& options) {
  parser.add_option("--modes", options.modes, "Linear modes in the basis; 0: none")
      ->type_name("N")
      ->check(CLI::Range(0, 200).description(""))
      ->capture_default_str();
  parser.add_option("--rank", options.rank, "Coordinates of the reduced model, at most")
      ->type_name("R")
      ->check(CLI::Range(1, 200).description(""))
      ->capture_default_str();
  parser.add_flag("--no-derivatives", options.no_derivatives, "Leave out the derivatives of the modes");
  parser.add_option("--sketch", options.sketch, "Add the shapes under recorded point forces (JSON)")
      ->type_name("FILE");
  parser
      .add_option("--load-separation", options.load_separation,
                  "Sketch: least distance of forces, share of the largest response")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->capture_default_str();
  parser
      .add_option("--shape-separation", options.shape_separation,
                  "Sketch: least distance of shapes, share of the largest")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->capture_default_str();
  parser.add_option("--snapshots", options.snapshots, "Add displacement fields (.csv, .vtu, .pvd)")
      ->type_name("FILE");
}

}  // namespace

Command add_reduce(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("reduce", "Precompute a reduced model: a body that moves in real time");
  const auto options = std::make_shared<Options>();
  add_body_options(*parser, options->body);
  parser->add_option("-o,--output", options->output, "The reduced model, which any glTF viewer opens")
      ->required()
      ->type_name("FILE.glb");
  add_basis_options(*parser, *options);
  parser
      ->add_option("--render", options->render,
                   "Surface to draw, moved by the mesh [its boundary; built-in: their own]")
      ->type_name("FILE");
  parser->add_flag("--no-simulation-mesh", options->no_mesh,
                   "Leave the mesh out of the file, to keep it small");
  parser->add_flag("--json", options->json, "Print rank, sizes, seconds per stage and peak memory as JSON");
  parser->footer(
      "The material must be stvk. Several sources of a basis are mixed; '--modes 0' leaves only the "
      "others.\n\n"
      "Example:\n  limber reduce builtin:spoon -o spoon.glb --modes 20 --rank 30");
  return {parser, [options] { run(*options); }};
}

}  // namespace limber::app
